import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startApiServer } from "../../../src/local-kubernetes/world/index.ts";
import { ADMISSION_SERVICE, OPERATOR_NAME } from "../../../src/core/api/names.ts";
import { jsonLog } from "../../../src/core/base/log.ts";
import { EndpointSlices } from "../../../src/ports/kube/builtin.ts";
import { connect } from "../../../src/ports/kube/client.ts";
import { loadKubeConfig } from "../../../src/ports/kube/config.ts";
import type { Kube } from "../../../src/ports/kube/kube.ts";
import { ownNamespaceOnly } from "../../../src/mechanisms/observe/kubernetes/watched-namespaces.ts";
import { runOperator } from "../../../src/programs/operator/run.ts";
import { systemClock } from "../../../src/mechanisms/reconcile/system-clock.ts";
import { startWebhook, type Webhook } from "../../../src/programs/webhook/run.ts";
import { bindKubectl, foundKubectls, type Kubectl } from "../../kubectl/kubectl.ts";
import { release } from "../facts/cluster-view.ts";
import { until } from "../time/until.ts";

/**
 * The bundle applied with kubectl to an embedded API, and replicas of the operator with their webhooks in this process,
 * each as the operator's own service account. Nobody runs pods.
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

export async function startAdmissionWorld(): Promise<AdmissionWorld> {
  const [binary] = foundKubectls();
  if (binary === undefined) throw new Error("no kubectl on PATH or in STORE_KUBECTL");
  const dir = mkdtempSync(join(tmpdir(), "admission-"));
  const lines: string[] = [];
  const log = jsonLog(
    (line) => lines.push(line),
    () => new Date(),
  );
  const octet = (): number => 20 + Math.floor(Math.random() * 230);
  const network = `127.${octet()}.${octet()}`;
  const server = await startApiServer({ dataDir: dir, host: `${network}.1`, port: 0, clock: systemClock, log });
  const kubeconfig = join(dir, "admin.kubeconfig");
  writeFileSync(kubeconfig, server.kubeconfigs.admin, { mode: 0o600 });
  const admin = loadKubeConfig({ KUBECONFIG: kubeconfig });
  const kube = connect(admin);
  const kubectl = bindKubectl(binary, kubeconfig, dir);
  await kubectl("apply -f deploy/bundle.yaml");
  await kubectl("wait --for=condition=Established crd --all --timeout=20s");
  const token = (await kubectl(`create token ${OPERATOR_NAME}`)).trim();
  const { clientCertificate: _administrator, ...place } = admin;
  const replicas = new Set<Replica>();

  const start = async (name: string): Promise<Replica> => {
    const stop = new AbortController();
    const own = connect({ ...place, token: () => token });
    const address = `${network}.${replicas.size + 2}`;
    const common = { kube: own, clock: systemClock, log };
    const config = { namespace: "default", identity: name, address, release: release("8.2.0-12") };
    const where = {
      namespace: "default",
      watched: ownNamespaceOnly("default"),
      release: config.release,
      address,
      port: 0,
    };
    const webhook = startWebhook({ ...common, ...where }, stop.signal);
    const operator = runOperator({ ...common, config, healthPort: 0, alongside: webhook }, stop.signal);
    await until(`the webhook of ${name} answers`, () => webhook.unready() === undefined);
    const slice = { name: `${ADMISSION_SERVICE}-${name}`, namespace: "default" };
    await kube.create(EndpointSlices, {
      metadata: { ...slice, labels: { "kubernetes.io/service-name": ADMISSION_SERVICE } },
      addressType: "IPv4",
      endpoints: [{ addresses: [address], conditions: { ready: true } }],
      ports: [{ name: "admission", port: webhook.port() ?? 0, protocol: "TCP" }],
    });
    const replica: Replica = {
      webhook,
      metrics: () => webhook.metrics(),
      stop: async () => {
        if (!replicas.delete(replica)) return;
        stop.abort(new Error("the test ends it"));
        await kube.delete(EndpointSlices, slice);
        await Promise.all([operator, webhook.ended]);
        await own.close();
      },
    };
    replicas.add(replica);
    return replica;
  };

  const admission = async (reason: string): Promise<string> => {
    let message = "";
    let seen = "";
    const path = "{.status.conditions[?(@.type=='AdmissionReady')]}";
    await until(
      `AdmissionReady has the reason ${reason}`,
      async () => {
        seen = await kubectl("get rec rec -o", `jsonpath=${path}`);
        const condition: { reason?: string; message?: string } = seen === "" ? {} : JSON.parse(seen);
        message = condition.message ?? "";
        return condition.reason === reason;
      },
      { withinMs: 60_000, everyMs: 200 },
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}; it is ${seen}; log: ${lines.slice(-15).join("")}`);
    });
    return message;
  };

  return {
    kube,
    kubectl,
    start,
    admission,
    log: () => lines.join(""),
    async [Symbol.asyncDispose]() {
      for (const replica of replicas) await replica.stop();
      await kube.close();
      await server.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** The webhook template with the namespace in its place, as §4.1 has it. */
export function webhookTemplate(namespace = "default"): string {
  return readFileSync("deploy/admission/webhook-template.yaml", "utf8").replaceAll("OPERATOR_NAMESPACE", namespace);
}
