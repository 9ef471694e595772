import type { Service, ServicePort } from "kubernetes-types/core/v1.js";
import type { Endpoint, EndpointSlice } from "kubernetes-types/discovery/v1.js";
import type { Stored } from "../../../../controller-kit/src/kube/kube.ts";
import type { Forward } from "./forwarder.ts";
import type { TcpAddress } from "./address.ts";

/** Each cluster IP and port with the endpoints that take its connections. */
export function serviceTable(
  services: readonly Stored<Service>[],
  slices: readonly Stored<EndpointSlice>[],
): Forward[] {
  return services.flatMap((service) => {
    const clusterIP = service.spec?.clusterIP ?? "";
    if (clusterIP === "" || clusterIP === "None" || service.spec?.type === "ExternalName") return [];
    const own = slices.filter((slice) => belongsTo(slice, service));
    return (service.spec?.ports ?? [])
      .filter(({ protocol = "TCP" }) => protocol === "TCP")
      .map((port) => ({ listen: { host: clusterIP, port: port.port }, backends: backendsOf(port, own) }));
  });
}

function belongsTo({ metadata, addressType }: Stored<EndpointSlice>, service: Stored<Service>): boolean {
  const isNamed = metadata.labels?.["kubernetes.io/service-name"] === service.metadata.name;
  return isNamed && metadata.namespace === service.metadata.namespace && addressType === "IPv4";
}

/** The ready endpoints; where there are none, those that still serve while they end. */
function backendsOf(port: ServicePort, slices: readonly Stored<EndpointSlice>[]): TcpAddress[] {
  const chosenBy = (isChosen: (endpoint: Endpoint) => boolean): TcpAddress[] =>
    slices.flatMap((slice) => {
      const number = slice.ports?.find(({ name = "" }) => name === (port.name ?? ""))?.port;
      if (number === undefined) return [];
      // typed as always there, yet a slice without endpoints has null or nothing in its place
      const hosts = (slice.endpoints ?? []).filter(isChosen).flatMap(({ addresses }) => addresses.slice(0, 1));
      return hosts.map((host) => ({ host, port: number }));
    });
  const ready = chosenBy(({ conditions }) => conditions?.ready !== false);
  return ready.length > 0
    ? ready
    : chosenBy(({ conditions }) => conditions?.serving === true && conditions.terminating === true);
}
