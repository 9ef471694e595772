import type { Rest } from "../../../core/planner/findings/step.ts";
import type { LeaderProposal } from "../../../core/planner/database/step.ts";

/** Moves and comparisons need processors of the nodes: with more at once, each move would hold its clients for longer. */
const MOST = 8;

/** Why a step does not begin yet, and for how long it has waited. */
export interface WaitForTurn {
  readonly reason: string;
  readonly ms: number;
}

/**
 * The moves and comparisons that are under way, and the databases that wait for a turn. A database that waits takes no pass of the leader, which
 * has other passes to make, for instance for a failover.
 */
export class HeavySteps {
  readonly #turnCame: (database: number) => void;
  #underWay = 0;
  /** Since when each database waits; the first to come is first. */
  readonly #waiting = new Map<number, number>();

  /** `turnCame` is called with the database that has waited for longest when another one is done. */
  constructor(turnCame: (database: number) => void) {
    this.#turnCame = turnCame;
  }

  /** Undefined when this step of this database may begin now. */
  waitFor(database: number, { kind }: Pick<LeaderProposal | Rest, "kind">, nowMs: number): WaitForTurn | undefined {
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

  /** A database that is gone waits for no turn. */
  forget(database: number): void {
    this.#waiting.delete(database);
  }

  /** Counts `act` while it goes on. */
  async run(act: () => Promise<void>): Promise<void> {
    this.#underWay++;
    try {
      await act();
    } finally {
      this.#underWay--;
      const [next] = this.#waiting.keys();
      if (next !== undefined) {
        // the database may not need its turn any more, and must not keep the others from theirs
        this.#waiting.delete(next);
        this.#turnCame(next);
      }
    }
  }
}
