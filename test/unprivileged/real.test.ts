import { test } from "node:test";
import type { Pod } from "kubernetes-types/core/v1.js";
import { OPERATOR_NAME } from "../../src/core/api/names.ts";
import { silentLog } from "#kit/base/log";
import { Namespaces, Pods } from "#kit/kube/builtin";
import { loadKubeConfig } from "#kit/kube/config";
import type { Kube, Stored } from "#kit/kube/kube";
import { runOperator } from "../../src/programs/operator/run.ts";
import { systemClock } from "#kit/reconcile/system-clock";
import { CATALOGUE } from "../../src/core/releases/catalogue/catalogue.ts";
import { constraintFor } from "../kit/kubernetes/old-constraint.ts";
import { latestRelease } from "../../src/core/releases/catalogue/find.ts";
import { loopbackAddress } from "../kit/engines/engine.ts";
import { connectAs } from "../kit/kubernetes/permission-scene.ts";
import { bindKubectl, type Kubectl } from "../kit/kubernetes/kubectl.ts";
import { skipWithout, VERSION } from "../kubernetes/assets/assets.ts";
import { startControlPlane, type ControlPlane } from "../kubernetes/control-plane/control-plane.ts";
import { proves } from "../kit/specification/proves.ts";
import { established } from "../kit/kubernetes/established.ts";

const NAMESPACE = "store";
const REGISTRY = "registry.example.com:5000/store";

const CLUSTER = {
  apiVersion: "app.storeenterprise.io/v1",
  kind: "StoreEnterpriseCluster",
  metadata: { name: "rec", namespace: NAMESPACE },
  spec: {
    nodes: 3,
    pullSecrets: [{ name: "pull" }],
    storeEnterpriseImageSpec: { repository: `${REGISTRY}/node`, imagePullPolicy: "Always" },
    storeEnterpriseServicesRiggerImageSpec: { repository: `${REGISTRY}/rigger`, imagePullPolicy: "Never" },
  },
};

const skip = skipWithout("api");
if (skip === false) await onRestrictedNamespace();
else test("in a namespace where Pod Security is restricted", { skip }, () => undefined);

// The controllers of Kubernetes make the pods, and its admission refuses those that ask for more than `restricted` allows.
async function onRestrictedNamespace(): Promise<void> {
  await using plane = await startControlPlane();
  const kubectl = bindKubectl({ path: plane.kubectl, version: VERSION }, plane.kubeconfig, plane.folder);
  const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
  await plane.kube.create(Namespaces, { metadata: { name: NAMESPACE, labels } });
  await kubectl(`apply -n ${NAMESPACE} -f deploy/bundle.yaml`);
  await established(kubectl);
  await using _operator = await startOperator(plane);
  await kubectl.given(JSON.stringify(CLUSTER), "create -f -");
  await test("operator, nodes and rigger are admitted", () => runUnprivileged(plane));
  await test("a pod that asks for more is refused there, so the look above means something", () =>
    refuseGreedyPod(kubectl));
  await test("only releases before 7.22.0-6 come with a constraint", () => listPrivilegedReleases());
  await test("images come from the registry of the spec", () => pullFromRegistry(plane));
}

async function runUnprivileged(plane: ControlPlane): Promise<void> {
  const names = (pods: readonly Stored<Pod>[]): string[] =>
    pods.map(({ metadata }) => metadata.labels?.["storeenterprise.io/role"] ?? OPERATOR_NAME).toSorted();
  const wanted = ["node", "node", "node", "services-rigger", OPERATOR_NAME];
  let pods: readonly Stored<Pod>[] = [];
  const areThere = async (): Promise<boolean> => {
    pods = await podsOf(plane.kube);
    return names(pods).join() === wanted.join();
  };
  await proves(
    "§2.1 the privileged constraint store-enterprise-scc-v2 is not needed",
    "the pods of operator, nodes and rigger, made in a namespace that admits what Pod Security calls restricted, and nothing more",
  ).until(areThere, { withinMs: 60_000, everyMs: 100 });
  const contexts = pods.flatMap(({ spec }) =>
    (spec?.containers ?? []).map(({ securityContext: { runAsUser, runAsGroup, ...own } = {} }) => ({
      runAsNonRoot: spec?.securityContext?.runAsNonRoot,
      isRoot: [runAsUser ?? spec?.securityContext?.runAsUser, runAsGroup].includes(0),
      ...own,
    })),
  );
  for (const context of contexts)
    proves(
      "§4.3.10 pods run unprivileged, without extra permissions",
      "the security context of each container: not root, no escalation, no capability, a root that cannot be written",
    ).deepEqual(context, {
      runAsNonRoot: true,
      isRoot: false,
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
}

async function refuseGreedyPod(kubectl: Kubectl): Promise<void> {
  const container = { name: "one", image: "any", securityContext: { capabilities: { add: ["SYS_RESOURCE"] } } };
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "greedy", namespace: NAMESPACE },
    spec: { containers: [container] },
  };
  proves(
    "§9 unprivileged from 7.22.0-6 on",
    "the refusal of a pod with one capability in the namespace where ours are admitted",
  ).match(await kubectl.refusedGiven(JSON.stringify(pod), "create -f -"), /violates PodSecurity "restricted/);
}

function listPrivilegedReleases(): void {
  const privileged = CATALOGUE.filter((release) => constraintFor(release) !== undefined).map(({ operator: of }) => of);
  proves("§9 unprivileged from 7.22.0-6 on", "the releases that come with a constraint: those before 7.22").deepEqual(
    privileged,
    CATALOGUE.map(({ operator: of }) => of).filter((of) => /^7\.[248]\./.test(of)),
  );
}

async function pullFromRegistry(plane: ControlPlane): Promise<void> {
  const release = latestRelease();
  const seen = (await podsOf(plane.kube)).flatMap(({ metadata, spec }) =>
    metadata.labels?.["storeenterprise.io/role"] === undefined
      ? []
      : [[spec?.containers[0]?.image, spec?.containers[0]?.imagePullPolicy, spec?.imagePullSecrets]],
  );
  const secrets = [{ name: "pull" }];
  proves(
    "§2.2 imagePullPolicy and repository of storeEnterpriseImageSpec reach the pods",
    "image, pull policy and pull secrets of each pod of nodes and rigger",
  ).deepEqual(seen.toSorted(), [
    ...[1, 2, 3].map(() => [`${REGISTRY}/node:${release.nodeTag}`, "Always", secrets]),
    [`${REGISTRY}/rigger:${release.operator}`, "Never", secrets],
  ]);
}

async function podsOf(kube: Kube): Promise<readonly Stored<Pod>[]> {
  return (await kube.list(Pods, { namespace: NAMESPACE })).items;
}

/** The pod of the Deployment is admitted and never runs: there are no nodes. What it would run is run here, as its account. */
async function startOperator(plane: ControlPlane): Promise<AsyncDisposable> {
  const api = { kube: plane.kube, config: loadKubeConfig({ KUBECONFIG: plane.kubeconfig }) };
  const kube = await connectAs(api, NAMESPACE, OPERATOR_NAME);
  const stop = new AbortController();
  const config = { namespace: NAMESPACE, identity: "test", address: loopbackAddress(), release: latestRelease() };
  const ended = runOperator({ kube, clock: systemClock, log: silentLog, config, healthPort: 0 }, stop.signal);
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error("the test ends it"));
      await ended;
      await kube.close();
    },
  };
}
