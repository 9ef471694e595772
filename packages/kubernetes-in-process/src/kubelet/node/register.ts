import { arch, cpus, hostname, platform, release, totalmem } from "node:os";
import type { Node, NodeCondition } from "kubernetes-types/core/v1.js";
import type { Clock } from "../../../../controller-kit/src/base/clock.ts";
import { isFault } from "../../../../controller-kit/src/base/fault.ts";
import { Nodes } from "../../../../controller-kit/src/kube/builtin.ts";
import { withCondition } from "../../../../controller-kit/src/kube/conditions.ts";
import { faults as kubeFaults } from "../../../../controller-kit/src/kube/faults.ts";
import type { Kube, Stored } from "../../../../controller-kit/src/kube/kube.ts";
import { timestamp } from "../../../../controller-kit/src/kube/timestamp.ts";

const MAX_PODS = 250;

/** What a pod on this machine may use, as the Node shows it. */
export function machineCapacity(): Readonly<Record<string, string>> {
  return {
    cpu: String(cpus().length),
    memory: `${Math.floor(totalmem() / 1024)}Ki`,
    "ephemeral-storage": "100Gi",
    pods: String(MAX_PODS),
  };
}

/** Makes the Node of this kubelet exist and be Ready. */
export async function registerNode(kube: Kube, name: string, hostIP: string, clock: Clock): Promise<void> {
  const labels = {
    "kubernetes.io/hostname": name,
    "kubernetes.io/os": platform(),
    "kubernetes.io/arch": arch() === "x64" ? "amd64" : arch(),
  };
  const node =
    (await kube.get(Nodes, { name })) ?? (await kube.create(Nodes, { metadata: { name, labels }, spec: {} }));
  const version = versionOf(JSON.parse(await kube.raw("GET", "/version")));
  await reportNode(kube, node, (current) => nodeStatus(current, hostIP, version, clock.now()));
}

type Report = (node: Stored<Node>) => NonNullable<Node["status"]>;

async function reportNode(kube: Kube, node: Stored<Node>, report: Report): Promise<void> {
  try {
    await kube.update(Nodes, { ...node, status: report(node) }, { subresource: "status" });
  } catch (error) {
    if (!isFault(error, kubeFaults.conflict)) throw error;
    const current = await kube.get(Nodes, { name: node.metadata.name });
    if (current !== undefined) await reportNode(kube, current, report);
  }
}

/** Kubelet and API server of this world are of one version. */
function versionOf(answer: unknown): string {
  const version: unknown =
    typeof answer === "object" && answer !== null ? Reflect.get(answer, "gitVersion") : undefined;
  return typeof version === "string" ? version : "";
}

function nodeStatus(node: Stored<Node>, hostIP: string, version: string, now: Date): NonNullable<Node["status"]> {
  return {
    ...node.status,
    capacity: { ...machineCapacity() },
    allocatable: { ...machineCapacity() },
    addresses: [
      { type: "InternalIP", address: hostIP },
      { type: "Hostname", address: node.metadata.name },
    ],
    conditions: CONDITIONS.reduce<NodeCondition[]>(
      (list, condition) => withCondition(list, { ...condition, lastHeartbeatTime: timestamp(now) }, now),
      node.status?.conditions ?? [],
    ),
    nodeInfo: {
      architecture: arch() === "x64" ? "amd64" : arch(),
      bootID: "",
      containerRuntimeVersion: `process://${process.versions.node}`,
      kernelVersion: release(),
      kubeProxyVersion: version,
      kubeletVersion: version,
      machineID: hostname(),
      operatingSystem: platform(),
      osImage: `${platform()} ${release()}`,
      systemUUID: "",
    },
  };
}

const CONDITIONS: readonly NodeCondition[] = [
  pressure("MemoryPressure", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
  pressure("DiskPressure", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
  pressure("PIDPressure", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
  { type: "Ready", status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" },
];

function pressure(type: string, reason: string, message: string): NodeCondition {
  return { type, status: "False", reason, message };
}
