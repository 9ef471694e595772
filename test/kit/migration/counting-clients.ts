import { connectEngine, engineCodeOf, type EngineClient } from "../../../src/ports/resp/engine-client.ts";
import type { Address } from "../../../src/ports/management/proxy-control.ts";

/** Clients that write one after another, each keys of its own, and count what was acknowledged. */
export class CountingClients {
  readonly #count: number;
  readonly #acknowledged: number[];
  #running: Promise<void>[] = [];
  #isOver = false;
  /** The longest time that a write took, in milliseconds, with the way to the next place. */
  longestMs = 0;
  /** Writes that ended otherwise than by an acknowledgement or a refusal of a source that was ended. */
  failed = 0;

  constructor(count: number) {
    this.#count = count;
    this.#acknowledged = Array.from({ length: count }, () => 0);
  }

  get acknowledged(): number {
    return this.#acknowledged.reduce((sum, each) => sum + each, 0);
  }

  /** Writes at the source until it refuses, and at the endpoint then. */
  begin(source: Address, endpoint: Address): void {
    this.#running = Array.from({ length: this.#count }, (_, at) => this.#run(at, source, endpoint));
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#running);
  }

  /** What the keys of the clients say that was written, at that place, in the order of the clients. */
  async writtenAt(place: Address): Promise<readonly (readonly [number, number])[]> {
    const client = await connectEngine({ ...place, timeoutMs: 10_000 });
    try {
      return await Promise.all(
        this.#acknowledged.map(
          async (_, at) =>
            [Number(await client.call("GET", `count:${at}`)), Number(await client.call("LLEN", `list:${at}`))] as const,
        ),
      );
    } finally {
      client.close();
    }
  }

  /** The same as the clients know it. */
  get expected(): readonly (readonly [number, number])[] {
    return this.#acknowledged.map((count) => [Math.ceil(count / 2), Math.floor(count / 2)] as const);
  }

  async #run(at: number, source: Address, endpoint: Address): Promise<void> {
    let client = await connectEngine({ ...source, timeoutMs: 60_000 });
    for (let began = performance.now(); !this.#isOver;) {
      const outcome = await this.#write(client, at);
      if (outcome === "refused") {
        client.close();
        client = await connectEngine({ ...endpoint, timeoutMs: 60_000 });
        continue;
      }
      if (outcome === "failed") this.failed += 1;
      this.longestMs = Math.max(this.longestMs, performance.now() - began);
      began = performance.now();
    }
    client.close();
  }

  async #write(client: EngineClient, at: number): Promise<"done" | "refused" | "failed"> {
    const count = this.#acknowledged[at] ?? 0;
    try {
      await (count % 2 === 0 ? client.call("INCR", `count:${at}`) : client.call("RPUSH", `list:${at}`, count));
      this.#acknowledged[at] = count + 1;
      return "done";
    } catch (error) {
      return engineCodeOf(error) === "NOREPLICAS" ? "refused" : "failed";
    }
  }
}
