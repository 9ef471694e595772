import { dirname } from "node:path";
import { execPath } from "node:process";
import type { Pod, Service } from "kubernetes-types/core/v1.js";
import type { StatefulSet } from "kubernetes-types/apps/v1.js";
import { Pods, Services, StatefulSets } from "#kit/kube/builtin";
import type { Stored } from "#kit/kube/kube";
import { until } from "#kit/testing/until";
import { PAUSE_IMAGE } from "../assets/pause-image.ts";
import type { Cluster } from "./cluster.ts";
import { run } from "./command.ts";

/** Pods on a node each that answer HTTP with their name, and write a line to their volume whenever they start. */
export const TENANTS = ["tenant-0", "tenant-1"] as const;
export type Tenant = (typeof TENANTS)[number];

const PORT = 8000;
const APP = { app: "tenant" };

/** The tenants run this machine's node, out of this machine's folders: no image has to be made for them. */
const SERVER = `
  const { appendFileSync } = require("node:fs");
  appendFileSync("/data/starts", process.hrtime.bigint() + "\\n");
  require("node:http").createServer((_, answer) => answer.end(process.env.HOSTNAME)).listen(${PORT});
  process.on("SIGTERM", () => process.exit(0));`;

/** Creates the tenants and waits until they answer. */
export async function createTenants(cluster: Cluster): Promise<void> {
  const { kube } = cluster.controlPlane;
  await kube.create(Services, service("tenant", { clusterIP: "None", ports: [{ port: PORT }] }));
  await kube.create(Services, service("tenant-service", { ports: [{ port: 80, targetPort: PORT }] }));
  await kube.create(StatefulSets, { metadata: { namespace: "default", name: "tenant" }, spec: statefulSet() });
  await waitForTenants(cluster);
}

/** Waits until each tenant answers by its name and the Service leads to one of them. */
export async function waitForTenants(cluster: Cluster): Promise<void> {
  const urls = [...TENANTS.map((name) => `http://${name}.tenant:${PORT}`), "http://tenant-service"];
  for (const url of urls)
    await until(`${url} answers`, async () => (await ask(cluster, url)).code === 0, { withinMs: 90_000, everyMs: 100 });
}

/** What `url` answers to a program of the cluster's center. */
export function ask(cluster: Cluster, url: string): ReturnType<typeof run> {
  return cluster.runInCluster([execPath, "-e", fetching(url)]);
}

/** What `url` answers to a tenant. */
export async function askFrom(cluster: Cluster, tenant: Tenant, url: string): Promise<string> {
  return await execInPod(cluster, tenant, ["/node/node", "-e", fetching(url)]);
}

/** When the tenant started, each time since its volume was made; empty when it cannot be asked now. */
export async function starts(cluster: Cluster, tenant: Tenant): Promise<readonly string[]> {
  const { stdout } = await exec(cluster, tenant, ["/usr/bin/cat", "/data/starts"]);
  return stdout.split("\n").filter((line) => line !== "");
}

/** The pod that a tenant is now. */
export async function podOf(cluster: Cluster, tenant: Tenant): Promise<Stored<Pod> | undefined> {
  return await cluster.controlPlane.kube.get(Pods, { namespace: "default", name: tenant });
}

function fetching(url: string): string {
  return `fetch("${url}", { signal: AbortSignal.timeout(2000) }).then((it) => it.text()).then((it) => process.stdout.write(it))`;
}

async function execInPod(cluster: Cluster, tenant: Tenant, command: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await exec(cluster, tenant, command);
  if (code !== 0) throw new Error(`${command.join(" ")} in ${tenant} ended with ${code}: ${stderr}`);
  return stdout;
}

function exec(cluster: Cluster, tenant: Tenant, command: readonly string[]): ReturnType<typeof run> {
  const { kubectl, folder } = cluster.controlPlane;
  const env = { KUBECONFIG: cluster.kubeconfig, HOME: folder };
  return run([kubectl, "exec", tenant, "--", ...command], { env });
}

function service(name: string, spec: Service["spec"]): { metadata: { namespace: string; name: string } } & Service {
  return { metadata: { namespace: "default", name }, spec: { ...spec, selector: APP } };
}

function statefulSet(): NonNullable<StatefulSet["spec"]> {
  const spread = { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: APP } };
  return {
    replicas: TENANTS.length,
    serviceName: "tenant",
    podManagementPolicy: "Parallel",
    selector: { matchLabels: APP },
    template: {
      metadata: { labels: APP },
      spec: {
        securityContext: { runAsUser: 1001, runAsNonRoot: true, fsGroup: 1001 },
        affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [spread] } },
        volumes: [
          { name: "usr", hostPath: { path: "/usr" } },
          { name: "node", hostPath: { path: dirname(execPath) } },
        ],
        containers: [
          {
            name: "tenant",
            image: PAUSE_IMAGE,
            imagePullPolicy: "Never",
            command: ["/node/node", "-e", SERVER],
            volumeMounts: [
              { name: "usr", mountPath: "/usr", readOnly: true },
              { name: "usr", mountPath: "/lib", subPath: "lib", readOnly: true },
              { name: "usr", mountPath: "/lib64", subPath: "lib64", readOnly: true },
              { name: "node", mountPath: "/node", readOnly: true },
              { name: "data", mountPath: "/data" },
            ],
          },
        ],
      },
    },
    volumeClaimTemplates: [
      {
        metadata: { name: "data" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      },
    ],
  };
}
