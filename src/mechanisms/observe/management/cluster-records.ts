import { isFault } from "#kit/base/fault";
import type { ManagementClient } from "../../../ports/management/client.ts";
import { readDatabases } from "../../../ports/management/databases.ts";
import { faults } from "../../../ports/management/faults.ts";
import type {
  ActionRecord,
  BdbRecord,
  ClusterPolicy,
  LicenseRecord,
  ModuleRecord,
  NodeRecord,
  ShardInstanceRecord,
} from "../../../ports/management/records.ts";
import type { KeptRecord } from "../../../core/planner/node/missing-record.ts";
import type { PolledCluster, Unreachable } from "../../../core/planner/view/cluster-view.ts";
import { settingsOfWire } from "../../../core/api/settings/values.ts";
import type { LicenseVerdict } from "../../../core/planner/license/evaluate.ts";
import { whyUnreachable } from "./unreachable.ts";

/** What the management API answered, as it answered it. */
export interface ClusterRecords {
  readonly nodes: readonly NodeRecord[];
  readonly bdbs: readonly BdbRecord[];
  readonly shards: readonly ShardInstanceRecord[];
  readonly license: LicenseRecord;
  readonly modules: readonly ModuleRecord[];
  readonly actions: readonly ActionRecord[];
  /** Undefined when a node of a release answered that has none. */
  readonly policy: ClusterPolicy | undefined;
}

/** Why a cluster said nothing. */
export interface UnreachableCluster {
  readonly unreachable: string;
  /** A node answers and does not take the credentials. */
  readonly refused?: boolean;
}

/** Asks a cluster everything that decisions need; a sentence instead when it does not answer, never an exception. */
export async function readRecords(client: ManagementClient): Promise<ClusterRecords | UnreachableCluster> {
  try {
    const [nodes, databases, license, modules, actions, policy] = await Promise.all([
      client.call("nodes"),
      readDatabases(client),
      client.call("license"),
      client.call("modules"),
      client.call("actions"),
      readPolicy(client),
    ]);
    return { nodes, ...databases, license, modules, actions, policy };
  } catch (error) {
    // whatever it is, the cluster cannot be asked now: the decision is made without its word
    return { unreachable: whyUnreachable(error), refused: isFault(error, faults.unauthorized) };
  }
}

/** Releases up to 0.1.0 have no policy of their own: the operator alone held to `spec.storeUpgradePolicy`. */
async function readPolicy(client: ManagementClient): Promise<ClusterPolicy | undefined> {
  try {
    return await client.call("clusterPolicy");
  } catch (error) {
    if (isFault(error, faults.notFound)) return undefined;
    throw error;
  }
}

/** The records as facts for the planner; the same records always give the same object. */
export function factsOf(records: ClusterRecords | UnreachableCluster): PolledCluster | Unreachable {
  if ("unreachable" in records) {
    const cause = records.refused === true ? ({ cause: "credentials" } as const) : {};
    return { reachable: false, reason: records.unreachable, ...cause };
  }
  const known = factsKnown.get(records);
  if (known !== undefined) return known;
  const facts = factsFrom(records);
  factsKnown.set(records, facts);
  return facts;
}

/** The facts by their records, because each of a thousand databases asks for those of its cluster. */
const factsKnown = new WeakMap<ClusterRecords, PolledCluster>();

function factsFrom(records: ClusterRecords): PolledCluster {
  const shards = Map.groupBy(records.shards, ({ bdb_uid }) => bdb_uid);
  return {
    reachable: true,
    nodes: records.nodes.map(nodeFrom),
    databases: records.bdbs.map((bdb) => ({
      uid: bdb.uid,
      name: bdb.name,
      status: bdb.status,
      storeVersion: bdb.redis_version,
      ...(bdb.upgrades_to === undefined ? {} : { upgradesTo: bdb.upgrades_to }),
      ...settingsOfWire(bdb),
      modules: bdb.module_list.map(({ module_name }) => module_name),
      askedModules: bdb.module_list.flatMap(({ module_name, module_args }) =>
        module_args === undefined ? [] : [module_name],
      ),
      needsConsent: bdb.recovery?.needs_consent === true,
      waitingFor: bdb.waiting_for,
      instances: (shards.get(bdb.uid) ?? []).map(instanceOf),
    })),
    license: { ...verdictOf(records.license), expirationDate: records.license.expiration_date },
    modules: records.modules.map(({ module_name, display_name, is_bundled, platforms, ...versions }) => ({
      name: module_name,
      displayName: display_name,
      bundled: is_bundled,
      platforms: Object.keys(platforms),
      databaseVersions: versions.database_versions,
      compatible: versions.compatible_redis_version,
    })),
    actions: records.actions
      .filter(({ status }) => status === "queued" || status === "running")
      .map(({ name, object_name }) => ({ name, object: object_name })),
  };
}

function nodeFrom(node: NodeRecord): PolledCluster["nodes"][number] {
  return {
    uid: node.uid,
    active: node.status === "active",
    maintenance: node.maintenance,
    acceptsClients: node.accepts_clients,
    leader: node.role === "leader",
    tag: node.software_version,
    baseSystem: node.base_system,
    engines: node.supported_database_versions.map(({ redis_version: storeVersion, tls, modules }) => ({
      storeVersion,
      ...(tls === undefined ? {} : { tls }),
      ...(modules === undefined ? {} : { modules: modules.map(({ module_name }) => module_name) }),
    })),
    capabilities: node.capabilities ?? [],
    memoryBytes: node.total_memory,
    ...(node.memory === undefined ? {} : { memory: node.memory }),
    ...(node.volume === undefined ? {} : { volume: node.volume }),
    ...(node.full_volume === undefined ? {} : { fullVolume: node.full_volume }),
    ...(node.missing_records === undefined ? {} : { keptRecords: node.missing_records.map(keptRecordOf) }),
    setAside: (node.set_aside ?? []).map(({ id, bdb, name, since, bytes }) => ({
      id,
      database: bdb,
      name,
      since,
      bytes,
    })),
  };
}

/** What a node keeps of a record that has vanished, as its management API says it. */
export function keptRecordOf({
  bdb,
  name,
  created_time: created,
  version,
  digest,
  since,
}: NonNullable<NodeRecord["missing_records"]>[number]): KeptRecord {
  return { bdb, name, created, version, digest, since };
}

function instanceOf({
  node_uid,
  role,
  in_sync,
  failed_starts: starts,
  last_words: lastWords = "",
  crashes: times,
  ended_by: endedBy = "",
}: ShardInstanceRecord): PolledCluster["databases"][number]["instances"][number] {
  const failing = starts === undefined ? {} : { failing: { starts, lastWords } };
  const crashing = times === undefined ? {} : { crashing: { times, endedBy, lastWords } };
  return { node: Number(node_uid), primary: role === "master", inSync: in_sync, ...failing, ...crashing };
}

/** A node of an older release says only whether its licence is over. */
export function verdictOf({ state, reason, expired, expiration_date: end }: LicenseRecord): LicenseVerdict {
  const verdict = state ?? (expired ? "Expired" : "Valid");
  return { state: verdict, reason: reason ?? (expired ? `the licence expired on ${end}` : "") };
}
