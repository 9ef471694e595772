import assert from "node:assert/strict";
import { numberOf } from "../../src/resp/reply.ts";
import type { GateProxy } from "./gate-proxy.ts";

const WRITERS = 20;

/** Clients of a shard that write without pause through its proxies, and remember every acknowledgement. */
export class Ledger {
  readonly #proxies: readonly GateProxy[];
  readonly #acknowledged = Array.from({ length: WRITERS }, () => 0);
  readonly #failures: unknown[] = [];
  #runs: Promise<void>[] = [];
  #stopped = false;

  constructor(proxies: readonly GateProxy[]) {
    this.#proxies = proxies;
  }

  /** Acknowledged writes so far. */
  get count(): number {
    return this.#acknowledged.reduce((sum, count) => sum + count, 0);
  }

  start(): void {
    this.#runs = this.#acknowledged.map((_, writer) => this.#write(writer));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#runs);
  }

  /** Ends the load; no request may have failed, and every counter must be exactly what was acknowledged. */
  async requireNothingLost(): Promise<void> {
    await this.stop();
    assert.deepEqual(this.#failures, []);
    const found = await Promise.all(
      this.#acknowledged.map(async (_, writer) =>
        numberOf((await this.#proxy(writer).request("GET", key(writer))) ?? 0),
      ),
    );
    assert.deepEqual(found, this.#acknowledged);
  }

  async #write(writer: number): Promise<void> {
    while (!this.#stopped) {
      try {
        this.#acknowledged[writer] = numberOf(await this.#proxy(writer).request("INCR", key(writer)));
      } catch (error) {
        this.#failures.push(error);
        return;
      }
    }
  }

  #proxy(writer: number): GateProxy {
    const proxy = this.#proxies[writer % this.#proxies.length];
    assert.ok(proxy !== undefined);
    return proxy;
  }
}

function key(writer: number): string {
  return `counter:${writer}`;
}
