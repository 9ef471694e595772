import type { DatabaseRecord } from "../../../../core/api/records.ts";
import { shardUid } from "../../../../core/api/shard-uid.ts";
import { freeBytes, largestDatabase } from "../../../../core/planner/node/capacity.ts";
import type { ContainerMemory } from "../../../../core/planner/node/capacity.ts";
import type { PlacedInstance } from "../../../../core/planner/database/facts.ts";
import { sizesOn } from "../../../../core/planner/database/placement.ts";
import type { Clock } from "#kit/base/clock";
import type { ClusterRecord, NodeRecord } from "../../../../ports/management/records.ts";
import type { LeaderElection } from "../../members/leader-election.ts";
import type { Member, Members } from "../../members/members.ts";
import { maintenanceOf } from "../../../../core/records/maintenance.ts";
import { placedInstances } from "../../../../core/records/placed-instances.ts";
import type { Records } from "../../records/records.ts";
import { clusterDnsName } from "../../runtime/config.ts";
import type { AgentConfig } from "../../runtime/config.ts";
import { refusals, refuse } from "../http/refusals.ts";

/** What the cluster and its nodes are read from. */
export interface NodesContext {
  readonly config: Pick<AgentConfig, "cluster" | "namespace">;
  readonly records: Pick<Records, "state" | "databases">;
  readonly members: Pick<Members, "list">;
  readonly election: Pick<LeaderElection, "leader">;
  readonly clock: Clock;
}

/** The cluster as `GET /v1/cluster` shows it. */
export function clusterRecord({ config, records, members, election }: NodesContext): ClusterRecord {
  const versions = new Set(members.list().map(({ report }) => report.softwareVersion));
  const operator = records.state()?.operator;
  return {
    name: clusterDnsName(config),
    created_time: records.state()?.createdTime ?? "",
    leader_uid: election.leader() ?? 0,
    upgrade_mode: versions.size > 1,
    ...(operator === undefined ? {} : { operator_version: operator }),
  };
}

/** Every node that has ever reported. */
export function listNodes(context: NodesContext): readonly NodeRecord[] {
  return context.members.list().map((member) => nodeRecord(context, member));
}

/** The node with this uid; AGENT_NO_SUCH_NODE when there is none. */
export function getNode(context: NodesContext, uid: string): NodeRecord {
  const found = listNodes(context).find((node) => String(node.uid) === uid);
  if (found === undefined) throw refuse(refusals.noSuchNode, `there is no node ${uid}`);
  return found;
}

/** Whether clients may be sent to a node. */
export function acceptsClients({ fresh, report }: Member): boolean {
  return fresh && report.acceptsClients;
}

function nodeRecord({ records, election, clock }: NodesContext, { uid, report, fresh }: Member): NodeRecord {
  const here = shardsOn(uid, records.databases());
  const placed = placedInstances(records.databases());
  return {
    uid,
    addr: report.address,
    status: fresh ? "active" : "down",
    maintenance: maintenanceOf(records.state(), uid) !== undefined,
    software_version: report.softwareVersion,
    role: uid === election.leader() ? "leader" : "member",
    accepts_clients: fresh && report.acceptsClients,
    ...(report.baseSystem === undefined ? {} : { base_system: report.baseSystem }),
    capabilities: report.capabilities,
    os_name: report.osName,
    architecture: report.architecture,
    cores: report.cores,
    total_memory: report.memoryBytes,
    ...(report.container === undefined ? {} : { memory: memoryOf(report.container, sizesOn(uid, placed)) }),
    shard_count: here.length,
    shard_list: here,
    uptime: Math.max(0, Math.round((clock.now().getTime() - Date.parse(report.startedAt)) / 1000)),
    ...(report.volume === undefined ? {} : { volume: { ...report.volume, needed: neededOn(uid, placed) } }),
    ...(report.fullVolume === undefined ? {} : { full_volume: report.fullVolume }),
    ...(report.setAside.length === 0 ? {} : { set_aside: report.setAside }),
    ...(report.missingRecords === undefined ? {} : { missing_records: report.missingRecords.map(missingRecordView) }),
    supported_database_versions: report.engines.map(({ storeVersion, engine, standIn, tls, modules }) => ({
      db_type: "redis",
      redis_version: storeVersion,
      engine,
      stand_in: standIn,
      ...(tls === undefined ? {} : { tls }),
      ...(modules === undefined
        ? {}
        : { modules: modules.map(({ name, version }) => ({ module_name: name, semantic_version: version })) }),
    })),
  };
}

function missingRecordView({
  created: created_time,
  ...rest
}: NonNullable<Member["report"]["missingRecords"]>[number]): NonNullable<NodeRecord["missing_records"]>[number] {
  return { ...rest, created_time };
}

function memoryOf(container: ContainerMemory, sizes: readonly number[]): NonNullable<NodeRecord["memory"]> {
  const { limit, reserve } = container;
  const free = Math.floor(freeBytes(container, sizes));
  return { limit, reserve, needed: limit - reserve - free, largest: largestDatabase(free) };
}

function neededOn(uid: number, placed: readonly PlacedInstance[]): number {
  return placed.filter(({ node }) => node === uid).reduce((sum, { diskBytes }) => sum + diskBytes, 0);
}

/** uids of the shards on a node. */
function shardsOn(node: number, databases: readonly DatabaseRecord[]): readonly number[] {
  return databases.flatMap(({ uid, shards }) =>
    shards
      .flatMap(({ instances }) => instances)
      .filter((instance) => instance.node === node)
      .map(({ id }) => shardUid(uid, id)),
  );
}
