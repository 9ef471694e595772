import { assertNever } from "#kit/base/assert-never";
import { Fault } from "#kit/base/fault";
import type { Finding } from "../../../core/api/parts.ts";
import type { DatabaseRecord } from "../../../core/api/records.ts";
import { decideDatabase } from "../../../core/planner/database/decide.ts";
import type { LeaderAct } from "../../../core/planner/database/step.ts";
import { findingBehind, type Step } from "../../../core/planner/findings/step.ts";
import {
  type DatabaseFacts,
  type StepOfShard,
  desiredInstances,
  isAsAsked,
  nameShardIn,
  primaryOf,
} from "../../../core/planner/database/facts.ts";
import { AT_REST, lookAgain, type Outcome } from "#kit/reconcile/outcome";
import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import { type DatabaseFactsContext, gatherFacts } from "../observation/database-facts.ts";
import type { Records } from "../records/records.ts";
import { DatabaseNotes } from "./database-notes.ts";
import type { ShardOperations } from "./shard-operations.ts";
import { substance, withProgress, withWaitReason } from "../../../core/records/changes.ts";
import { ObstructedMove } from "../switchover/obstructed-move.ts";
import { nextTurnMs, withFailed } from "../../../core/planner/database/turn.ts";
import { Comparisons } from "./comparisons.ts";
import { recordStep } from "../../../core/records/record-step.ts";
import { HeavySteps } from "./heavy-steps.ts";
import { makeInternalPassword } from "./internal-password.ts";
import { endOverlap, type OverlapContext } from "./overlap.ts";
import { reconcileRemoval, type RemovalContext } from "./removal.ts";
import { rotateEnginePassword } from "./rotate-engine-password.ts";

/** Until the next pass, in milliseconds: at once after an act, soon while something changes without the leader. */
const PAUSE_MS = { acted: 1, waiting: 100 } as const;
/** At rest a database is reconciled each second; of many databases, a hundred a second. Changes start a pass at once. */
const REST_MS = { least: 1_000, each: 10 } as const;
/**
 * How often a reason that changes all the time is written at most, and after what time the record says that a step waits for its turn, in
 * milliseconds.
 */
const REASON_EVERY_MS = 1_000;

/** What reconciling databases works on. */
export type DatabaseReconcilerContext = DatabaseFactsContext &
  RemovalContext &
  OverlapContext & {
    readonly records: Pick<Records, "database" | "databases" | "changeDatabase">;
    readonly clock: Clock;
    readonly log: Log;
  };

/** Reconciles databases for one leader term. */
export class DatabaseReconciler {
  readonly #context: DatabaseReconcilerContext;
  readonly #operations: ShardOperations;
  readonly #notes = new DatabaseNotes();
  readonly #heavy: HeavySteps;
  readonly #comparisons: Comparisons;

  /** `enqueue`: a pass over this database is due; `signal` aborts when the term ends. */
  constructor(
    context: DatabaseReconcilerContext,
    operations: ShardOperations,
    enqueue: (uid: number) => void,
    signal: AbortSignal,
  ) {
    this.#context = context;
    this.#operations = operations;
    this.#heavy = new HeavySteps(enqueue);
    this.#comparisons = new Comparisons(enqueue, signal);
  }

