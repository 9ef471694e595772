import { askedShards } from "../../../../core/api/every-shard.ts";
import { hasAskedTable } from "../../../../core/planner/database/replaced-shards.ts";
import { shardNames, slotTexts } from "../../../../core/slots/named-slots.ts";
import { semanticVersion } from "../../../../ports/resp/loaded-modules.ts";
import { clusterNames } from "../../../../core/api/names.ts";
import type { DatabaseRecord, ShardRecord } from "../../../../core/api/records.ts";
import { wireOf } from "../../../../core/api/settings/values.ts";
import { shardUid } from "../../../../core/api/shard-uid.ts";
import { endpointNodes, type EndpointNode } from "../../../../core/planner/database/endpoint-nodes.ts";
import { primaryOf } from "../../../../core/planner/database/facts.ts";
import { isSameModule } from "../../../../core/planner/modules/module-name.ts";
import { syncState } from "../../../../core/planner/database/sync-set.ts";
import type { WaitingRequest } from "../../../../core/planner/database/waiting-requests.ts";
import type { BdbRecord } from "../../../../ports/management/records.ts";
import { displayVersion, isStandIn } from "../../../../core/releases/engines/engines.ts";
import type { EngineAnswers } from "../../observation/engine-answers.ts";
import type { EngineAnswer } from "../../observation/engine-watch.ts";
import { awaitsData } from "../../../../core/planner/database/recovery.ts";
import { lacksConsent, lacksText } from "../../../../core/records/recovery-changes.ts";

type ServingEngine = Extract<EngineAnswer, { readonly state: "serving" }>;

/** What a database is shown with. */
interface BdbContext {
  readonly answers: EngineAnswers;
  /** The nodes that accept clients. */
  readonly endpoints: readonly (EndpointNode & { readonly address: string })[];
  readonly namespace: string;
  /** What a primary runs; undefined while each answers. */
  readonly script: ShownScript | undefined;
}

/** A script that a primary runs, with the node of that primary. */
export type ShownScript = WaitingRequest & { readonly node: number };

/** A database as `GET /v1/bdbs` shows it: the desired state is from the record, the actual one from the engines. */
export function bdbView(record: DatabaseRecord, context: BdbContext): BdbRecord {
  const engine = servingPrimaries(record, context.answers)[0]?.engine;
  return {
    uid: record.uid,
    name: record.name,
    type: "redis",
    status: record.status,
    version: engine?.version ?? "",
    version_display: engine === undefined ? record.storeVersion : displayVersion(record.storeVersion, engine),
    ...(engine === undefined ? {} : { stand_in: isStandIn(record.storeVersion, engine) }),
    ...versionOf(record),
    ...wireOf(record),
    port: record.port,
    ...(record.ossCluster && record.clusterPort !== undefined ? { oss_cluster_port: record.clusterPort } : {}),
    ...shardsIn(record),
    endpoints: [
      {
        uid: `${record.uid}:1`,
        dns_name: clusterNames.databaseHost(record.name, context.namespace),
        port: record.port,
        addr: endpointNodes(record, context.endpoints).map(({ address }) => address),
        proxy_policy: record.proxyPolicy,
      },
    ],
    module_list: modulesOf(record, context.answers),
    waiting_for: reasonOf(record),
    ...(record.obstacle === undefined ? {} : { obstacle: record.obstacle }),
    ...recoveryOf(record),
    ...clientParametersOf(record),
    ...syncOf(record),
    ...scriptOf(context.script),
    ...certificateOf(record),
    ...(record.activeActive === undefined ? {} : { active_active: record.activeActive }),
    loss_reports: record.lossReports,
    action_uid: record.lastAction?.uid ?? "",
    created_time: record.createdTime,
    last_changed_time: record.lastChangedTime,
  };
}

function versionOf({ storeVersion, upgrade }: DatabaseRecord): Pick<BdbRecord, "redis_version" | "upgrades_to"> {
  return { redis_version: storeVersion, ...(upgrade === undefined ? {} : { upgrades_to: upgrade.target }) };
}

