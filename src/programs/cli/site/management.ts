import { Fault } from "../../../core/base/fault.ts";
import { connectionTo, readClusterSpec, liveReads } from "../../../mechanisms/observe/cluster.ts";
import type { ManagementClient } from "../../../ports/management/client.ts";
import { faults } from "../faults.ts";
import { chosenCluster, type Site } from "./site.ts";

/** A cluster that is asked itself. */
export interface ClusterClient {
  readonly name: string;
  readonly client: ManagementClient;
}

/** The management API of a cluster; CLI_CLUSTER_SILENT when there is no way to it. */
export async function askCluster(site: Site, name?: string): Promise<ClusterClient> {
  const rec = await chosenCluster(site, name);
  const spec = readClusterSpec(rec);
  const cluster = { name: rec.metadata.name, namespace: site.namespace };
  if (typeof spec === "string") throw new Fault(faults.unreadable, `${cluster.name}: ${spec}`);
  const pods = await liveReads(site.kube).nodePods(cluster);
  const connection = await connectionTo(site.connections, cluster, spec, pods);
  if (typeof connection === "string")
    throw new Fault(faults.clusterSilent, `cluster ${cluster.name} cannot be asked: ${connection}`);
  return { name: cluster.name, client: connection.client };
}
