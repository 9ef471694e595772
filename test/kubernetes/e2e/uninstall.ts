import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { fetchReleaseBundle } from "../../../src/programs/demo/steps/release-server.ts";
import { until } from "#kit/testing/until";
import type { Scene } from "./scene.ts";

const KINDS = "all,pvc,configmap,secret,lease,role,rolebinding,serviceaccount,pdb,endpointslices";

/** What a namespace has from its creation. */
const OF_KUBERNETES: readonly string[] = [
  "service/kubernetes",
  "configmap/kube-root-ca.crt",
  "serviceaccount/default",
  "endpointslice.discovery.k8s.io/kubernetes",
];

/** What docs/kubernetes.md says stays: volumes, and the record that remembers what is on them. */
const DOCUMENTED: readonly string[] = [
  "configmap/rec-cluster",
  ...[0, 1, 2].map((ordinal) => `persistentvolumeclaim/store-enterprise-storage-rec-${ordinal}`),
];

/** Databases, cluster, bundle: each goes with the command of docs/kubernetes.md, and nothing hangs. */
export async function uninstall({ kubectl, latest, releases }: Scene): Promise<void> {
  await kubectl("delete pod load --grace-period=0 --force");
  await kubectl("delete redb --all --timeout=25s");
  const { code, stderr } = await kubectl.run("delete rec --all --timeout=60s", [], { timeoutMs: 70_000 });
  assert.equal(code, 0, stderr);
  const admission = readFileSync("deploy/admission/cluster-role.yaml", "utf8");
  await kubectl.given(admission, "delete --ignore-not-found -f - --timeout=25s");
  const bundle = await fetchReleaseBundle(releases.bundleBaseUrl, `v${latest.operator}`);
  await kubectl.given(bundle, "delete -f - --timeout=25s");
  const left = async (): Promise<string[]> => {
    const names = (await kubectl(`get ${KINDS} -o name`)).trim().split("\n");
    return names.filter((name) => name !== "" && !OF_KUBERNETES.includes(name)).toSorted();
  };
  const isCollected = async (): Promise<boolean> => (await left()).length <= DOCUMENTED.length;
  await until("the garbage is collected", isCollected, { withinMs: 30_000, everyMs: 500 }).catch(() => undefined); // what is left is reported below
  assert.deepEqual(await left(), DOCUMENTED);
  assert.doesNotMatch(await kubectl("get crd -o name"), /storeenterprise/);
  assert.equal(await kubectl("get validatingwebhookconfigurations -o name"), "");
  await kubectl("delete pvc,configmap -l storeenterprise.io/cluster=rec --timeout=25s");
  assert.deepEqual(await left(), []);
}
