import type { NetworkPolicy, NetworkPolicyIngressRule, NetworkPolicyPeer } from "kubernetes-types/networking/v1.js";
import { clusterNames, ENDPOINT_PORTS, OPERATOR_NAME, PORTS } from "../../../core/api/names.ts";
import { NAMESPACE_NAME } from "../../../core/releases/bundle/admission.ts";
import type { Wanted } from "#kit/kube/kube";
import { ownedMeta, selectorOf, type Owner } from "./meta.ts";

/** The programs that have to reach the management API beside the cluster itself. */
export interface Callers {
  /** Namespace of the operator. */
  readonly operator: string;
  /** Operators elsewhere ask it too, for Active-Active databases: where they come from is not known here. */
  readonly elsewhere: boolean;
}

/** What reaches the nodes of a cluster: clients the endpoints, its own pods and the operator what they need, and nothing else. */
export function nodeNetworkPolicy(owner: Owner, { operator, elsewhere }: Callers): Wanted<NetworkPolicy> {
  const pods = (role: string): NetworkPolicyPeer => ({ podSelector: { matchLabels: selectorOf(owner, role) } });
  const management: NetworkPolicyIngressRule = { ports: [{ protocol: "TCP", port: PORTS.management }] };
  const manager: NetworkPolicyPeer = {
    namespaceSelector: { matchLabels: { [NAMESPACE_NAME]: operator } },
    podSelector: { matchLabels: { name: OPERATOR_NAME } },
  };
  return {
    metadata: ownedMeta(owner, clusterNames.networkPolicy(owner.view.name), "node"),
    spec: {
      podSelector: { matchLabels: selectorOf(owner, "node") },
      policyTypes: ["Ingress"],
      ingress: [
        { ports: [{ protocol: "TCP", port: ENDPOINT_PORTS.first, endPort: ENDPOINT_PORTS.last }] },
        // nodes of another release may talk on further ports
        { from: [pods("node")] },
        elsewhere ? management : { ...management, from: [pods("services-rigger"), manager] },
        // links of other sites show a certificate, and come from where theirs are
        ...(elsewhere ? [{ ports: [{ protocol: "TCP", port: PORTS.replication }] }] : []),
      ],
    },
  };
}
