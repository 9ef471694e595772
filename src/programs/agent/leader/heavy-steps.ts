import type { DatabaseStep } from "../../../core/planner/database/step.ts";

/** Moves and comparisons need processors of the nodes: with more at once, each move would hold its clients for longer. */
const MOST = 8;

/** The moves and comparisons that are under way. */
export class HeavySteps {
  #underWay = 0;

  /** Why this step cannot begin now; undefined when it can. Nobody stands in a line: a pass that waits would keep others from being made. */
  whyNotNow({ kind }: Pick<DatabaseStep, "kind">): string | undefined {
    if ((kind !== "switch-over" && kind !== "verify") || this.#underWay < MOST) return undefined;
    const what = kind === "verify" ? "the comparison of a replica" : "the move of the primary";
    return `${what} waits for its turn: ${MOST} other databases move or compare, as many as may at once`;
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
