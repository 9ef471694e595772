import { clusterNames } from "../../../src/core/api/names.ts";
import { ENGINE_USER } from "../../../src/core/api/engine-login.ts";
import { Secrets } from "#kit/kube/builtin";
import { connect } from "#kit/kube/client";
import { loadKubeConfig } from "#kit/kube/config";
import type { EngineOptions } from "../../../src/ports/resp/engine-client.ts";
import type { TestCluster } from "./cluster.ts";
import { nodeOf } from "./shards.ts";

/** The password of the cluster at the engines of a database, as its Secret has it. */
export async function internalPasswordOf(
  { kubeconfig, rec, namespace }: Pick<TestCluster, "kubeconfig" | "rec" | "namespace">,
  uid: number,
): Promise<string> {
  const kube = connect(loadKubeConfig({ KUBECONFIG: kubeconfig }));
  try {
    const secret = await kube.get(Secrets, { name: clusterNames.databaseSecret(rec, uid), namespace });
    return Buffer.from(secret?.data?.["engines"] ?? "", "base64").toString();
  } finally {
    await kube.close();
  }
}

/** How a node of the cluster logs in to each engine of a database. */
export async function enginesOf(cluster: TestCluster, uid: number): Promise<readonly EngineOptions[]> {
  const logins = [{ user: ENGINE_USER, password: await internalPasswordOf(cluster, uid) }];
  return (await cluster.shards(uid)).map((shard) => ({
    host: cluster.address(nodeOf(shard)),
    port: shard.port,
    logins,
    timeoutMs: 20_000,
    tls: shard.tls && cluster.engineTls,
  }));
}
