import type { Service } from "kubernetes-types/core/v1.js";
import type { EndpointSlice } from "kubernetes-types/discovery/v1.js";
import type { OwnerReference } from "kubernetes-types/meta/v1.js";
import { APP_LABEL, clusterNames, LABELS } from "../../core/api/names.ts";
import type { Wanted } from "#kit/kube/kube";
import type { BdbRecord, NodeRecord } from "../../ports/management/records.ts";

/** Where a database's objects are made, and with what they go away. */
export interface EndpointOwner {
  readonly cluster: string;
  readonly namespace: string;
  /** The database's record: the objects go when it does. */
  readonly owner: OwnerReference;
}

/** Nodes that may get new clients: members that take clients and are not about to leave. */
export function servingNodes(nodes: readonly NodeRecord[]): readonly NodeRecord[] {
  return nodes
    .filter(({ status, accepts_clients, maintenance }) => status === "active" && accepts_clients && !maintenance)
    .toSorted((a, b) => a.uid - b.uid);
}

/** Those that a database's policy leads to, as far as they serve; all of them where none of its nodes does. */
export function nodesOfDatabase({ endpoints }: BdbRecord, serving: readonly NodeRecord[]): readonly NodeRecord[] {
  const led = serving.filter(({ addr }) => endpoints.some((endpoint) => endpoint.addr.includes(addr)));
  return led.length > 0 ? led : serving;
}

/** The Service of a database: no selector, since which nodes serve is decided here and not by readiness of pods. */
export function databaseService(bdb: BdbRecord, endpointOwner: EndpointOwner): Wanted<Service> {
  return {
    metadata: metaOf(bdb, endpointOwner),
    spec: { type: "ClusterIP", ports: [{ name: "redis", port: bdb.port, targetPort: bdb.port, protocol: "TCP" }] },
  };
}

/** The addresses behind the Service. */
export function databaseEndpoints(
  bdb: BdbRecord,
  nodes: readonly NodeRecord[],
  endpointOwner: EndpointOwner,
): Wanted<EndpointSlice> {
  const meta = metaOf(bdb, endpointOwner);
  return {
    metadata: {
      ...meta,
      labels: {
        ...meta.labels,
        "kubernetes.io/service-name": bdb.name,
        "endpointslice.kubernetes.io/managed-by": clusterNames.rigger(endpointOwner.cluster),
      },
    },
    addressType: nodes.some(({ addr }) => addr.includes(":")) ? "IPv6" : "IPv4",
    endpoints: nodes.map(({ uid, addr }) => ({
      addresses: [addr],
      conditions: { ready: true, serving: true, terminating: false },
      targetRef: {
        kind: "Pod",
        name: clusterNames.nodePod(endpointOwner.cluster, uid),
        namespace: endpointOwner.namespace,
      },
    })),
    ports: [{ name: "redis", port: bdb.port, protocol: "TCP" }],
  };
}

function metaOf(bdb: BdbRecord, { cluster, namespace, owner }: EndpointOwner) {
  return {
    name: bdb.name,
    namespace,
    labels: {
      [LABELS.app]: APP_LABEL,
      [LABELS.cluster]: cluster,
      [LABELS.database]: bdb.name,
    } as Record<string, string>,
    ownerReferences: [owner],
  };
}