  /** Observes, decides, does one act at most, reports. */
  async reconcile(uid: number, signal: AbortSignal): Promise<Outcome> {
    const record = this.#context.records.database(uid);
    if (record === undefined || record.status === "delete-pending") this.#forget(uid);
    if (record === undefined) return AT_REST;
    if (record.status === "delete-pending") return reconcileRemoval(this.#context, record);
    const facts = this.#withTurns(await gatherFacts(this.#context, record, this.#notes.verified.of(record)));
    this.#remember(facts);
    const decided = decideDatabase(facts);
    const step = decided.kind === "act" ? decided.act : decided;
    this.#comparisons.endFor(record, step);
    const pauseMs = this.#notes.of(uid).failedSteps.waitMs(step, this.#context.clock.uptimeMs());
    if (pauseMs > 0) return lookAgain(pauseMs);
    this.#notes.of(uid).failed = undefined;
    try {
      return await this.#act(facts, decided);
    } catch (error) {
      if (!(error instanceof Fault) || signal.aborted) throw error;
      return this.#retryLater(facts, step, error);
    }
  }

  /** Reports a step that failed, and pauses it; when it was of a shard, the others have their turn first. */
  async #retryLater({ record, failed }: DatabaseFacts, step: StepOfShard, error: Fault): Promise<Outcome> {
    const { shard } = step;
    const note = this.#notes.of(record.uid);
    if (shard !== undefined) note.failed = withFailed(failed, shard);
    const pauseMs = note.failedSteps.note(step, error, this.#context.clock.uptimeMs());
    const dueMs = shard === undefined || record.shards.length === 1 ? pauseMs : nextTurnMs(failed, shard, pauseMs);
    const reason = shard === undefined ? error.message : nameShardIn(record, shard, error.message);
    this.#context.log.warn("a database step failed and is tried again", { bdb: record.uid, step, error });
    await this.#report(record, reason, error instanceof ObstructedMove ? error.obstacle : undefined);
    return lookAgain(dueMs);
  }

  /** Forgets what is kept of a database that is gone, or is being deleted. */
  #forget(uid: number): void {
    this.#comparisons.endAll(uid);
    this.#notes.forget(uid);
    this.#heavy.forget(uid);
    this.#operations.forget(uid);
  }

  /** Adds to the facts what decides which shard of the database has its turn. */
  #withTurns(facts: DatabaseFacts): DatabaseFacts {
    const { failed, failedSteps } = this.#notes.of(facts.record.uid);
    const pausing = failedSteps.pausing(this.#context.clock.uptimeMs());
    const comparing = this.#comparisons.replicasOf(facts.record);
    return { ...facts, comparing, pausing, ...(failed === undefined ? {} : { failed }) };
  }

