/** What the proxy answers in place of engines where the clients of a database see a cluster, and what it refuses there by its name. */
const ANSWERED_IN_CLUSTER =
  "CLUSTER|SLOTS CLUSTER|SHARDS CLUSTER|NODES CLUSTER|INFO CLUSTER|KEYSLOT CLUSTER|MYID CLUSTER|MYSHARDID CLUSTER|LINKS " +
  "CLUSTER|COUNTKEYSINSLOT CLUSTER|GETKEYSINSLOT CLUSTER|SLOT-STATS CLUSTER|HELP READONLY READWRITE ASKING";

const OF_CLUSTER: ReadonlySet<string> = new Set(ANSWERED_IN_CLUSTER.split(" "));

/** True for a command that the proxy answers itself where clients see a cluster. */
export function isOfCluster(name: string): boolean {
  return OF_CLUSTER.has(name);
}
