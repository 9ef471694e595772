import assert from "node:assert/strict";
import { test } from "node:test";
import type { PodSpec } from "kubernetes-types/core/v1.js";
import { startOperatorWorld } from "../../../test/kit/operator/operator-world.ts";
import { Deployments, Secrets, ServiceAccounts, StatefulSets } from "#kit/kube/builtin";
import { Clusters } from "../../mechanisms/observe/kubernetes/kinds.ts";
import { LEAVE_SOON } from "../../core/releases/bundle/eviction.ts";

const REF = { name: "rec", namespace: "default" };
const DIGEST = `sha256:${"0".repeat(64)}`;
const DEDICATED = { key: "dedicated", operator: "Equal", value: "store", effect: "NoSchedule" };
const APART = {
  requiredDuringSchedulingIgnoredDuringExecution: [
    { labelSelector: { matchLabels: { "storeenterprise.io/role": "node" } }, topologyKey: "rack" },
  ],
};
const QUANTITIES = { cpu: "1", memory: "2Gi" };
/** The containers of a node together have what the spec gives the node. */
const AGENT = { cpu: "500m", memory: "704Mi" };
const ENGINES = { cpu: "500m", memory: "1344Mi" };
const LITTLE = { cpu: "100m", memory: "64Mi" };

/** Everything that a spec says of pods; the images are pinned to builds. */
const SPEC = {
  nodeSelector: { disk: "fast" },
  podTolerations: [DEDICATED],
  priorityClassName: "important",
  pullSecrets: [{ name: "registry" }],
  podAntiAffinity: APART,
  podAnnotations: { team: "data" },
  extraLabels: { owner: "data" },
  createServiceAccount: false,
  serviceAccountName: "nodes",
  clusterCredentialSecretName: "login",
  storeEnterpriseTerminationGracePeriodSeconds: 900,
  persistentSpec: { enabled: true, storageClassName: "fast", volumeSize: "7Gi" },
  storeEnterpriseNodeResources: { requests: QUANTITIES, limits: QUANTITIES },
  storeEnterpriseServicesRiggerResources: { requests: LITTLE, limits: LITTLE },
  storeEnterpriseImageSpec: {
    repository: "here/node",
    versionTag: "8.2.0-25.12",
    digestHash: DIGEST,
    imagePullPolicy: "Always",
  },
  storeEnterpriseServicesRiggerImageSpec: {
    repository: "here/rigger",
    versionTag: "8.2.0-12",
    digestHash: DIGEST,
    imagePullPolicy: "Never",
  },
};

test("what the spec says of pods reaches those of nodes and services rigger", async () => {
  await using world = await startOperatorWorld();
  const { kube } = world;
  await world.operate("8.2.0-12");
  await kube.create(Clusters, { metadata: REF, spec: SPEC as never });
  await world.cluster("first pods awaited", ({ status }) => status?.state === "BootstrappingFirstPod");
  const nodes = await kube.get(StatefulSets, REF);
  const rigger = await kube.get(Deployments, { name: "rec-services-rigger", namespace: "default" });
  assert.deepEqual(placed(nodes?.spec?.template.spec), { ...PLACED, tolerations: [DEDICATED] });
  assert.deepEqual(placed(rigger?.spec?.template.spec), { ...PLACED, tolerations: [DEDICATED, ...LEAVE_SOON] });

  assert.deepEqual(run(nodes?.spec?.template.spec), {
    image: `here/node:8.2.0-25.12@${DIGEST}`,
    imagePullPolicy: "Always",
    resources: { requests: AGENT, limits: AGENT },
    account: "nodes",
  });
  assert.deepEqual(engines(nodes?.spec?.template.spec), {
    image: `here/node:8.2.0-25.12@${DIGEST}`,
    imagePullPolicy: "Always",
    resources: { requests: ENGINES, limits: ENGINES },
    user: 1002,
    mounts: ["/var/lib/store", "/var/run/secrets/kubernetes.io/serviceaccount"],
  });
  assert.deepEqual(run(rigger?.spec?.template.spec), {
    image: `here/rigger:8.2.0-12@${DIGEST}`,
    imagePullPolicy: "Never",
    resources: SPEC.storeEnterpriseServicesRiggerResources,
    account: "rec-services-rigger",
  });
  assert.equal(await kube.get(ServiceAccounts, { name: "nodes", namespace: "default" }), undefined);

  const { spec, metadata } = nodes?.spec?.template ?? {};
  assert.deepEqual(spec?.affinity?.podAntiAffinity, APART);
  assert.equal(spec?.terminationGracePeriodSeconds, 900);
  assert.equal(metadata?.annotations?.["team"], "data");
  assert.deepEqual(
    [nodes, rigger].map((object) => object?.metadata.labels?.["owner"]),
    ["data", "data"],
  );
  const [claim] = nodes?.spec?.volumeClaimTemplates ?? [];
  assert.equal(claim?.spec?.storageClassName, "fast");
  assert.deepEqual(claim?.spec?.resources?.requests, { storage: "7Gi" });

  const [credentials] = spec?.volumes ?? [];
  assert.equal(credentials?.secret?.secretName, "login");
});

test("nodes of a release whose engines run beside the agent have one container", async () => {
  await using world = await startOperatorWorld();
  await world.operate("8.0.20-26");
  await world.kube.create(Clusters, { metadata: REF, spec: {} });
  await world.cluster("first pods awaited", ({ status }) => status?.state === "BootstrappingFirstPod");
  const { containers } = (await world.kube.get(StatefulSets, REF))?.spec?.template.spec ?? { containers: [] };
  assert.deepEqual(
    containers.map(({ name, resources }) => ({ name, limits: resources?.limits })),
    [{ name: "store-enterprise-node", limits: { cpu: "2", memory: "4Gi" } }],
  );
});

test("the admin of credentials that the operator makes has the name that the spec gives", async () => {
  await using world = await startOperatorWorld();
  const { kube } = world;
  await world.operate("8.2.0-12");
  await kube.create(Clusters, {
    metadata: REF,
    spec: { username: "root@example.org", persistentSpec: { enabled: false } },
  });
  await world.cluster("first pods awaited", ({ status }) => status?.state === "BootstrappingFirstPod");
  const login = await kube.get(Secrets, REF);
  assert.equal(Buffer.from(login?.data?.["username"] ?? "", "base64").toString(), "root@example.org");
  assert.equal((await kube.get(StatefulSets, REF))?.spec?.volumeClaimTemplates, undefined, "nodes keep no data");
});

const PLACED = {
  nodeSelector: SPEC.nodeSelector,
  priorityClassName: SPEC.priorityClassName,
  imagePullSecrets: SPEC.pullSecrets,
};

function placed({ nodeSelector, tolerations, priorityClassName, imagePullSecrets }: Partial<PodSpec> = {}) {
  return { nodeSelector, tolerations, priorityClassName, imagePullSecrets };
}

function engines({ containers = [] }: Partial<PodSpec> = {}) {
  const { image, imagePullPolicy, resources, securityContext, volumeMounts } = containers[1] ?? {};
  const mounts = (volumeMounts ?? []).map(({ mountPath }) => mountPath).toSorted();
  return { image, imagePullPolicy, resources, user: securityContext?.runAsUser, mounts };
}

function run({ containers = [], serviceAccountName: account }: Partial<PodSpec> = {}) {
  const [container] = containers;
  return {
    image: container?.image,
    imagePullPolicy: container?.imagePullPolicy,
    resources: container?.resources,
    account,
  };
}
