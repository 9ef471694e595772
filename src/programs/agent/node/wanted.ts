import { REFUSING_WRITES, refusesWrites } from "../../../core/planner/node/full-volume.ts";
import { everyShard } from "../../../core/api/every-shard.ts";
import { clusterNames } from "../../../core/api/names.ts";
import { engineLogins, siteLogins, type EngineAccess } from "../../../core/api/engine-login.ts";
import type { DatabaseRecord, InstanceRecord, ShardRecord } from "../../../core/api/records.ts";
import {
  effectiveParameters,
  effectiveSettings,
  recordedParameters,
} from "../../../core/api/settings/client-parameters.ts";
import { scriptLimitMs } from "../../../core/api/settings/engine-parameters.ts";
import { siteBacklog } from "../../../core/api/settings/replication-buffers.ts";
import { APART_IN_STREAMS } from "../../../core/merge/operations/apart-in-streams.ts";
import { ofShard } from "../../../core/records/settings-of-shard.ts";
import { endpointSettings, engineDirectives } from "../../../core/api/settings/effects.ts";
import { isBeingMade, primaryOf } from "../../../core/planner/database/facts.ts";
import { needsCertificate, upstreamOf } from "../../../core/planner/database/upstream.ts";
import { endpointShard, placeAt, type AddressOf, type EndpointMeans } from "../members/endpoint-shard.ts";
import type { LoadedModules } from "../modules/module-store.ts";
import type { AgentConfig } from "../runtime/config.ts";
import type { EngineCertificate } from "../../../core/api/engine-certificate.ts";
import type { EndpointConfig } from "../../../ports/management/proxy-control.ts";
import type { WantedInstance } from "../../../mechanisms/supervisor/wanted-instance.ts";
import type { HeldPasswords } from "../credentials/database-passwords.ts";

/** What instances are made with besides their record. */
export interface InstanceMeans {
  readonly addressOf: AddressOf;
  readonly modulesOf: LoadedModules;
  /** What engines with TLS show; undefined while this node has none. */
  readonly certificate: EngineCertificate | undefined;
  /** Nodes whose volumes hold a copy of the database and are nearly full. */
  readonly fullNodes: readonly number[];
}

/** The instances of a database that `node` runs. */
export function nodeInstances(
  record: DatabaseRecord,
  node: number,
  { access }: HeldPasswords,
  { addressOf, modulesOf, certificate, fullNodes }: InstanceMeans,
): readonly WantedInstance[] {
  const shown = certificate === undefined || !needsCertificate(record) ? {} : { certificate };
  return everyShard(record).flatMap((shard) =>
    shard.instances
      .filter((instance) => instance.node === node)
      .map((instance) => ({
        ...wantedInstance(record, shard, instance, access, addressOf),
        ...shown,
        modules: modulesOf(record, instance.storeVersion),
        directives: {
          ...engineDirectives(ofShard(effectiveSettings(record), shard)),
          ...(record.activeActive === undefined ? {} : { ...siteBacklog(record.memoryBytes), ...APART_IN_STREAMS }),
          ...(refusesWrites(record, shard, fullNodes) ? REFUSING_WRITES : {}),
        },
      })),
  );
}

/** What the endpoint of a node is made with besides its record. */
export interface WantedEndpointMeans extends EndpointMeans {
  /** The nodes that take clients, by what they reported last. */
  readonly openNodes: readonly number[];
  /** Those of them that clients and primaries shall leave. */
  readonly leftNodes: readonly number[];
}

