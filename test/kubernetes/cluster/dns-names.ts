import type { Service } from "kubernetes-types/core/v1.js";
import type { Endpoint, EndpointSlice } from "kubernetes-types/discovery/v1.js";
import type { Stored } from "#kit/kube/kube";

/** What names are made from. */
export interface Names {
  service(namespace: string, name: string): Stored<Service> | undefined;
  slices(namespace: string, service: string): readonly Stored<EndpointSlice>[];
}

const DOMAIN = "cluster.local";

/** The IPv4 addresses of a name of the cluster, empty when it has none of that kind; undefined when there is no such name. */
export function addressesOf(name: string, names: Names): readonly string[] | undefined {
  const suffix = `.svc.${DOMAIN}`;
  const lower = name.toLowerCase();
  if (!lower.endsWith(suffix)) return undefined;
  const parts = lower.slice(0, -suffix.length).split(".");
  const [namespace = "", service = "", pod, ...rest] = parts.toReversed();
  const found = names.service(namespace, service);
  if (found === undefined || rest.length > 0) return undefined;
  const isHeadless = found.spec?.clusterIP === "None";
  if (!isHeadless) return pod === undefined ? [found.spec?.clusterIP ?? ""] : undefined;
  const everyone = found.spec?.publishNotReadyAddresses === true;
  const endpoints = names.slices(namespace, service).flatMap((slice) => endpointsOf(slice, everyone));
  if (pod === undefined) return unique(endpoints.map(({ address }) => address));
  const named = unique(endpoints.filter(({ host }) => host === pod).map(({ address }) => address));
  return named.length === 0 ? undefined : named;
}

function endpointsOf(slice: Stored<EndpointSlice>, everyone: boolean): { host: string; address: string }[] {
  if (slice.addressType !== "IPv4") return [];
  const endpoints: readonly Endpoint[] | null = slice.endpoints; // a slice without any says null
  return (endpoints ?? [])
    .filter(({ conditions }) => everyone || conditions?.ready !== false)
    .flatMap(({ addresses, hostname }) =>
      addresses.map((address) => ({ address, host: hostname ?? address.replaceAll(".", "-") })),
    );
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}
