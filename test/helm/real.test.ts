import { join } from "node:path";
import { test } from "node:test";
import { silentLog } from "#kit/base/log";
import { loadKubeConfig } from "#kit/kube/config";
import { Pods } from "#kit/kube/builtin";
import { startInformer } from "#kit/kube/informer";
import { applyDefinitions } from "../../src/programs/operator/definitions.ts";
import { systemClock } from "#kit/reconcile/system-clock";
import { release } from "../kit/facts/cluster-view.ts";
import { connectAs } from "../kit/kubernetes/permission-scene.ts";
import { bindKubectl } from "../kit/kubernetes/kubectl.ts";
import { skipWithout, VERSION } from "../kubernetes/assets/assets.ts";
import { startControlPlane } from "../kubernetes/control-plane/control-plane.ts";
import { chartSuite, walkReleases, type HelmServer } from "./suite.ts";

const skip = skipWithout("api");
if (skip === false) await onHelmServer();
else test("on a real API server", { skip }, () => undefined);

async function onHelmServer(): Promise<void> {
  await using plane = await startControlPlane();
  const { kubeconfig, folder } = plane;
  const helm = bindKubectl({ path: join(plane.assets, "helm"), version: VERSION }, kubeconfig, folder);
  const kubectl = bindKubectl({ path: plane.kubectl, version: VERSION }, kubeconfig, folder);
  const config = loadKubeConfig({ KUBECONFIG: kubeconfig });
  const server: HelmServer = { kube: plane.kube, config, kubectl, helm, folder };
  await using stack = new AsyncDisposableStack();
  const over = new AbortController();
  stack.defer(() => {
    over.abort(new Error("the test ends"));
  });
  runJobs(server, over.signal);
  await chartSuite(server);
  await test("helm installs, upgrades, rolls back and uninstalls", () => walkReleases(server));
}

/** There are no nodes: what the pod of the Job would run is run here, as its account. */
function runJobs(server: HelmServer, signal: AbortSignal): void {
  const done = new Set<string>();
  const following = { namespace: "store", clock: systemClock, log: silentLog, signal };
  const pods = startInformer(server.kube, Pods, following);
  pods.onChange((_ref, pod) => {
    const container = pod?.spec?.containers.find(({ args }) => args?.[0] === "definitions");
    if (pod === undefined || container === undefined || done.has(pod.metadata.uid)) return;
    done.add(pod.metadata.uid);
    void run(server, pod.metadata.name, pod.spec?.serviceAccountName ?? "", container.image?.split(":")[1] ?? "");
  });
}

async function run(server: HelmServer, pod: string, account: string, version: string): Promise<void> {
  const kube = await connectAs(server, "store", account);
  await applyDefinitions(kube, release(version), silentLog);
  await kube.close();
  const body = { status: { phase: "Succeeded" } };
  await server.kube.patch(Pods, { name: pod, namespace: "store" }, { type: "merge", body }, { subresource: "status" });
}
