import type { DatabaseStep } from "../../../core/planner/database/step.ts";

/** Moves and comparisons need processors of the nodes: with more at once, each move would hold its clients for longer. */
const MOST = 8;

/** Why a step does not begin yet, and for how long it has waited. */
export interface WaitForTurn {
  readonly reason: string;
  readonly ms: number;
}

/** The moves and comparisons that are under way, and the databases that wait for a turn. */
export class HeavySteps {
  #underWay = 0;
  /** Since when, by database. */
  readonly #waiting = new Map<number, number>();

  /** Undefined when this step of this database may begin now. Nobody stands in a line: a pass that waits would keep others from being made. */
  waitFor(database: number, { kind }: Pick<DatabaseStep, "kind">, nowMs: number): WaitForTurn | undefined {
    if ((kind !== "switch-over" && kind !== "verify") || this.#underWay < MOST) {
      this.#waiting.delete(database);
      return undefined;
    }
    const since = this.#waiting.get(database) ?? nowMs;
    this.#waiting.set(database, since);
    const what = kind === "verify" ? "the comparison of a replica" : "the move of the primary";
    const reason = `${what} waits for its turn: ${MOST} other databases move or compare, as many as may at once`;
    return { reason, ms: nowMs - since };
  }

  /** Counts `act` while it goes on. */
  async run(act: () => Promise<void>): Promise<void> {
    this.#underWay++;
    try {
      await act();
    } finally {
      this.#underWay--;
    }
  }
}