/** Why nothing is done, or why its creation failed. */
function reasonOf({ status, upgrade, waitingFor = "", lastAction }: DatabaseRecord): string {
  return status === "creation-failed" ? (lastAction?.error ?? "") : upgrade?.waitingFor || waitingFor;
}

function recoveryOf(record: DatabaseRecord): Pick<BdbRecord, "recovery"> {
  if (!record.shards.some(({ recovery }) => recovery !== undefined)) return {};
  // what is to be restored is not gone: `spec.clusterRecovery` agrees to nothing there
  const needs_consent = record.shards.some((shard) => lacksConsent(shard) && !awaitsData(shard));
  const awaited = record.shards.some(awaitsData) ? { awaits_data: true } : {};
  return { recovery: { lacks: lacksText(record), needs_consent, ...awaited } };
}

function clientParametersOf({ clientParameters }: DatabaseRecord): Pick<BdbRecord, "client_parameters"> {
  const { values = "" } = clientParameters ?? {};
  return values === "" ? {} : { client_parameters: values };
}

function syncOf(record: DatabaseRecord): Pick<BdbRecord, "sync_state"> {
  const sync_state = syncState(record);
  return sync_state === undefined ? {} : { sync_state };
}

function certificateOf({ certificate: shown }: DatabaseRecord): Pick<BdbRecord, "tls_certificate"> {
  if (shown === undefined) return {};
  return { tls_certificate: { certificate: shown.certificate, client_authorities: shown.clientAuthorities } };
}

function scriptOf(script: ShownScript | undefined): Pick<BdbRecord, "running_script"> {
  if (script === undefined) return {};
  const { node, client, command, ageMs } = script;
  return { running_script: { node_uid: String(node), client, command, age_seconds: Math.floor(ageMs / 1000) } };
}

function shardsIn(record: DatabaseRecord) {
  const { uid, shards, shardSlots } = record;
  const asked = askedShards(record);
  const named = shardSlots === undefined || hasAskedTable(record) ? {} : { shard_slots_asked: shardNames(shardSlots) };
  return {
    shards_count: shards.length,
    ...(asked === shards.length ? {} : { shards_count_asked: asked }),
    shard_slots: slotTexts(shards),
    ...named,
    sharding: shards.length > 1,
    shard_list: shards.flatMap(({ instances }) => instances.map(({ id }) => shardUid(uid, id))),
    epoch: shards.reduce((sum, { epoch }) => sum + epoch, 0),
  };
}

/**
 * What the primaries of all shards have answered, first those at the version of the database, as all are while it is not upgraded. None
 * when one of them does not serve: the database does not either.
 */
function servingPrimaries(record: DatabaseRecord, answers: EngineAnswers): readonly ServingEngine[] {
  const isOther = (shard: ShardRecord): number => Number(primaryOf(shard).storeVersion !== record.storeVersion);
  const primaries = record.shards
    .toSorted((one, other) => isOther(one) - isOther(other))
    .map(({ primary }) => answers.get(primary));
  const serving = primaries.filter((answer) => answer?.state === "serving");
  return serving.length === primaries.length ? serving : [];
}

/** What each of its engines has loaded, and what it asks for: an engine that does not run leaves it in use. */
function modulesOf(record: DatabaseRecord, answers: EngineAnswers): BdbRecord["module_list"] {
  const { modules = [] } = record;
  const [first, ...further] = servingPrimaries(record, answers).map((engine) => engine.modules);
  const loaded = (first ?? []).filter(({ name }) =>
    further.every((others) => others.some((module) => isSameModule(name, module.name))),
  );
  const shown = loaded.map((module) => {
    const asked = modules.find(({ name }) => isSameModule(name, module.name));
    const one = { module_name: module.name, semantic_version: semanticVersion(module) };
    return asked === undefined ? one : { ...one, module_args: asked.args };
  });
  const lacking = modules.filter(({ name }) => !loaded.some((module) => isSameModule(name, module.name)));
  return [
    ...shown,
    ...lacking.map(({ name, args }) => ({ module_name: name, semantic_version: "", module_args: args })),
  ];
}
