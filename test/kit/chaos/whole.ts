import type { Scene } from "./scene.ts";

/** What the cluster lacks to be as it was; empty when it lacks nothing. Rejects while no node answers. */
export async function lacks({ cluster, uid, full, bystander }: Scene): Promise<readonly string[]> {
  const nodes = await cluster.client.call("nodes");
  const ofNodes = nodes
    .filter((node) => node.status !== "active" || !node.accepts_clients || node.maintenance)
    .map(
      (node) =>
        `node ${node.uid} is ${node.status}${node.maintenance ? ", in maintenance" : ""}${node.accepts_clients ? "" : ", and accepts no clients"}`,
    );
  const fullVolumes = nodes
    .filter((node) => node.full_volume !== undefined)
    .map((node) => `the volume of node ${node.uid} is full`);
  const ofDatabases = await Promise.all([uid, full.uid, bystander.uid].map((bdb) => lacksOf(cluster, bdb)));
  return [...ofNodes, ...fullVolumes, ...ofDatabases.flat()];
}

async function lacksOf(cluster: Scene["cluster"], uid: number): Promise<readonly string[]> {
  const { status, waiting_for: waiting, shards_count: count } = await cluster.client.call("bdb", { params: { uid } });
  const shards = await cluster.shards(uid);
  const apart = shards
    .filter(({ in_sync }) => !in_sync)
    .map((shard) => `shard ${shard.uid} on node ${shard.node_uid} is not in sync`);
  return [
    ...(status === "active" ? [] : [`database ${uid} is ${status}`]),
    ...(waiting === "" ? [] : [`database ${uid} waits: ${waiting}`]),
    ...(shards.length === 2 * count ? [] : [`database ${uid} has ${shards.length} instances`]),
    ...apart,
  ];
}
