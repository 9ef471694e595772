import type { StoreEnterpriseCluster } from "../../../core/api/kinds.ts";
import { Fault } from "#kit/base/fault";
import { connectionTo, readClusterSpec } from "../../../mechanisms/observe/cluster.ts";
import { liveReads } from "../../../mechanisms/observe/kubernetes/cluster-reads.ts";
import type { Stored } from "#kit/kube/kube";
import type { ManagementClient } from "../../../ports/management/client.ts";
import { faults } from "../faults.ts";
import { foldText } from "../console/output.ts";
import { lackOf, type Lack } from "./rights.ts";
import { chosenCluster, type NamespaceAccess } from "./namespace-access.ts";

/** A cluster that is asked itself. */
export interface ClusterClient {
  readonly name: string;
  readonly client: ManagementClient;
}

/** A cluster that the caller may not ask: its object says what is known. */
export interface UnaskedCluster {
  readonly rec: Stored<StoreEnterpriseCluster>;
  readonly lack: Lack;
}

/** The management API of a cluster; CLI_CLUSTER_SILENT when there is no way to it. */
export async function askCluster(access: NamespaceAccess, name?: string): Promise<ClusterClient> {
  const reached = await reachCluster(access, name);
  if (!("lack" in reached)) return reached;
  const { code, retry } = faults.clusterSilent;
  const { text, remedy } = reached.lack;
  throw new Fault({ code, retry, remedy }, `cluster ${reached.rec.metadata.name} cannot be asked: ${text}`);
}

/** The cluster, or what the caller lacks to ask it. */
export async function reachCluster(access: NamespaceAccess, name?: string): Promise<ClusterClient | UnaskedCluster> {
  const rec = await chosenCluster(access, name);
  const spec = readClusterSpec(rec);
  const cluster = { name: rec.metadata.name, namespace: access.namespace };
  if (typeof spec === "string") throw new Fault(faults.unreadable, `${cluster.name}: ${spec}`);
  const pods = await access.denied.unless(liveReads(access.kube).nodePods(cluster), []);
  const connection = await connectionTo(access.connections, cluster, spec, pods);
  const denied = access.denied.list();
  if (denied.length > 0) return { rec, lack: await lackOf(access, denied, cluster.name) };
  if (typeof connection === "string")
    throw new Fault(faults.clusterSilent, `cluster ${cluster.name} cannot be asked: ${connection}`);
  return { name: cluster.name, client: connection.client };
}

/** What stands below an answer that comes from objects alone. */
export function unaskedText({ text, remedy }: Lack, columns?: number): string {
  return `\nNot known: the cluster was not asked, and this is what its objects say.\n${foldText(text, "   ", columns)}   do: ${foldText(remedy, "       ", columns).trimStart()}`;
}
