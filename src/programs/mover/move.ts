import { randomBytes } from "node:crypto";
import type { Clock } from "#kit/base/clock";
import { Fault, messageOf } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import { patientSignal } from "#kit/timing/patience";
import { destinationsOf, STAYS } from "../../core/slots/passage.ts";
import type { MoverCommand, MoverSource, MoverStatus, SourceOffset } from "../../ports/management/mover-control.ts";
import { EngineTls } from "../../ports/resp/engine-tls.ts";
import { faults } from "./faults.ts";
import { SourceIntake } from "./source/source-intake.ts";
import { TargetFeed } from "./target/target-feed.ts";
import { TargetPort } from "./target/target-port.ts";

/** What a mover runs with. */
export interface MoverContext {
  readonly clock: Clock;
  readonly log: Log;
}

type Begin = Extract<MoverCommand, { readonly op: "begin" }>;

/** Passes the slots of sources to targets, which are replicas of this process until they are promoted. */
export class ShardMove {
  readonly #context: MoverContext;
  readonly #ending = new AbortController();
  readonly #feeds: readonly TargetFeed[];
  readonly #intakes: readonly SourceIntake[];
  readonly #ports: readonly TargetPort[];
  readonly #heads: Heads;
  #failure: Fault | undefined;

  private constructor(
    command: Begin,
    feeds: readonly TargetFeed[],
    ports: readonly TargetPort[],
    context: MoverContext,
  ) {
    this.#context = context;
    this.#feeds = feeds;
    this.#ports = ports;
    this.#heads = new Heads(command.sources.length, (version) => {
      this.#beginFeeds(version);
    });
    this.#intakes = intakesOf(command, feeds, { heads: this.#heads, signal: this.#ending.signal });
    for (const feed of feeds)
      void feed.gone.then((fault) => {
        this.#fail(fault);
      });
    void this.#run();
    void this.#beat();
  }

  /** Listens for the engines of the targets, and copies when all are there; MOVER_CANNOT_LISTEN when a port is taken. */
  static async begin(command: Begin, context: MoverContext): Promise<ShardMove> {
    const { sources, targets, logins, engineCertificate } = command;
    const feeders = feedersOf(command);
    const feeds = targets.map(({ id }, at) => new TargetFeed(id, feeders[at]?.length ?? sources.length));
    const ports: TargetPort[] = [];
    try {
      for (const [at, feed] of feeds.entries()) {
        const listen = targets[at]?.listen;
        if (listen === undefined) continue;
        const shown = engineCertificate === undefined ? {} : { certificate: engineCertificate };
        ports.push(await TargetPort.open({ listen, feed, logins, ...shown }));
      }
    } catch (error) {
      for (const port of ports) port.close();
      throw error;
    }
    return new ShardMove(command, feeds, ports, context);
  }

  /** Where it listens for the engine of each target. */
  get ports(): readonly number[] {
    return this.#ports.map(({ port }) => port);
  }

  status(): MoverStatus {
    const failure = this.#failure;
    return {
      sources: this.#intakes.map(({ status }) => status),
      targets: this.#feeds.map(({ status }) => status),
      ...(failure === undefined ? {} : { failure: { code: failure.code, message: failure.message } }),
    };
  }

  /**
   * Resolves when the targets have applied all that each source has written up to its offset, while no client writes. MOVER_NOT_REACHED when they have not
   * within that time; what has failed when it cannot go on.
   */
  async reach(offsets: readonly SourceOffset[], withinMs: number): Promise<void> {
    using deadline = patientSignal(withinMs, this.#ending.signal);
    const { signal } = deadline;
    try {
      await Promise.all(this.#intakes.map((intake) => intake.reach(offsetOf(offsets, intake.status.id), signal)));
      await Promise.all(this.#feeds.map((feed) => feed.applied(signal)));
    } catch (error) {
      if (signal.aborted && !this.#ending.signal.aborted)
        throw new Fault(faults.notReached, `The targets have not applied all within ${withinMs} ms.`);
      throw this.#failure ?? error;
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  close(): void {
    this.#ending.abort();
    for (const port of this.#ports) port.close();
  }

  async #run(): Promise<void> {
    try {
      await Promise.all(this.#feeds.map((feed) => feed.attached()));
      await Promise.all(this.#intakes.map((intake) => intake.run()));
    } catch (error) {
      this.#fail(error);
    }
  }

  async #beat(): Promise<void> {
    const { clock } = this.#context;
    const { signal } = this.#ending;
    while (!signal.aborted) {
      // aborted: the loop looks at the signal
      await clock.sleep(BEAT_MS, signal).catch(() => undefined);
      for (const feed of this.#feeds) feed.beat();
    }
  }

  #beginFeeds(version: number): void {
    const head = { id: randomBytes(20).toString("hex"), mark: randomBytes(20).toString("hex"), version };
    for (const feed of this.#feeds) feed.snapshot.begin(head);
  }

  /** Nothing can be made good: what a target lacks is not known. */
  #fail(error: unknown): void {
    if (this.#failure !== undefined || this.#ending.signal.aborted) return;
    this.#failure = error instanceof Fault ? error : new Fault(faults.failed, messageOf(error));
    this.#context.log.warn("slots are not passed on any more", { error });
    this.close();
  }
}

/** Waits until the snapshot of each source has begun: that of a target has the highest of their versions. */
class Heads {
  readonly #begun = Promise.withResolvers<void>();
  readonly #begin: (version: number) => void;
  #missing: number;
  #version = 0;

  constructor(sources: number, begin: (version: number) => void) {
    this.#missing = sources;
    this.#begin = begin;
  }

  add(version: number): Promise<void> {
    this.#version = Math.max(this.#version, version);
    this.#missing -= 1;
    if (this.#missing === 0) {
      this.#begin(this.#version);
      this.#begun.resolve();
    }
    return this.#begun.promise;
  }
}

/** The places of the sources of each target; its first one gives it functions too. */
function feedersOf({ sources, targets }: Begin): readonly (readonly number[])[] {
  return targets.map(({ slots }) => {
    const feeders = [...sources.keys()].filter((at) =>
      destinationsOf(sources[at]?.slots ?? [], [slots]).some((target) => target !== STAYS),
    );
    return feeders.length === 0 ? [0] : feeders;
  });
}

interface IntakeParts {
  readonly heads: Heads;
  readonly signal: AbortSignal;
}

function intakesOf(
  command: Begin,
  feeds: readonly TargetFeed[],
  { heads, signal }: IntakeParts,
): readonly SourceIntake[] {
  const feeders = feedersOf(command);
  const placesWhere = (isMeant: (sources: readonly number[]) => boolean): readonly number[] =>
    [...feeders.keys()].filter((at) => isMeant(feeders[at] ?? []));
  return command.sources.map((source, at) => {
    const fed = placesWhere((sources) => sources.includes(at));
    return new SourceIntake({
      id: source.id,
      engine: engineOf(source, command),
      destinations: destinationsOf(
        source.slots,
        command.targets.map(({ slots }) => slots),
      ),
      feeds,
      fed,
      forFunctions: placesWhere(([first]) => first === at),
      isOnly: fed.every((target) => feeders[target]?.length === 1),
      begin: (version) => heads.add(version),
      signal,
    });
  });
}

function engineOf({ primary }: MoverSource, { logins, engineCertificate }: Begin) {
  const { host, port } = primary;
  if (primary.tls !== true) return { host, port, logins };
  const tls = new EngineTls();
  if (engineCertificate !== undefined) tls.use(engineCertificate);
  return { host, port, logins, tls };
}

function offsetOf(offsets: readonly SourceOffset[], id: number): number {
  const offset = offsets.find((each) => each.id === id)?.offset;
  if (offset === undefined) throw new Fault(faults.badCommand, `No offset is said of shard ${id}.`);
  return offset;
}

const BEAT_MS = 1_000;
