import { readFileSync } from "node:fs";
import { ADMISSION_PORT, ADMISSION_SERVICE, OPERATOR_NAME } from "../../src/core/api/names.ts";
import type { Log } from "#kit/base/log";
import { EndpointSlices } from "#kit/kube/builtin";
import { connect } from "#kit/kube/client";
import { loadKubeConfig } from "#kit/kube/config";
import type { Kube } from "#kit/kube/kube";
import { ownNamespaceOnly } from "../../src/mechanisms/observe/kubernetes/watched-namespaces.ts";
import { runOperator } from "../../src/programs/operator/run.ts";
import { systemClock } from "#kit/reconcile/system-clock";
import { startWebhook, type Webhook } from "../../src/programs/webhook/run.ts";
import { foundKubectls } from "../api-servers/kubectls.ts";
import { bindKubectl, type Kubectl } from "../kit/kubernetes/kubectl.ts";
import { release } from "../kit/facts/cluster-view.ts";
import { startLoopbackApi } from "../kit/kubernetes/loopback-api.ts";
import { until } from "#kit/testing/until";
import { established } from "../kit/kubernetes/established.ts";

/**
 * The bundle applied with kubectl to an embedded API, and replicas of the operator with their webhooks in this process,
 * each as the operator's own service account. No pods run.
 */
export interface AdmissionWorld extends AsyncDisposable {
  /** As the cluster's administrator. */
  readonly kube: Kube;
  readonly kubectl: Kubectl;
  /** Starts a replica and puts it behind the service once it is ready. */
  start(name: string): Promise<Replica>;
  /** Waits until the condition AdmissionReady of the cluster "rec" has this reason; the answer is its message. */
  admission(reason: string): Promise<string>;
  log(): string;
}

export interface Replica {
  readonly webhook: Webhook;
  /** Prometheus text. */
  metrics(): string;
  /** Takes it from behind the service and ends it, as Kubernetes does with a pod. */
  stop(): Promise<void>;
}

const NAMESPACE = "default";

/** Starts the API and applies the bundle; no replica runs yet. */
export async function startAdmissionWorld(): Promise<AdmissionWorld> {
  const [binary] = foundKubectls();
  if (binary === undefined) throw new Error("no kubectl on PATH or in STORE_KUBECTL");
  await using stack = new AsyncDisposableStack();
  const api = stack.use(await startLoopbackApi("admission"));
  const admin = loadKubeConfig({ KUBECONFIG: api.kubeconfig });
  const kube = stack.adopt(connect(admin), (open) => open.close());
  const kubectl = bindKubectl(binary, api.kubeconfig, api.folder);
  await kubectl("apply -f deploy/bundle.yaml");
  await established(kubectl);
  const token = (await kubectl(`create token ${OPERATOR_NAME}`)).trim();
  const { clientCertificate: _administrator, ...server } = admin;
  const owned = stack.move();
  let replicas = 0;
  return {
    kube,
    kubectl,
    async start(name) {
      replicas += 1;
      const own = connect({ ...server, token: () => token });
      const address = api.address(replicas + 1);
      const options = { name, address, own, admin: kube, log: api.log };
      return owned.adopt(await startReplica(options), (replica) => replica.stop());
    },
    admission: (reason) => awaitAdmission(kubectl, reason, api.lines),
    log: () => api.lines.join(""),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

interface ReplicaOptions {
  readonly name: string;
  readonly address: string;
  /** As the operator's service account; the replica closes it. */
  readonly own: ReturnType<typeof connect>;
  /** As the cluster's administrator, who puts it behind the service. */
  readonly admin: Kube;
  readonly log: Log;
}

async function startReplica({ name, address, own, admin, log }: ReplicaOptions): Promise<Replica> {
  await using stack = new AsyncDisposableStack();
  stack.defer(() => own.close());
  const stop = new AbortController();
  const common = { kube: own, clock: systemClock, log };
  const config = { namespace: NAMESPACE, identity: name, address, release: release("8.2.0-12") };
  const where = { namespace: NAMESPACE, watched: ownNamespaceOnly(NAMESPACE), release: config.release, address };
  const webhook = startWebhook({ ...common, ...where }, stop.signal);
  const operator = runOperator({ ...common, config, healthPort: 0, alongside: webhook }, stop.signal);
  stack.defer(async () => void (await Promise.all([operator, webhook.ended])));
  stack.defer(() => stop.abort(new Error("the test ends it")));
  await until(`the webhook of ${name} answers`, () => webhook.unready() === undefined);
  const slice = { name: `${ADMISSION_SERVICE}-${name}`, namespace: NAMESPACE };
  await admin.create(EndpointSlices, {
    metadata: { ...slice, labels: { "kubernetes.io/service-name": ADMISSION_SERVICE } },
    addressType: "IPv4",
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
    ports: [{ name: ADMISSION_PORT.name, port: ADMISSION_PORT.targetPort, protocol: ADMISSION_PORT.protocol }],
  });
  const owned = stack.move();
  return {
    webhook,
    metrics: () => webhook.metrics(),
    async stop() {
      if (stop.signal.aborted) return;
      stop.abort(new Error("the test ends it"));
      await admin.delete(EndpointSlices, slice);
      await owned.disposeAsync();
    },
  };
}

async function awaitAdmission(kubectl: Kubectl, reason: string, lines: readonly string[]): Promise<string> {
  let message = "";
  let seen = "";
  const path = "{.status.conditions[?(@.type=='AdmissionReady')]}";
  const holds = async (): Promise<boolean> => {
    seen = await kubectl("get rec rec -o", `jsonpath=${path}`);
    const condition: { reason?: string; message?: string } = seen === "" ? {} : JSON.parse(seen);
    message = condition.message ?? "";
    return condition.reason === reason;
  };
  const what = `AdmissionReady has the reason ${reason}`;
  await until(what, holds, { withinMs: 60_000, everyMs: 200 }).catch((error: unknown) => {
    throw new Error(`${String(error)}; it is ${seen}; log: ${lines.slice(-15).join("")}`);
  });
  return message;
}

/** The webhook template with the namespace in its place, as §4.1 has it. */
export function webhookTemplate(namespace = NAMESPACE): string {
  return readFileSync("deploy/admission/webhook-template.yaml", "utf8").replaceAll("OPERATOR_NAMESPACE", namespace);
}
