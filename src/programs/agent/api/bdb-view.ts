import { clusterNames } from "../../../core/api/names.ts";
import type { DatabaseRecord, InstanceRecord, ShardRecord } from "../../../core/api/records.ts";
import { wireOf } from "../../../core/api/settings/values.ts";
import type { BdbRecord, ShardInstanceRecord } from "../../../ports/management/records.ts";
import { IN_SYNC_BYTES } from "../../../core/planner/database/facts.ts";
import { displayVersion, engineText, isStandIn } from "../../../core/releases/engines/engines.ts";
import type { EngineIdentity } from "../../../core/releases/engines/engines.ts";
import { semanticVersion } from "./modules.ts";
import { replicationProgress } from "../observation/instance-facts.ts";
import type { EngineAnswers } from "../observation/engine-answers.ts";

/** What a database is shown with. */
export interface BdbContext {
  readonly answers: EngineAnswers;
  readonly addressOf: (node: number) => string | undefined;
  /** Addresses of the nodes that accept clients. */
  readonly endpoints: readonly string[];
  readonly namespace: string;
}

/** A database as `GET /v1/bdbs` shows it: the desired state is from the record, the actual one from the engines. */
export function bdbView(record: DatabaseRecord, context: BdbContext): BdbRecord {
  const engine = servingEngine(record, context.answers);
  return {
    uid: record.uid,
    name: record.name,
    type: "redis",
    status: record.status,
    version: engine?.version ?? "",
    version_display: engine === undefined ? record.storeVersion : displayVersion(record.storeVersion, engine),
    ...(engine === undefined ? {} : { stand_in: isStandIn(record.storeVersion, engine) }),
    redis_version: record.storeVersion,
    ...wireOf(record),
    port: record.port,
    shards_count: record.shards.length,
    shard_list: record.shards.flatMap((shard) => shard.instances.map((one) => instanceView(shard, one, context))),
    epoch: record.shards.reduce((sum, { epoch }) => sum + epoch, 0),
    endpoints: [
      {
        uid: `${record.uid}:1`,
        dns_name: clusterNames.databaseHost(record.name, context.namespace),
        port: record.port,
        addr: context.endpoints,
      },
    ],
    module_list: modulesOf(record, context.answers),
    waiting_for: record.upgrade?.waitingFor || (record.waitingFor ?? ""),
    loss_reports: record.lossReports,
    action_uid: record.lastAction?.uid ?? "",
    created_time: record.createdTime,
    last_changed_time: record.lastChangedTime,
  };
}

function servingEngine(record: DatabaseRecord, answers: EngineAnswers): EngineIdentity | undefined {
  const answer = answers.get(record.shards[0]?.primary ?? -1);
  return answer?.state === "serving" ? answer.engine : undefined;
}

function modulesOf(record: DatabaseRecord, answers: EngineAnswers): BdbRecord["module_list"] {
  const answer = answers.get(record.shards[0]?.primary ?? -1);
  const modules = answer?.state === "serving" ? answer.modules : [];
  return modules.map((module) => ({ module_name: module.name, semantic_version: semanticVersion(module) }));
}

function instanceView(shard: ShardRecord, instance: InstanceRecord, context: BdbContext): ShardInstanceRecord {
  const answer = context.answers.get(instance.id);
  const { offset, lagBytes, streaming } = replicationProgress(shard, instance, context.answers, context.addressOf);
  const isPrimary = instance.id === shard.primary;
  return {
    uid: instance.id,
    node_uid: instance.node,
    role: isPrimary ? "primary" : "replica",
    status: statusOf(answer?.state, streaming),
    port: instance.port,
    redis_version: instance.storeVersion,
    engine: answer?.state === "serving" ? engineText(answer.engine) : "",
    offset: Math.max(0, offset),
    lag_bytes: lagBytes,
    in_sync: streaming && lagBytes >= 0 && lagBytes <= IN_SYNC_BYTES,
  };
}

function statusOf(state: string | undefined, streaming: boolean): ShardInstanceRecord["status"] {
  if (state === "serving") return streaming ? "active" : "syncing";
  return state === "loading" ? "starting" : "down";
}
