import type { NetworkPolicy, NetworkPolicyIngressRule, NetworkPolicyPort } from "kubernetes-types/networking/v1.js";
import { APP_LABEL, LABELS, PORTS } from "../../../core/api/names.ts";
import { NetworkPolicies, Nodes, Pods } from "#kit/kube/builtin";
import { isTrue } from "#kit/kube/conditions";
import type { Kube, Stored } from "#kit/kube/kube";
import { selects } from "#kit/kube/selector";
import type { PortRule, Worker } from "../../../core/planner/prerequisites/environment.ts";
import type { ClusterName } from "./place.ts";

/** The machines of Kubernetes, with the node pods of the cluster on each. */
export async function readWorkers(kube: Kube, { name, namespace }: ClusterName): Promise<readonly Worker[]> {
  const labelSelector = `${LABELS.cluster}=${name},${LABELS.role}=node`;
  const [nodes, pods] = await Promise.all([kube.list(Nodes), kube.list(Pods, { namespace, labelSelector })]);
  return nodes.items.map(({ metadata, spec, status }) => ({
    name: metadata.name,
    ready: isTrue(status?.conditions, "Ready"),
    cordoned: spec?.unschedulable === true,
    labels: metadata.labels ?? {},
    taints: (spec?.taints ?? [])
      .filter(({ key, effect }) => effect !== "PreferNoSchedule" && !key.startsWith("node.kubernetes.io/"))
      .map(({ key, value = "" }) => ({ key, value })),
    spreads: !(status?.nodeInfo?.containerRuntimeVersion ?? "").startsWith("process://"),
    pods: pods.items.filter((pod) => pod.spec?.nodeName === metadata.name).map((pod) => pod.metadata.name),
  }));
}

/** What the network policies that select the node pods let in. */
export async function readPortRules(kube: Kube, { name, namespace }: ClusterName): Promise<readonly PortRule[]> {
  const { items } = await kube.list(NetworkPolicies, { namespace });
  const labels = { [LABELS.app]: APP_LABEL, [LABELS.cluster]: name, [LABELS.role]: "node" };
  return items
    .filter(({ spec }) => selects(spec?.podSelector, labels) && (spec?.policyTypes ?? ["Ingress"]).includes("Ingress"))
    .flatMap(rulesOf);
}

/** A policy without rules lets nothing in. */
function rulesOf({ metadata, spec }: Stored<NetworkPolicy>): PortRule[] {
  const rules: readonly NetworkPolicyIngressRule[] = spec?.ingress ?? [];
  const nothing = { policy: metadata.name, ports: [] };
  return rules.length === 0 ? [nothing] : rules.map(({ ports }) => ({ policy: metadata.name, ports: rangesOf(ports) }));
}

function rangesOf(ports: readonly NetworkPolicyPort[] | undefined): PortRule["ports"] {
  if (ports === undefined || ports.length === 0) return undefined;
  return ports.flatMap(({ port, endPort }) => {
    const first = port === "api" ? PORTS.management : Number(port);
    return Number.isInteger(first) ? [{ first, last: endPort ?? first }] : [];
  });
}
