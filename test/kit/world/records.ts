import assert from "node:assert/strict";
import { clusterNames } from "../../../src/core/api/names.ts";
import type { DatabaseRecord } from "../../../src/core/api/records.ts";
import { ConfigMaps } from "#kit/kube/builtin";
import { connect } from "#kit/kube/client";
import { loadKubeConfig } from "#kit/kube/config";
import type { Kube } from "#kit/kube/kube";
import type { TestCluster } from "./cluster.ts";

/** The Kubernetes API of a test cluster, as its administrator. */
export function kubeOf({ kubeconfig }: TestCluster): Kube & Disposable {
  const kube = connect(loadKubeConfig({ KUBECONFIG: kubeconfig }));
  return Object.assign(kube, { [Symbol.dispose]: () => void kube.close() });
}

/** The ConfigMap with the record of a database. */
export function recordRef(cluster: TestCluster, uid: number): { readonly name: string; readonly namespace: string } {
  return { name: clusterNames.databaseRecord(cluster.rec, uid), namespace: cluster.namespace };
}

/** The record of a database as it is stored now. */
export async function readRecord(kube: Kube, cluster: TestCluster, uid: number): Promise<DatabaseRecord> {
  const found = await kube.get(ConfigMaps, recordRef(cluster, uid));
  assert.ok(found?.data?.record !== undefined, `database ${uid} has no record`);
  return JSON.parse(found.data.record) as DatabaseRecord;
}