  /** Notes what a later failover reports as lost. */
  #remember({ record, instances }: DatabaseFacts): void {
    const at = this.#context.clock.uptimeMs();
    const { lastSeen } = this.#notes.of(record.uid);
    for (const { id, primary } of record.shards) {
      const seen = instances.get(primary);
      if (seen?.state === "serving") lastSeen.set(id, { offset: seen.offset, at });
    }
  }

  async #act(facts: DatabaseFacts, decided: Step<LeaderAct>): Promise<Outcome> {
    const { record } = facts;
    const step = decided.kind === "act" ? decided.act : decided;
    if (step.kind === "verify" && facts.comparing?.has(step.replica) === true) return this.#compare(record, step);
    const turn = this.#heavy.waitFor(record.uid, step, this.#context.clock.uptimeMs());
    if (turn !== undefined) {
      if (turn.ms >= REASON_EVERY_MS) await this.#report(record, turn.reason);
      return lookAgain(REST_MS.least);
    }
    if (step.kind === "rest" || step.kind === "wait") return this.#pause(record, step);
    const why = decided.kind === "act" ? decided.why : "";
    this.#context.log.info("database step", { bdb: record.uid, step, why });
    if (step.kind === "verify") return this.#compare(record, step);
    await this.#perform(facts, step);
    await this.#report(record, ""); // the reason for waiting is gone
    return lookAgain(PAUSE_MS.acted);
  }

  async #pause(
    record: DatabaseRecord,
    step: Extract<Step<LeaderAct>, { readonly kind: "rest" | "wait" }>,
  ): Promise<Outcome> {
    await this.#report(record, step.kind === "wait" ? step.wait.evidence : "", findingBehind(step));
    if (step.kind === "wait") return lookAgain(record.status === "active" ? 2 * PAUSE_MS.waiting : PAUSE_MS.waiting);
    const all = this.#context.records.databases().length;
    return lookAgain(Math.max(REST_MS.least, all * REST_MS.each));
  }

  /** Begins the comparison, says that it goes on, or notes that the replica has what its primary has. */
  async #compare(record: DatabaseRecord, step: VerifyStep): Promise<Outcome> {
    const state = this.#comparisons.follow(record, step, (signal) =>
      this.#heavy.run(() => this.#operations.verify(record, step.shard, step.replica, signal)),
    );
    switch (state.kind) {
      case "under-way": {
        const reason = comparingText(record, step);
        await this.#report(record, reason);
        return lookAgain(PAUSE_MS.waiting);
      }
      case "failed":
        throw state.error;
      case "ended":
        this.#notes.verified.add(record, step.replica);
        await this.#report(record, ""); // the reason for waiting is gone
        return lookAgain(PAUSE_MS.acted);
      default:
        return assertNever(state);
    }
  }

  async #perform({ record, instances }: DatabaseFacts, step: Exclude<LeaderAct, { kind: "verify" }>): Promise<void> {
    const now = this.#context.clock.now().toISOString();
    switch (step.kind) {
      case "resume-switchover":
        return this.#operations.resumeSwitchover(record, step.shard);
      case "switch-over":
        return this.#heavy.run(() => this.#operations.switchOver(record, step.shard, step.to));
      case "fail-over":
        return this.#operations.failOver(
          record,
          step.shard,
          step.to,
          this.#notes.of(record.uid).lastSeen.get(step.shard),
        );
      case "reattach":
        return this.#operations.reattach(record, step.shard, step.replica);
      case "switch-table":
        return this.#heavy.run(() => this.#operations.switchTable(record));
      case "resume-table":
        return this.#operations.resumeTable(record);
      case "end-script":
        return this.#operations.endScript(record, step.shard);
      case "end-overlap":
        return endOverlap(this.#context, record);
      case "make-internal-password":
        return makeInternalPassword(this.#context, record);
      case "rotate-engine-password":
        return rotateEnginePassword(this.#context, record, step);
      default:
        return this.#change(record, recordStep(step, instances, now));
    }
  }

  /** Changes only the record that was decided on: when it has changed meanwhile, the next pass decides anew. */
  async #change(decidedOn: DatabaseRecord, change: (old: DatabaseRecord) => DatabaseRecord): Promise<void> {
    const before = substance(decidedOn);
    await this.#context.records.changeDatabase(decidedOn.uid, (old) => {
      if (substance(old) !== before) return old;
      const next = withWaitReason(change(old), "");
      return withProgress(next, progressOf(next));
    });
  }

  async #report(record: DatabaseRecord, reason: string, obstacle?: Finding): Promise<void> {
    const reported = record.upgrade?.waitingFor ?? record.waitingFor ?? "";
    const now = this.#context.clock.uptimeMs();
    const note = this.#notes.of(record.uid);
    if (reported === reason || (reason !== "" && now - (note.reasonAt ?? Number.NEGATIVE_INFINITY) < REASON_EVERY_MS))
      return;
    note.reasonAt = now;
    await this.#context.records.changeDatabase(record.uid, (old) => withWaitReason(old, reason, obstacle));
  }
}

type VerifyStep = Extract<LeaderAct, { kind: "verify" }>;

function comparingText(record: DatabaseRecord, { shard, replica }: VerifyStep): string {
  const compared = record.shards.flatMap(({ instances }) => instances).find(({ id }) => id === replica);
  const sentence = `the content of the ${compared?.storeVersion ?? ""} replica on node ${compared?.node ?? ""} is being compared with that of its primary`;
  return nameShardIn(record, shard, sentence);
}

/** How far a move to other engines is, 0 to 99: half for the new instances, the rest for the new primary and the old ones gone. */
function progressOf(record: DatabaseRecord): number {
  const all = record.shards.flatMap(({ instances }) => instances);
  const fresh = all.filter((instance) => isAsAsked(record, instance)).length;
  if (record.upgrade === undefined && fresh === all.length) return 0;
  const moved = record.shards.filter((shard) => isAsAsked(record, primaryOf(shard))).length;
  const wanted = record.shards.length * desiredInstances(record);
  return Math.min(99, Math.round((50 * Math.min(fresh, wanted)) / wanted + (40 * moved) / record.shards.length));
}
