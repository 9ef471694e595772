import { assertNever } from "../../../core/base/assert-never.ts";
import { Fault } from "../../../core/base/fault.ts";
import type { DatabaseRecord } from "../../../core/api/records.ts";
import { decideDatabase } from "../../../core/planner/database/decide.ts";
import type { DatabaseStep } from "../../../core/planner/database/step.ts";
import { targetVersion, wantedInstances } from "../../../core/planner/database/facts.ts";
import type { DatabaseFacts } from "../../../core/planner/database/facts.ts";
import { settled, waiting } from "../../../mechanisms/reconcile/outcome.ts";
import type { Outcome } from "../../../mechanisms/reconcile/outcome.ts";
import type { ClusterView } from "../records/cluster-view.ts";
import { gatherFacts } from "./facts.ts";
import type { LastSeen, Moves } from "./moves.ts";
import {
  substance,
  withActive,
  withProgress,
  withReason,
  withRelaunch,
  withReplica,
  withUpgradeFinished,
  withoutReplica,
} from "../records/changes.ts";
import { removalPass } from "./removal.ts";
import { Verified } from "./verified.ts";

/** After an act the next look comes at once; while something moves by itself soon. */
const PAUSE_MS = { acted: 1, waiting: 100, failed: 300 } as const;
/** At rest a database is looked at each second; with many, a hundred of them a second. Changes are seen at once anyway. */
const REST_MS = { least: 1_000, each: 10 } as const;
/** A reason that changes all the time is written at most this often. */
const REASON_EVERY_MS = 1_000;

/** Passes over databases for one term of leadership. */
export class DatabaseLeader {
  readonly #view: ClusterView;
  readonly #moves: Moves;
  readonly #verified = new Verified();
  readonly #lastSeen = new Map<string, LastSeen>();
  readonly #reasonAt = new Map<number, number>();

  constructor(view: ClusterView, moves: Moves) {
    this.#view = view;
    this.#moves = moves;
  }

  /** Observes, decides, acts at most once, reports. */
  async pass(uid: number, signal: AbortSignal): Promise<Outcome> {
    const record = this.#view.records.database(uid);
    if (record === undefined) return settled;
    if (record.status === "delete-pending") return removalPass(this.#view, record);
    const facts = await gatherFacts(this.#view, record, this.#verified.of(record));
    this.#remember(facts);
    const step = decideDatabase(facts);
    try {
      return await this.#act(facts, step);
    } catch (error) {
      if (!(error instanceof Fault) || signal.aborted) throw error;
      this.#view.log.warn("a step of a database failed and is tried again", { bdb: uid, step, error });
      await this.#say(record, error.message);
      return waiting(PAUSE_MS.failed, step.kind, error.message);
    }
  }

  /** What a failover later needs to tell what may be missing. */
  #remember({ record, instances }: DatabaseFacts): void {
    const at = this.#view.clock.now().getTime();
    for (const { id, primary } of record.shards) {
      const seen = instances.get(primary);
      if (seen?.state === "serving") this.#lastSeen.set(`${record.uid}/${id}`, { offset: seen.offset, at });
    }
  }

  async #act(facts: DatabaseFacts, step: DatabaseStep): Promise<Outcome> {
    const { record } = facts;
    if (step.kind === "rest") {
      await this.#say(record, "");
      const all = this.#view.records.databases().length;
      return waiting(Math.max(REST_MS.least, all * REST_MS.each), "Rest", "");
    }
    if (step.kind === "wait") {
      await this.#say(record, step.reason);
      return waiting(record.status === "active" ? 2 * PAUSE_MS.waiting : PAUSE_MS.waiting, "Wait", step.reason);
    }
    this.#view.log.info("step of a database", { bdb: record.uid, step });
    await this.#perform(facts, step);
    await this.#say(record, ""); // what was waited for before no longer is
    return waiting(PAUSE_MS.acted, step.kind, "");
  }

  async #perform(
    { record, instances }: DatabaseFacts,
    step: Exclude<DatabaseStep, { kind: "rest" | "wait" }>,
  ): Promise<void> {
    const now = this.#view.clock.now().toISOString();
    switch (step.kind) {
      case "resume-switchover":
        return this.#moves.resumeSwitchover(record, step.shard);
      case "switch-over":
        return this.#moves.switchOver(record, step.shard, step.to);
      case "fail-over":
        return this.#moves.failOver(record, step.shard, step.to, this.#lastSeen.get(`${record.uid}/${step.shard}`));
      case "reattach":
        return this.#moves.reattach(record, step.shard, step.replica);
      case "verify":
        await this.#moves.verify(record, step.shard, step.replica);
        this.#verified.add(record, step.replica);
        return;
      case "relaunch": {
        const end = instances.get(step.instance);
        return this.#change(record, (old) => withRelaunch(old, step.shard, step.instance, end, now));
      }
      case "add-replica":
        return this.#change(record, (old) => withReplica(old, step.shard, placedOf(step)));
      case "retire":
        return this.#change(record, (old) => withoutReplica(old, step.shard, step.instance));
      case "finish-upgrade":
        return this.#change(record, (old) => withUpgradeFinished(old, now));
      case "activate":
        return this.#change(record, (old) => withActive(old, now));
      default:
        return assertNever(step);
    }
  }

  /** Writes only what was decided on: when somebody changed the record meanwhile, the next pass decides anew. */
  async #change(decidedOn: DatabaseRecord, change: (old: DatabaseRecord) => DatabaseRecord): Promise<void> {
    const before = substance(decidedOn);
    await this.#view.records.changeDatabase(decidedOn.uid, (old) => {
      if (substance(old) !== before) return old;
      const next = withReason(change(old), "");
      return withProgress(next, progressOf(next));
    });
  }

  async #say(record: DatabaseRecord, reason: string): Promise<void> {
    const said = record.upgrade?.waitingFor ?? record.waitingFor ?? "";
    const now = this.#view.clock.now().getTime();
    if (said === reason || (reason !== "" && now - (this.#reasonAt.get(record.uid) ?? 0) < REASON_EVERY_MS)) return;
    this.#reasonAt.set(record.uid, now);
    await this.#view.records.changeDatabase(record.uid, (old) => withReason(old, reason));
  }
}

function placedOf(step: Extract<DatabaseStep, { kind: "add-replica" }>) {
  return { node: step.node, port: step.port, storeVersion: step.storeVersion };
}

/** How far an upgrade is, 0 to 99: half for the new instances, the rest for the new primary and the old ones gone. */
function progressOf(record: DatabaseRecord): number {
  if (record.upgrade === undefined) return 0;
  const target = targetVersion(record);
  const all = record.shards.flatMap(({ instances }) => instances);
  const fresh = all.filter(({ storeVersion }) => storeVersion === target).length;
  const taken = record.shards.filter(({ primary, instances }) =>
    instances.some(({ id, storeVersion }) => id === primary && storeVersion === target),
  ).length;
  const wanted = record.shards.length * wantedInstances(record);
  return Math.min(99, Math.round((50 * Math.min(fresh, wanted)) / wanted + (40 * taken) / record.shards.length));
}
