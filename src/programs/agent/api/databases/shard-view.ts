import type { DatabaseRecord, InstanceRecord, ShardRecord } from "../../../../core/api/records.ts";
import { shardUid } from "../../../../core/api/shard-uid.ts";
import { IN_SYNC_BYTES, type NodeFacts } from "../../../../core/planner/database/facts.ts";
import { successorsOf } from "../../../../core/planner/database/in-sync.ts";
import { slotsOf, slotsText } from "../../../../core/slots/shard-slots.ts";
import { engineText } from "../../../../core/releases/engines/engines.ts";
import type { LocalInstance, ShardInstanceRecord } from "../../../../ports/management/records.ts";
import type { EngineAnswers } from "../../observation/engine-answers.ts";
import type { EngineAnswer } from "../../observation/engine-watch.ts";
import { replicationProgress } from "../../observation/instance-facts.ts";

/** What shards are shown with. */
interface ShardContext {
  readonly answers: EngineAnswers;
  readonly addressOf: (node: number) => string | undefined;
  readonly nodes: readonly Pick<NodeFacts, "uid" | "keepsInSync">[];
  /** What agents report of engines that do not serve, or not for long, by id. */
  readonly reports: ReadonlyMap<number, LocalInstance>;
}

/** The shards of a database as `GET /v1/shards` shows them, one for each of its engine processes. */
export function shardViews(record: DatabaseRecord, context: ShardContext): readonly ShardInstanceRecord[] {
  return record.shards.flatMap((shard) => {
    const successors = successorsOf(shard, context.nodes, record.durability);
    return shard.instances.map((instance) => {
      const view = shardView(record.uid, shard, instance, context);
      // what could not succeed the primary now is not in sync, however close it is
      const maySucceed = instance.id === shard.primary || (successors?.includes(instance.id) ?? true);
      return { ...view, in_sync: view.in_sync && maySucceed };
    });
  });
}

function shardView(
  bdb: number,
  shard: ShardRecord,
  instance: InstanceRecord,
  { answers, addressOf, reports }: ShardContext,
): ShardInstanceRecord {
  const answer = answers.get(instance.id);
  const { offset, lagBytes, streaming } = replicationProgress(shard, instance, answers, addressOf);
  const serves = answer?.state === "serving";
  return {
    uid: String(shardUid(bdb, instance.id)),
    bdb_uid: bdb,
    node_uid: String(instance.node),
    role: instance.id === shard.primary ? "master" : "slave",
    ...statusOf(answer?.state),
    sync: { status: serves && !streaming ? "link_down" : "idle" },
    shard: shard.id,
    epoch: shard.epoch,
    assigned_slots: slotsText(slotsOf(shard)),
    port: instance.port,
    ...(instance.tls === undefined ? {} : { tls: instance.tls }),
    redis_version: instance.storeVersion,
    engine: serves ? engineText(answer.engine) : "",
    offset: Math.max(0, offset),
    lag_bytes: lagBytes,
    ...failureOf(reports.get(instance.id), serves),
    in_sync: streaming && lagBytes >= 0 && lagBytes <= IN_SYNC_BYTES,
  };
}

type Failures = Pick<ShardInstanceRecord, "failed_starts" | "last_words" | "crashes" | "ended_by">;

function statusOf(state: EngineAnswer["state"] | undefined) {
  if (state === "serving") return { status: "active", detailed_status: "ok", loading: { status: "idle" } } as const;
  const loads = state === "loading";
  return {
    status: "inactive",
    detailed_status: loads ? "loading" : "down",
    loading: { status: loads ? "in_progress" : "idle" },
  } as const;
}

/** The failed starts of an engine; one that serves has had none since, but may have crashed. */
function failureOf(report: LocalInstance | undefined, serves: boolean): Failures {
  const { failed_starts = 0, last_words = "", crashes = 0, ended_by = "" } = report ?? {};
  const starts = serves || failed_starts === 0 ? {} : { failed_starts };
  const ends = crashes === 0 ? {} : { crashes, ended_by };
  const failures = { ...starts, ...ends };
  return Object.keys(failures).length === 0 ? {} : { ...failures, last_words };
}
