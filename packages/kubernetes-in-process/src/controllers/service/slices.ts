import type { EndpointSubset, Endpoints, Service } from "kubernetes-types/core/v1.js";
import type { EndpointSlice } from "kubernetes-types/discovery/v1.js";
import type { Stored, Wanted } from "../../../../controller-kit/src/kube/kube.ts";
import { controllerReference } from "../../../../controller-kit/src/kube/ref.ts";
import { hashOf } from "../pods/template.ts";
import type { ServiceBackend } from "./endpoint.ts";

export const SERVICE_LABEL = "kubernetes.io/service-name";
export const MANAGED_BY = "endpointslice.kubernetes.io/managed-by";
export const SLICE_MANAGER = "endpointslice-controller.k8s.io";

/** One slice for each set of ports that the backends have, usually one; an empty one when there is no backend. */
export function endpointSlicesOf(
  service: Stored<Service>,
  backends: readonly ServiceBackend[],
): Wanted<EndpointSlice>[] {
  const groups = byPorts(backends);
  return (groups.length === 0 ? [{ ports: [], members: [] }] : groups).map(({ ports, members }) => ({
    metadata: {
      name: `${service.metadata.name}-${hashOf({ ports }).slice(0, 5)}`,
      namespace: service.metadata.namespace ?? "",
      labels: {
        ...service.metadata.labels,
        [SERVICE_LABEL]: service.metadata.name,
        [MANAGED_BY]: SLICE_MANAGER,
        ...headless(service, "service.kubernetes.io/headless"),
      },
      ownerReferences: [controllerReference(service)],
    },
    addressType: "IPv4",
    endpoints: members.map(({ endpoint }) => endpoint),
    ports: [...ports],
  }));
}

/** The older form of the same facts, which `kubectl get endpoints` shows; pods that are going are left out. */
export function endpointsOf(service: Stored<Service>, backends: readonly ServiceBackend[]): Wanted<Endpoints> {
  return {
    metadata: {
      name: service.metadata.name,
      namespace: service.metadata.namespace ?? "",
      labels: { ...service.metadata.labels, ...headless(service, "service.kubernetes.io/headless") },
      ownerReferences: [controllerReference(service)],
    },
    subsets: byPorts(backends).flatMap(({ ports, members }) => subsetOf(service, ports, members)),
  };
}

interface Group {
  readonly ports: ServiceBackend["ports"];
  readonly members: readonly ServiceBackend[];
}

function byPorts(backends: readonly ServiceBackend[]): Group[] {
  const sorted = backends.toSorted((a, b) =>
    (a.endpoint.addresses[0] ?? "") < (b.endpoint.addresses[0] ?? "") ? -1 : 1,
  );
  const groups = Map.groupBy(sorted, ({ ports }) => JSON.stringify(ports));
  return [...groups.values()].map((members) => ({ ports: members[0]?.ports ?? [], members }));
}

function subsetOf(
  service: Stored<Service>,
  ports: ServiceBackend["ports"],
  members: readonly ServiceBackend[],
): EndpointSubset[] {
  const address = ({ endpoint: { addresses, hostname, nodeName, targetRef } }: ServiceBackend): { ip: string } => ({
    ip: addresses[0] ?? "",
    ...(hostname === undefined ? {} : { hostname }),
    ...(nodeName === undefined ? {} : { nodeName }),
    ...(targetRef === undefined ? {} : { targetRef }),
  });
  const publishAll = service.spec?.publishNotReadyAddresses === true;
  const shown = members.filter(({ endpoint }) => publishAll || endpoint.conditions?.terminating !== true);
  const isReady = ({ endpoint }: ServiceBackend): boolean => endpoint.conditions?.ready === true;
  const [ready, rest] = [shown.filter(isReady).map(address), shown.filter((backend) => !isReady(backend)).map(address)];
  if (shown.length === 0) return [];
  return [
    {
      ...(ready.length === 0 ? {} : { addresses: ready }),
      ...(rest.length === 0 ? {} : { notReadyAddresses: rest }),
      ...(ports.length === 0
        ? {}
        : {
            ports: ports.map(({ name = "", port = 0, protocol = "TCP" }) => ({
              ...(name === "" ? {} : { name }),
              port,
              protocol,
            })),
          }),
    },
  ];
}

function headless({ spec }: Stored<Service>, label: string): Record<string, string> {
  return spec?.clusterIP === "None" ? { [label]: "" } : {};
}
