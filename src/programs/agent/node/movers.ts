import { Fault } from "#kit/base/fault";
import type { FaultSpec } from "#kit/base/fault";
import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import type { MoverCommand, MoverQuestion, MoverReply } from "../../../ports/management/mover-control.ts";
import { faults } from "../faults.ts";
import { runChildOnce, type ChildRunningOnce } from "./kept-child.ts";

export interface NodeMoversOptions {
  /** Arguments for this Node.js: the program that runs a mover. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly log: Log;
}

type Begin = Extract<MoverCommand, { readonly op: "begin" }>;

/** The mover of a database that a record asks this node for. */
export interface WantedMover {
  readonly bdb: number;
  readonly attempt: number;
  /** What it begins with. `later`: something for it is not known yet. `no more`: it goes on if it has begun, and no other one follows. */
  readonly begin: Begin | "later" | "no more";
}

/**
 * The movers of this node, one process for each database whose shards move. That of an attempt begins once: engines that had all would lose it to
 * the copy of a second one.
 */
export class NodeMovers {
  readonly #options: NodeMoversOptions;
  /** By database: those that records ask for. */
  readonly #movers = new Map<number, Mover>();

  constructor(options: NodeMoversOptions) {
    this.#options = options;
  }

  /** Brings the node to exactly these: one that is not among them, or of another attempt, is ended first. Idempotent. */
  async apply(wanted: readonly WantedMover[]): Promise<void> {
    const isWanted = (bdb: number, { attempt }: Mover): boolean =>
      wanted.some((one) => one.bdb === bdb && one.attempt === attempt);
    for (const [bdb, mover] of this.#movers) {
      if (isWanted(bdb, mover)) continue;
      await mover.stop();
      this.#movers.delete(bdb);
    }
    for (const { bdb, attempt, begin } of wanted) {
      const mover = this.#movers.get(bdb) ?? new Mover(attempt);
      this.#movers.set(bdb, mover);
      mover.follow(begin, this.#options);
    }
  }

  /** What the mover answers; AGENT_MOVER_AWAITED before it has begun, AGENT_MOVER_GONE when it has ended. Never rejects. */
  async ask({ bdb, attempt, question }: MoverQuestion): Promise<MoverReply> {
    const mover = this.#movers.get(bdb);
    if (mover?.attempt === attempt) return mover.ask(question);
    const isPast = mover !== undefined && mover.attempt > attempt;
    return refusal(isPast ? faults.moverGone : faults.moverAwaited, `no mover of attempt ${attempt} is here`);
  }

  /** Ends all. */
  async stop(): Promise<void> {
    await this.apply([]);
  }
}

/** One attempt to copy, with its process. */
class Mover {
  readonly attempt: number;
  #child: ChildRunningOnce<MoverCommand, MoverReply> | undefined;
  /** Resolves when the process has taken the command to begin, or has ended. */
  #begun: Promise<unknown> | undefined;
  #mayBegin = true;

  constructor(attempt: number) {
    this.attempt = attempt;
  }

  /** Begins at the first command in its life. */
  follow(begin: WantedMover["begin"], options: NodeMoversOptions): void {
    if (begin === "no more") this.#mayBegin = false;
    if (typeof begin === "string" || !this.#mayBegin) return;
    this.#mayBegin = false;
    const log = options.log.with({ bdb: begin.bdb, attempt: this.attempt });
    const ready = Promise.withResolvers<undefined>();
    const child = runChildOnce<MoverCommand, MoverReply>({
      ...options,
      log,
      what: "mover",
      gone: faults.moverGone,
      onReady: () => {
        ready.resolve(undefined);
      },
    });
    this.#child = child;
    this.#begun = Promise.race([ready.promise, child.ended]).then(async () => {
      log.info("a mover begins", { answer: await answerOf(child, begin) });
    });
  }

  async ask(question: MoverQuestion["question"]): Promise<MoverReply> {
    await this.#begun;
    if (this.#child !== undefined) return answerOf(this.#child, question);
    return this.#mayBegin
      ? refusal(faults.moverAwaited, "what the mover needs is not known here yet")
      : refusal(faults.moverGone, "the mover has ended with the agent that had started it");
  }

  async stop(): Promise<void> {
    await this.#child?.stop();
  }
}

async function answerOf(child: ChildRunningOnce<MoverCommand, MoverReply>, command: MoverCommand): Promise<MoverReply> {
  try {
    return await child.send(command);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return refusal(faults.moverGone, error.message);
  }
}

function refusal({ code }: FaultSpec, message: string): MoverReply {
  return { ok: false, code, message };
}
