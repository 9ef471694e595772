import { clusterNames } from "../../../src/core/api/names.ts";
import { Leases } from "#kit/kube/builtin";
import { connect } from "#kit/kube/client";
import { loadKubeConfig } from "#kit/kube/config";
import { until } from "#kit/testing/until";
import type { TestCluster } from "./cluster.ts";

/** A node that a cluster knows by its Lease, and that does not run: as node 1, without these capabilities; gone at the end of the scope. */
export async function knownNode(
  { kubeconfig, rec, namespace, client }: Pick<TestCluster, "kubeconfig" | "rec" | "namespace" | "client">,
  { uid, without }: { readonly uid: number; readonly without: readonly string[] },
): Promise<AsyncDisposable> {
  const kube = connect(loadKubeConfig({ KUBECONFIG: kubeconfig }));
  const known = await kube.get(Leases, { name: clusterNames.nodeLease(rec, 1), namespace });
  const [[annotation = "", text = ""] = []] = Object.entries(known?.metadata.annotations ?? {});
  const report = JSON.parse(text) as { readonly capabilities: readonly string[] };
  const capabilities = report.capabilities.filter((one) => !without.includes(one));
  const annotations = { [annotation]: JSON.stringify({ ...report, capabilities }) };
  const name = clusterNames.nodeLease(rec, uid);
  const metadata = { name, namespace, labels: known?.metadata.labels ?? {}, annotations };
  await kube.create(Leases, { metadata, spec: known?.spec ?? {} });
  await until("it is known", async () => (await client.call("nodes")).some((node) => node.uid === uid), {
    withinMs: 40_000,
  });
  return {
    [Symbol.asyncDispose]: async () => {
      await kube.delete(Leases, { name, namespace });
      await kube.close();
    },
  };
}
