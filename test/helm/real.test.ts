import { join } from "node:path";
import { after, before, describe } from "node:test";
import { silentLog } from "../../src/core/base/log.ts";
import { loadKubeConfig } from "../../src/ports/kube/config.ts";
import { Pods } from "../../src/ports/kube/builtin.ts";
import { startInformer } from "../../src/ports/kube/informer.ts";
import { applyDefinitions } from "../../src/programs/operator/definitions.ts";
import { systemClock } from "../../src/mechanisms/reconcile/system-clock.ts";
import { release } from "../kit/facts/cluster-view.ts";
import { connectAs } from "../kit/kubernetes/permission-scene.ts";
import { bindKubectl } from "../kubectl/kubectl.ts";
import { skipWithout, VERSION } from "../kubernetes/assets/assets.ts";
import { startControlPlane, type ControlPlane } from "../kubernetes/control-plane/control-plane.ts";
import { rule, rules } from "../specification/rule.ts";
import { chartSuite, helmSuite, type HelmJudge } from "./suite.ts";

describe("on a real API server", { skip: skipWithout("api") }, () => {
  let plane: ControlPlane;
  let judge: HelmJudge;
  const over = new AbortController();

  before(async () => {
    plane = await startControlPlane();
    const { kubeconfig, folder } = plane;
    const helm = bindKubectl({ path: join(plane.assets, "helm"), version: VERSION }, kubeconfig, folder);
    const kubectl = bindKubectl({ path: plane.kubectl, version: VERSION }, kubeconfig, folder);
    judge = { kube: plane.kube, config: loadKubeConfig({ KUBECONFIG: kubeconfig }), kubectl, helm, folder };
    runJobs(judge, over.signal);
  });
  after(async () => {
    over.abort(new Error("the test ends"));
    await plane.stop();
  });

  chartSuite(
    () => judge,
    (when, body) => {
      rule("§1.5 the operator comes by Helm", when, body);
    },
  );
  helmSuite(
    () => judge,
    (when, body) => {
      rules(
        [
          "§4.1 helm upgrade handles operator and CRDs; distro.mode for the distribution",
          "§1.5 the operator comes by Helm",
        ],
        when,
        body,
      );
    },
  );
});

/** There are no nodes: what the pod of the Job would run is run here, as its account. */
function runJobs(judge: HelmJudge, signal: AbortSignal): void {
  const done = new Set<string>();
  const following = { namespace: "store", clock: systemClock, log: silentLog, signal };
  const pods = startInformer(judge.kube, Pods, following);
  pods.onChange((_ref, pod) => {
    const container = pod?.spec?.containers.find(({ args }) => args?.[0] === "definitions");
    if (pod === undefined || container === undefined || done.has(pod.metadata.uid)) return;
    done.add(pod.metadata.uid);
    void run(judge, pod.metadata.name, pod.spec?.serviceAccountName ?? "", container.image?.split(":")[1] ?? "");
  });
}

async function run(judge: HelmJudge, pod: string, account: string, version: string): Promise<void> {
  const kube = await connectAs(judge, "store", account);
  await applyDefinitions(kube, release(version), silentLog);
  await kube.close();
  const body = { status: { phase: "Succeeded" } };
  await judge.kube.patch(Pods, { name: pod, namespace: "store" }, { type: "merge", body }, { subresource: "status" });
}
