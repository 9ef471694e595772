import { evenSlots } from "../../../src/core/slots/shard-slots.ts";
import type { SlotRange } from "../../../src/core/base/slot-range.ts";
import { until } from "#kit/testing/until";
import { startEngine, type TestEngine } from "../engines/engine.ts";
import { startAll } from "../engines/start-all.ts";
import { MoverProcess } from "./mover-process.ts";

/** Which source and which target has a slot. */
export interface MovedSlots {
  readonly before: readonly (readonly SlotRange[])[];
  readonly after: readonly (readonly SlotRange[])[];
}

/** The shards of a database before and after, and the mover between them. */
export class MovedShards implements AsyncDisposable {
  readonly sources: readonly TestEngine[];
  readonly targets: readonly TestEngine[];
  readonly mover: MoverProcess;
  readonly slots: MovedSlots;

  constructor(
    sources: readonly TestEngine[],
    targets: readonly TestEngine[],
    mover: MoverProcess,
    slots: MovedSlots = { before: evenSlots(sources.length), after: evenSlots(targets.length) },
  ) {
    this.sources = sources;
    this.targets = targets;
    this.mover = mover;
    this.slots = slots;
  }

  /** Starts new engines as targets of the sources, with even slots both unless others are given, and waits until they follow. */
  static async begin(
    sources: readonly TestEngine[],
    options: { readonly targets: number; readonly engine?: string | undefined; readonly slots?: MovedSlots },
  ): Promise<MovedShards> {
    const { targets: count, engine, slots } = options;
    const targets = await startAll(...Array.from({ length: count }, () => startEngine({ engine })));
    const moved = new MovedShards(sources, targets, await MoverProcess.start(), slots);
    try {
      await moved.attach();
    } catch (error) {
      await moved[Symbol.asyncDispose]();
      throw error;
    }
    return moved;
  }

  /** Begins the move, and lets the targets follow the mover. */
  async attach(): Promise<void> {
    const { before, after } = this.slots;
    const reply = await this.mover.send({
      op: "begin",
      bdb: 1,
      sources: this.sources.map(({ host, port }, at) => ({
        id: at + 1,
        primary: { host, port },
        slots: before[at] ?? [],
      })),
      targets: this.targets.map((_, at) => ({
        id: 101 + at,
        listen: { host: "127.0.0.1", port: 0 },
        slots: after[at] ?? [],
      })),
      logins: [{ user: "default", password: "" }],
    });
    if (!reply.ok || reply.op !== "begin") throw new Error(JSON.stringify(reply));
    await Promise.all(this.targets.map((target, at) => target.call("REPLICAOF", "127.0.0.1", reply.ports[at] ?? 0)));
  }

  /** Waits until all targets follow the streams. */
  async following(): Promise<void> {
    await until("all targets follow", async () => {
      const { targets, failure } = await this.mover.status();
      if (failure !== undefined) throw new Error(failure.message);
      return targets.every(({ state }) => state === "following");
    });
  }

  /** Stops writes at the sources, waits until the targets have all, and promotes them; the time that took, in milliseconds. */
  async finish(): Promise<number> {
    const began = performance.now();
    await Promise.all(this.sources.map((source) => source.call("CLIENT", "PAUSE", 60_000, "WRITE")));
    const sources = await Promise.all(
      this.sources.map(async (source, at) => ({ id: at + 1, offset: (await source.replication()).offset })),
    );
    const reply = await this.mover.send({ op: "reach", sources, withinMs: 30_000 });
    if (!reply.ok) throw new Error(reply.message);
    await Promise.all(this.targets.map((target) => target.call("REPLICAOF", "NO", "ONE")));
    return performance.now() - began;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled([...this.targets.map((target) => target.stop()), this.mover[Symbol.asyncDispose]()]);
  }
}
