import type { Fault } from "#kit/base/fault";
import type { StepOfShard } from "../../../core/planner/database/facts.ts";
import { faults } from "../faults.ts";

/** In milliseconds. */
const PAUSE_MS = 300;
/** The same after a fault of these codes: what was waited for comes by itself, or the next reading of the record says what is to be done. */
const PAUSE_OF_FAULT_MS: ReadonlyMap<string, number> = new Map([
  [faults.notFenced.code, 100],
  [faults.recordMoved.code, 20],
]);

/**
 * The steps of one database that have failed a moment ago. A step may write the record and fail, and what it wrote is taken back at once: both
 * changes ask for another pass. So the pause belongs to the step that failed, and is kept whatever was done or changed meanwhile.
 */
export class FailedSteps {
  /** Until when each is not begun again, in milliseconds of the uptime. */
  readonly #pauses = new Map<string, { readonly step: StepOfShard; readonly until: number }>();

  /** The step has failed; answers for how long it is not begun again. */
  note({ kind, shard }: StepOfShard, { code }: Pick<Fault, "code">, nowMs: number): number {
    const pauseMs = PAUSE_OF_FAULT_MS.get(code) ?? PAUSE_MS;
    const step = shard === undefined ? { kind } : { kind, shard };
    this.#pauses.set(keyOf(step), { step, until: nowMs + pauseMs });
    return pauseMs;
  }

  /** For how long neither the step nor any other that pauses is begun again; 0 when the step may begin. */
  waitMs(step: StepOfShard, nowMs: number): number {
    this.#forgetPast(nowMs);
    if (!this.#pauses.has(keyOf(step))) return 0;
    return Math.min(...[...this.#pauses.values()].map(({ until }) => until)) - nowMs;
  }

  /** Those that pause: other shards have their turn first. */
  pausing(nowMs: number): readonly StepOfShard[] {
    this.#forgetPast(nowMs);
    return [...this.#pauses.values()].map(({ step }) => step);
  }

  #forgetPast(nowMs: number): void {
    for (const [key, { until }] of this.#pauses) if (until <= nowMs) this.#pauses.delete(key);
  }
}

function keyOf({ kind, shard }: StepOfShard): string {
  return `${kind}/${shard ?? ""}`;
}
