import assert from "node:assert/strict";
import type { LoadOptions, LoadResult } from "../../../src/programs/demo/load/clients.ts";
import { startLoadProcess, type LoadProcess } from "../../../src/programs/demo/load/load-process.ts";
import { DEMO } from "../../../src/programs/demo/steps/objects.ts";
import { findEndpoint } from "../../../src/programs/demo/scenario.ts";
import { until } from "#kit/testing/until";
import type { Kubectl } from "../../kit/kubernetes/kubectl.ts";
import { LOAD_COMMAND, LOAD_IMAGE } from "./load-image.ts";
import type { Scene } from "./scene.ts";

const POD = "load";

/** Starts clients in a pod on `node`, which reach the database by the name of its Service, as an application does. */
export async function startLoadOn(
  { kubectl, cluster }: Scene,
  node: string,
  options: LoadOptions,
): Promise<LoadProcess> {
  const host = await kubectl(`get redb ${DEMO.database} -o`, "jsonpath={.status.internalEndpoints[0].host}");
  await createLoadPod(kubectl, node, DEMO.namespace);
  const exec = ["--kubeconfig", cluster.kubeconfig, "exec", "--stdin", POD, "--", ...LOAD_COMMAND];
  return startLoadProcess({ ...options, host }, [cluster.controlPlane.kubectl, ...exec]);
}

/** A pod on `node` in which loads run, instead of one that was there; the answer is its name. */
export async function createLoadPod(kubectl: Kubectl, node: string, namespace: string): Promise<string> {
  await kubectl.run(`delete pod ${POD} -n ${namespace} --ignore-not-found --grace-period=0 --force`);
  await kubectl.given(JSON.stringify(podOn(node)), `create -n ${namespace} -f -`);
  await kubectl(`wait pod/${POD} -n ${namespace} --for=condition=Ready --timeout=25s`);
  return POD;
}

/** A load on `node` while `act` runs, and what it saw. */
export async function underLoad(
  scene: Scene,
  node: string,
  act: (load: LoadProcess) => Promise<void>,
): Promise<LoadResult> {
  const endpoint = await findEndpoint(scene.stage);
  const load = await startLoadOn(scene, node, { ...endpoint, connections: 10, gapMs: 10 });
  try {
    await act(load);
    return await load.finish();
  } finally {
    load.kill();
  }
}

/** Waits until clients have been answered a good many times more than now. */
export async function untilServed(load: LoadProcess): Promise<void> {
  const answered = async (): Promise<number> =>
    (await load.numbers()).phases.reduce((sum, { requests }) => sum + requests, 0);
  const wanted = (await answered()) + 300;
  await until("clients are served", async () => (await answered()) >= wanted, { withinMs: 60_000, everyMs: 200 });
}

/** Nothing failed, nothing acknowledged is missing, nothing was counted twice. */
export function assertUnharmed({ phases, ledger, failures }: LoadResult): void {
  const failed = phases.reduce((sum, phase) => sum + phase.failed, 0);
  const { lostWrites, incrementDrift, staleReads, acknowledgedWrites } = ledger;
  assert.deepEqual(
    { failed, failures, lostWrites, incrementDrift, staleReads },
    { failed: 0, failures: [], lostWrites: 0, incrementDrift: 0, staleReads: 0 },
  );
  assert.ok(acknowledgedWrites > 100, `only ${acknowledgedWrites} writes prove little`);
}

function podOn(nodeName: string): object {
  const securityContext = {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] },
  };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: POD },
    spec: {
      nodeName,
      terminationGracePeriodSeconds: 0,
      tolerations: [{ operator: "Exists" }],
      securityContext: { runAsNonRoot: true, runAsUser: 1001, seccompProfile: { type: "RuntimeDefault" } },
      containers: [{ name: POD, image: LOAD_IMAGE, imagePullPolicy: "Never", securityContext }],
    },
  };
}
