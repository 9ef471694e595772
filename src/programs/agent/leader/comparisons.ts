import type { DatabaseRecord } from "../../../core/api/records.ts";
import type { LeaderAct, LeaderProposal } from "../../../core/planner/database/step.ts";
import type { Rest } from "../../../core/planner/findings/step.ts";
import { Background, type BackgroundState } from "#kit/reconcile/background";
import { comparisonOf } from "./verified.ts";

type Verify = Extract<LeaderAct, { readonly kind: "verify" }>;

/** The comparisons of replicas with their primaries that go on beside the passes of a leader, at most one for each shard. */
export class Comparisons {
  readonly #background: Background<void>;

  /** `enqueue`: a pass over the database is due; all comparisons end when `signal` aborts. */
  constructor(enqueue: (uid: number) => void, signal: AbortSignal) {
    this.#background = new Background((key) => {
      enqueue(Number(key.split("/")[0]));
    }, signal);
  }

  /** Replicas whose comparison with their present primary goes on, or has ended without its result being read. */
  replicasOf(record: DatabaseRecord): ReadonlySet<number> {
    const compared = record.shards.flatMap(({ id, instances }) => {
      const subject = this.#background.subjectOf(keyOf(record, id));
      return subject === undefined ? [] : instances.filter((one) => comparisonOf(record, one.id) === subject);
    });
    return new Set(compared.map(({ id }) => id));
  }

  /** Begins the comparison unless it goes on, and says how far it is. */
  follow(record: DatabaseRecord, step: Verify, act: (signal: AbortSignal) => Promise<void>): BackgroundState<void> {
    return this.#background.follow(keyOf(record, step.shard), comparisonOf(record, step.replica), act);
  }

  /**
   * Ends the comparisons that the step makes needless. A comparison goes on while its shard waits, as a rule for the replica to catch up again,
   * and while the leader acts for another shard.
   */
  endFor(record: DatabaseRecord, step: LeaderProposal | Rest): void {
    if (step.kind === "verify" || step.kind === "wait") return;
    const shards = "shard" in step ? [step.shard] : record.shards.map(({ id }) => id);
    for (const shard of shards) this.#background.end(keyOf(record, shard));
  }

  /** Ends the comparisons of a database that is gone, or is being deleted. */
  endAll(database: number): void {
    this.#background.endWhere((key) => key.startsWith(`${database}/`));
  }
}

function keyOf({ uid }: Pick<DatabaseRecord, "uid">, shard: number): string {
  return `${uid}/${shard}`;
}