/** The endpoint of a database on a node; undefined while it has no shard. */
export function wantedEndpoint(
  record: DatabaseRecord,
  { node, address, namespace }: Pick<AgentConfig, "node" | "address" | "namespace">,
  { set, revision, access, step, certificate }: HeldPasswords,
  means: WantedEndpointMeans,
): EndpointConfig | undefined {
  if (record.shards.length === 0) return undefined;
  const parameters = recordedParameters(record);
  return {
    bdb: record.uid,
    node,
    listen: { host: address, port: record.port },
    password: set.password,
    furtherPasswords: set.others,
    passwordsRevision: revision,
    logins: engineLogins(access),
    loginStep: step,
    shards: record.shards.map((shard) => endpointShard(shard, means)),
    ...(record.tableEpoch === undefined ? {} : { tableEpoch: record.tableEpoch }),
    service: { host: clusterNames.databaseHost(record.name, namespace), port: record.port },
    holdMs: HOLD_MS,
    scriptLimitMs: scriptLimitMs(effectiveParameters(parameters)),
    parameters: { database: record.name, ...parameters },
    settings: endpointSettings(record),
    ...(record.ossCluster ? clusterOf(record, means) : {}),
    ...siteOf(record, access),
    ...(certificate === undefined || record.tlsMode === "disabled" ? {} : { certificate }),
  };
}

function clusterOf(
  { clusterPort, shards }: DatabaseRecord,
  means: WantedEndpointMeans,
): Pick<EndpointConfig, "nodes" | "clusterPort"> {
  return { nodes: nodesAt(shards, means), ...(clusterPort === undefined ? {} : { clusterPort }) };
}

/** Clients of a cluster have to forget a node that is left before it refuses them, and need it as long as it has a primary. */
function nodesAt(
  shards: readonly ShardRecord[],
  { openNodes, leftNodes, addressOf }: WantedEndpointMeans,
): NonNullable<EndpointConfig["nodes"]> {
  const withPrimary = shards.map((shard) => primaryOf(shard).node);
  const staying = openNodes.filter((node) => !leftNodes.includes(node) || withPrimary.includes(node));
  return (staying.length === 0 ? openNodes : staying).flatMap((node) => {
    const host = addressOf(node);
    return host === undefined ? [] : [{ node, host }];
  });
}

function siteOf({ activeActive, awaitsSites }: DatabaseRecord, access: EngineAccess): Pick<EndpointConfig, "site"> {
  if (activeActive === undefined) return {};
  const { slices } = activeActive;
  const divided = slices === undefined ? {} : { slices };
  return { site: { logins: siteLogins(access), ...divided, ...(awaitsSites === undefined ? {} : { awaitsSites }) } };
}

/** How long clients may be held while a primary is being replaced, in milliseconds. */
const HOLD_MS = 20_000;

function wantedInstance(
  record: DatabaseRecord,
  shard: ShardRecord,
  instance: InstanceRecord,
  access: EngineAccess,
  addressOf: AddressOf,
): Omit<WantedInstance, "modules" | "directives" | "certificate"> {
  const upstream = upstreamOf(record, shard, instance);
  const role = upstream === undefined ? "primary" : "replica";
  const primary = upstream === undefined ? undefined : placeAt(upstream, addressOf);
  return {
    bdb: record.uid,
    database: { created: record.createdTime, name: record.name },
    instance: instance.id,
    host: addressOf(instance.node) ?? "",
    port: instance.port,
    speaksTls: instance.tls === true,
    storeVersion: instance.storeVersion,
    role,
    isFollowed: role === "primary" && shard.instances.length > 1,
    launch: instance.launch,
    fresh: mayStartEmpty(record, shard),
    ...(primary === undefined ? {} : { primary }),
    switching: isAboutToServe(record, shard, instance),
    upgrading: record.upgrade !== undefined,
    isSite: record.activeActive !== undefined,
    access,
  };
}

/** The shard holds nothing yet, or a user agreed that what it held is gone. */
function mayStartEmpty(record: DatabaseRecord, { recovery }: ShardRecord): boolean {
  return isBeingMade(record) || recovery?.empty === true;
}

/** It may have served clients already, before the record says so: what becomes of it when it ends is the decision of the leader. */
function isAboutToServe(
  { reshape }: DatabaseRecord,
  { id, switchover }: ShardRecord,
  instance: InstanceRecord,
): boolean {
  if (switchover?.to === instance.id) return true;
  return reshape !== undefined && reshape.phase !== "copy" && reshape.shards.some((shard) => shard.id === id);
}
