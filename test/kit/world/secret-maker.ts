import { API_GROUP, API_VERSION, clusterNames, LABELS } from "../../../src/core/api/names.ts";
import { silentLog } from "#kit/base/log";
import { secretsAhead } from "../../../src/core/planner/cluster/node-secrets.ts";
import { systemClock } from "#kit/reconcile/system-clock";
import { ConfigMaps, SecretVersions } from "#kit/kube/builtin";
import { connect } from "#kit/kube/client";
import { loadKubeConfig } from "#kit/kube/config";
import { startInformer } from "#kit/kube/informer";
import { ownedMeta } from "../../../src/programs/operator/objects/meta.ts";
import { NEW_STATE, secretState } from "../../../src/programs/operator/secrets/counters.ts";
import { prepareSecrets } from "../../../src/programs/operator/secrets/prepare.ts";

interface SecretMakerOptions {
  readonly kubeconfig: string;
  readonly rec: string;
  readonly namespace: string;
}

/** Makes the Secrets of new databases and users ahead, as the operator does, for a cluster without one; the first ones are there then. */
export async function startSecretMaker({ kubeconfig, rec, namespace }: SecretMakerOptions): Promise<AsyncDisposable> {
  const kube = connect(loadKubeConfig({ KUBECONFIG: kubeconfig }));
  const stop = new AbortController();
  const following = { namespace, clock: systemClock, log: silentLog, signal: stop.signal };
  const secrets = startInformer(kube, SecretVersions, following);
  const records = startInformer(kube, ConfigMaps, { ...following, labelSelector: `${LABELS.record}=cluster` });
  await Promise.all([secrets.synced, records.synced]);
  const kind = { apiVersion: `${API_GROUP}/${API_VERSION}`, kind: "StoreEnterpriseCluster" };
  const object = { ...kind, metadata: { name: rec, uid: `uid-of-${rec}`, resourceVersion: "1" } };
  const owner = { rec: object, namespace, view: { name: rec, spec: {} } };
  const make = async (): Promise<void> => {
    const state = secretState(records.get({ name: clusterNames.clusterRecord(rec), namespace })) ?? NEW_STATE;
    await prepareSecrets(
      { kube, secrets },
      secretsAhead(rec, state).map((name) => ownedMeta(owner, name)),
    );
  };
  await make();
  let making: Promise<void> = Promise.resolve();
  records.onChange(() => {
    making = making.then(make);
    making.catch(() => undefined); // thrown where the test ends
  });
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await making;
      await kube.close();
    },
  };
}
