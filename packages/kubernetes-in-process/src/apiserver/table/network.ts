import { at, listAt, numberAt, textAt, textsAt, type Json } from "../objects/json.ts";
import type { KubeObject } from "../objects/object.ts";
import type { Column } from "../resources/resource.ts";
import { ageColumn, commaSeparated, nameColumn, orNone, printedSelector, textColumn } from "./column.ts";

export const serviceColumns: readonly Column[] = [
  nameColumn,
  textColumn("Type", (o) => textAt(o, "spec", "type")),
  textColumn("Cluster-IP", (o) => orNone(o, "spec", "clusterIP")),
  textColumn("External-IP", externalIp),
  textColumn("Port(s)", (o) => commaSeparated(listAt(o, "spec", "ports").map(servicePort))),
  ageColumn,
  textColumn("Selector", (o) => printedSelector(at(o, "spec", "selector")), 1),
];

export const endpointsColumns: readonly Column[] = [nameColumn, textColumn("Endpoints", endpointsText), ageColumn];

export const endpointSliceColumns: readonly Column[] = [
  nameColumn,
  textColumn("AddressType", (o) => textAt(o, "addressType")),
  textColumn("Ports", (o) => slicePorts(o)),
  textColumn("Endpoints", (o) =>
    shortListText(
      listAt(o, "endpoints").flatMap((endpoint) => textsAt(endpoint, "addresses")),
      "<unset>",
    ),
  ),
  ageColumn,
];

export const ingressColumns: readonly Column[] = [
  nameColumn,
  textColumn("Class", (o) => orNone(o, "spec", "ingressClassName")),
  textColumn("Hosts", (o) => {
    const hosts = listAt(o, "spec", "rules")
      .map((rule) => textAt(rule, "host"))
      .filter((host) => host !== "");
    return hosts.length === 0 ? "*" : hosts.join(",");
  }),
  textColumn("Address", (o) => loadBalancer(o).join(",")),
  textColumn("Ports", (o) => (listAt(o, "spec", "tls").length > 0 ? "80, 443" : "80")),
  ageColumn,
];

export const networkPolicyColumns: readonly Column[] = [
  nameColumn,
  textColumn("Pod-Selector", (o) => printedSelector(at(o, "spec", "podSelector"))),
  ageColumn,
];

function externalIp(service: KubeObject): string {
  const fixed = textsAt(service, "spec", "externalIPs");
  switch (textAt(service, "spec", "type")) {
    case "ExternalName":
      return textAt(service, "spec", "externalName");
    case "LoadBalancer": {
      const all = [...loadBalancer(service), ...fixed];
      return all.length === 0 ? "<pending>" : all.join(",");
    }
    default:
      return commaSeparated(fixed);
  }
}

function loadBalancer(object: KubeObject): string[] {
  return listAt(object, "status", "loadBalancer", "ingress").map(
    (entry) => textAt(entry, "ip") || textAt(entry, "hostname"),
  );
}

function servicePort(port: Json): string {
  const node = numberAt(port, "nodePort") ?? 0;
  return `${String(port["port"])}${node === 0 ? "" : `:${node}`}/${textAt(port, "protocol") || "TCP"}`;
}

function endpointsText(endpoints: KubeObject): string {
  const all = listAt(endpoints, "subsets").flatMap((subset) => {
    const addresses = listAt(subset, "addresses").map((address) => textAt(address, "ip"));
    const ports = listAt(subset, "ports");
    if (ports.length === 0) return addresses;
    return ports.flatMap((port) => addresses.map((address) => `${address}:${String(port["port"])}`));
  });
  return shortListText(all, "<none>");
}

function slicePorts(slice: KubeObject): string {
  const ports = listAt(slice, "ports");
  return shortListText(
    ports.map((port) => (port["port"] === undefined || port["port"] === null ? "*" : String(port["port"]))),
    "<unset>",
  );
}

function shortListText(items: readonly string[], none: string): string {
  if (items.length === 0) return none;
  return items.length <= 3 ? items.join(",") : `${items.slice(0, 3).join(",")} + ${items.length - 3} more...`;
}
