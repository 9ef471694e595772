import type { Fault } from "#kit/base/fault";
import { faults } from "../faults.ts";

/** In milliseconds. */
const PAUSE_MS = 300;
/** The same after a fault of these codes: what was waited for comes by itself, or the record says by now what is to be done. */
const PAUSE_OF_FAULT_MS: ReadonlyMap<string, number> = new Map([
  [faults.notFenced.code, 100],
  [faults.recordMoved.code, 0],
]);

/** What tells one step of a database from another; a step without a shard is of the database. */
interface StepOfShard {
  readonly kind: string;
  readonly shard?: number;
}

/**
 * The steps of one database that have failed a moment ago. A step may write the record and fail, and what it wrote is taken back at once: both
 * changes ask for another pass. So the pause belongs to the step that failed, and is kept whatever was done or changed meanwhile.
 */
export class FailedSteps {
  /** Until when each is not begun again, in milliseconds of the uptime. */
  readonly #until = new Map<string, number>();

  /** The step has failed; answers for how long it is not begun again. */
  note({ kind, shard }: StepOfShard, { code }: Pick<Fault, "code">, nowMs: number): number {
    const pauseMs = PAUSE_OF_FAULT_MS.get(code) ?? PAUSE_MS;
    this.#until.set(`${kind}/${shard ?? ""}`, nowMs + pauseMs);
    return pauseMs;
  }

  /** For how long the step is not begun again; 0 when it may begin. */
  waitMs({ kind, shard }: StepOfShard, nowMs: number): number {
    this.#forgetPast(nowMs);
    return (this.#until.get(`${kind}/${shard ?? ""}`) ?? nowMs) - nowMs;
  }

  /** The shards of which a step pauses: others have their turn first. */
  shards(nowMs: number): ReadonlySet<number> {
    this.#forgetPast(nowMs);
    const named = [...this.#until.keys()].map((key) => key.slice(key.indexOf("/") + 1));
    return new Set(named.filter((shard) => shard !== "").map(Number));
  }

  #forgetPast(nowMs: number): void {
    for (const [key, until] of this.#until) if (until <= nowMs) this.#until.delete(key);
  }
}
