import type { NetworkPolicy, NetworkPolicyIngressRule, NetworkPolicyPeer } from "kubernetes-types/networking/v1.js";

/** What a policy says. */
export type Policy = Pick<NetworkPolicy, "metadata" | "spec">;

/** A pod, as policies select it. */
export interface PolicyPod {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly address: string;
}

type Selector = NetworkPolicyPeer["podSelector"];
/** What these tests need of Kubernetes; other fields would be ignored, and are refused. */
const PEER_FIELDS = ["podSelector", "namespaceSelector"];

/** What a network plugin does with policies, as rules of nftables for packets that are forwarded between pods. */
export function policyFilter(policies: readonly Policy[], pods: readonly PolicyPod[]): string {
  const isolated = pods.map((pod) => ({ pod, by: policies.filter((policy) => selects(policy, pod)) }));
  const rules = isolated.flatMap(({ pod, by }) => {
    if (by.length === 0) return [];
    const allowed = by.flatMap((policy) =>
      (policy.spec?.ingress ?? []).map((rule) => `ip daddr ${pod.address} ${packetsOf(rule, policy, pods)} accept`),
    );
    return [...allowed, `ip daddr ${pod.address} reject with tcp reset`];
  });
  const chain = ["type filter hook forward priority 0", "ct state established,related accept", ...rules];
  return `table inet policies\ndelete table inet policies\ntable inet policies {\nchain forward {\n${chain.join("\n")}\n}\n}\n`;
}

function selects({ metadata, spec }: Policy, pod: PolicyPod): boolean {
  if (spec?.policyTypes?.includes("Ingress") !== true) throw new Error("only policies about ingress are known here");
  return metadata?.namespace === pod.namespace && matches(spec.podSelector, pod.labels);
}

/** The packets of a rule; of one without ports, or without peers, it is any. */
function packetsOf({ from, ports }: NetworkPolicyIngressRule, { metadata }: Policy, pods: readonly PolicyPod[]) {
  const peers = from?.flatMap((peer) => pods.filter((pod) => isPeer(peer, metadata?.namespace ?? "", pod)));
  // a rule whose peers do not exist lets nothing in
  const sources = peers?.map(({ address }) => address) ?? [];
  const bySource = peers === undefined ? "" : `ip saddr { ${[NOBODY, ...sources].join(", ")} }`;
  const numbers = (ports ?? []).map(({ port, endPort }) => (endPort === undefined ? `${port}` : `${port}-${endPort}`));
  const byPort = ports === undefined ? "" : `tcp dport { ${numbers.join(", ")} }`;
  return `${bySource} ${byPort}`;
}

function isPeer(peer: NetworkPolicyPeer, namespace: string, pod: PolicyPod): boolean {
  const unknown = Object.keys(peer).filter((name) => !PEER_FIELDS.includes(name));
  if (unknown.length > 0) throw new Error(`not known here: ${unknown.join()}`);
  const isThere =
    peer.namespaceSelector === undefined
      ? pod.namespace === namespace
      : matches(peer.namespaceSelector, { "kubernetes.io/metadata.name": pod.namespace });
  return isThere && (peer.podSelector === undefined || matches(peer.podSelector, pod.labels));
}

function matches(selector: Selector, labels: Readonly<Record<string, string>>): boolean {
  if (selector?.matchExpressions !== undefined) throw new Error("only matchLabels are known here");
  return Object.entries(selector?.matchLabels ?? {}).every(([name, value]) => labels[name] === value);
}

/** An address that no pod has: a set of nftables needs an element. */
const NOBODY = "192.0.2.1";
