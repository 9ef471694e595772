import { setTimeout as sleep } from "node:timers/promises";
import type { Address, ProxyCommand, ProxyReply } from "../../src/management/proxy-control.ts";
import { connectEngine, engineCodeOf } from "../../src/resp/engine-client.ts";
import type { EngineClient } from "../../src/resp/engine-client.ts";
import type { Reply } from "../../src/resp/reply.ts";

/** The least that a holding proxy does, in this process: requests wait at its gate while it holds. */
export class GateProxy {
  readonly node: number;
  /** Set by a test: the next command of this kind is answered so. */
  refuse: ProxyCommand["op"] | undefined;
  /** Set by a test: commands of this kind are never answered, as by a process that hangs. */
  deafTo: ProxyCommand["op"] | undefined;
  /** Set by a test: its node is known to be dead, and refuses connections. */
  dead = false;
  #epoch = 0;
  #target: Address;
  #client: Promise<EngineClient>;
  #held: PromiseWithResolvers<undefined> | undefined;
  #expiry = new AbortController();
  #inFlight = 0;

  constructor(node: number, target: Address, epoch: number) {
    this.node = node;
    this.#target = target;
    this.#epoch = epoch;
    this.#client = dial(target);
  }

  get epoch(): number {
    return this.#epoch;
  }

  get target(): Address {
    return this.#target;
  }

  get held(): boolean {
    return this.#held !== undefined;
  }

  readonly gone = (): boolean => this.dead;

  /** One request of a client. READONLY means "not executed": it waits for the next epoch and is sent again. */
  async request(...args: readonly string[]): Promise<Reply> {
    for (;;) {
      while (this.#held !== undefined) await this.#held.promise;
      const epoch = this.#epoch;
      this.#inFlight += 1;
      try {
        return await (await this.#client).call(...args);
      } catch (error) {
        if (engineCodeOf(error) !== "READONLY") throw error;
      } finally {
        this.#inFlight -= 1;
      }
      while (this.#epoch === epoch) await sleep(1);
    }
  }

  async send(command: ProxyCommand): Promise<ProxyReply> {
    if (this.deafTo === command.op) return new Promise(() => undefined);
    if (this.dead) throw new Error("connection refused");
    await sleep(0);
    if (this.refuse === command.op)
      return { ok: false, code: "PROXY_TEST", message: `${command.op} refused by the test` };
    switch (command.op) {
      case "prepare":
        return { ok: true, op: "prepare" };
      case "hold":
        return this.#hold(command);
      case "release":
        return this.#release(command.epoch, command.target);
      case "abort":
        if (command.epoch >= this.#epoch) this.#resume();
        return { ok: true, op: "abort" };
      default:
        return { ok: false, code: "PROXY_TEST", message: `${command.op} is not known here` };
    }
  }

  async close(): Promise<void> {
    this.#expiry.abort();
    (await this.#client).close();
  }

  async #hold({ epoch, drainMs, holdMs }: { epoch: number; drainMs: number; holdMs: number }): Promise<ProxyReply> {
    const began = performance.now();
    if (epoch < this.#epoch) return tooLow(epoch, this.#epoch);
    this.#held ??= Promise.withResolvers();
    this.#expiry = new AbortController();
    void sleep(holdMs, undefined, { signal: this.#expiry.signal }).then(
      () => this.#resume(),
      () => undefined, // released or aborted in time
    );
    while (this.#inFlight > 0) {
      if (performance.now() - began > drainMs) return { ok: false, code: "PROXY_NOT_DRAINED", message: "still busy" };
      await sleep(0);
    }
    return { ok: true, op: "hold", drainMs: performance.now() - began };
  }

  async #release(epoch: number, target: Address): Promise<ProxyReply> {
    if (epoch < this.#epoch) return tooLow(epoch, this.#epoch);
    const before = this.#client;
    this.#client = dial(target);
    await this.#client;
    this.#target = target;
    this.#epoch = epoch;
    this.#resume();
    // answers that are outstanding at the old one still come
    if (this.#inFlight === 0) (await before).close();
    return { ok: true, op: "release", heldMs: 0 };
  }

  #resume(): void {
    this.#expiry.abort();
    this.#held?.resolve(undefined);
    this.#held = undefined;
  }
}

function tooLow(epoch: number, served: number): ProxyReply {
  return { ok: false, code: "PROXY_EPOCH_TOO_LOW", message: `epoch ${epoch} is lower than ${served}` };
}

function dial(target: Address): Promise<EngineClient> {
  return connectEngine({ ...target, timeoutMs: 60_000 });
}
