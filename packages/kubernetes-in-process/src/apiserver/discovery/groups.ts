import type { ReviewResource } from "../auth/reviews.ts";
import { reviews } from "../auth/reviews.ts";
import type { Json } from "../objects/json.ts";
import { joinApiVersion } from "../objects/object.ts";
import type { Registry } from "../resources/registry.ts";
import { byPriority } from "../resources/registry.ts";
import type { Resource, Subresource } from "../resources/resource.ts";

/** The versions of the groups that are served, groups of reviews included; the core group is "". */
export function servedGroups(registry: Registry): { name: string; versions: readonly string[] }[] {
  const groups = registry.groups().map(({ name, versions }) => ({ name, versions: [...versions] }));
  for (const { group, version } of reviews) {
    const known = groups.find(({ name }) => name === group);
    if (known === undefined) groups.push({ name: group, versions: [version] });
    else if (!known.versions.includes(version)) known.versions.push(version);
  }
  return groups.map(({ name, versions }) => ({ name, versions: versions.sort(byPriority) }));
}

/** The answer to `/api`. */
export function apiVersions(address: string): Json {
  return {
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: address }],
  };
}

/** The answer to `/apis`. */
export function groupList(registry: Registry): Json {
  const groups = servedGroups(registry).filter(({ name }) => name !== "");
  return {
    kind: "APIGroupList",
    apiVersion: "v1",
    groups: groups.map(({ name, versions }) => groupBody(name, versions)),
  };
}

/** The answer to `/apis/<group>`; undefined when there is no such group. */
export function groupDiscovery(registry: Registry, group: string): Json | undefined {
  const found = servedGroups(registry).find(({ name }) => name === group && name !== "");
  return found === undefined
    ? undefined
    : { kind: "APIGroup", apiVersion: "v1", ...groupBody(found.name, found.versions) };
}

/** The answer to `/api/v1` and `/apis/<group>/<version>`; undefined when nothing is served there. */
export function resourceList(registry: Registry, group: string, version: string): Json | undefined {
  const served = registry.all().filter((resource) => resource.group === group && resource.version === version);
  const asked = reviews.filter((review) => review.group === group && review.version === version);
  if (served.length + asked.length === 0) return undefined;
  return {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: joinApiVersion(group, version),
    resources: [...served.flatMap(resourceEntries), ...asked.map(reviewEntry)],
  };
}

function groupBody(name: string, versions: readonly string[]): Json {
  const entries = versions.map((version) => ({ groupVersion: joinApiVersion(name, version), version }));
  return { name, versions: entries, preferredVersion: entries[0] };
}

function resourceEntries(resource: Resource): Json[] {
  const main: Json = {
    name: resource.plural,
    singularName: resource.singular,
    namespaced: resource.namespaced,
    kind: resource.kind,
    verbs: resource.verbs,
    ...(resource.shortNames.length === 0 ? {} : { shortNames: resource.shortNames }),
    ...(resource.categories.length === 0 ? {} : { categories: resource.categories }),
    storageVersionHash: Buffer.from(resource.bucket).toString("base64").slice(0, 11) + "=",
  };
  return [main, ...resource.subresources.map((name) => subresourceEntry(resource, name))];
}

function subresourceEntry(resource: Resource, name: Subresource): Json {
  const traits = subresourceTraits(resource, name);
  const { group, version, kind, verbs } = traits;
  return {
    name: `${resource.plural}/${name}`,
    singularName: "",
    namespaced: resource.namespaced,
    ...(group === undefined ? {} : { group, version }),
    kind,
    verbs,
  };
}

/** What a subresource takes and which verbs it has. */
export function subresourceTraits(
  resource: Resource,
  name: Subresource,
): { kind: string; verbs: readonly string[]; group?: string; version?: string } {
  switch (name) {
    case "status":
    case "ephemeralcontainers":
      return { kind: resource.kind, verbs: ["get", "patch", "update"] };
    case "scale":
      return { group: "autoscaling", version: "v1", kind: "Scale", verbs: ["get", "patch", "update"] };
    case "log":
      return { kind: resource.kind, verbs: ["get"] };
    case "binding":
      return { kind: "Binding", verbs: ["create"] };
    case "eviction":
      return { group: "policy", version: "v1", kind: "Eviction", verbs: ["create"] };
    case "token":
      return { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest", verbs: ["create"] };
    case "finalize":
      return { kind: resource.kind, verbs: ["update"] };
    case "attach":
      return { kind: "PodAttachOptions", verbs: ["create", "get"] };
    case "exec":
      return { kind: "PodExecOptions", verbs: ["create", "get"] };
    case "portforward":
      return { kind: "PodPortForwardOptions", verbs: ["create", "get"] };
  }
}

function reviewEntry(review: ReviewResource): Json {
  return {
    name: review.plural,
    singularName: review.kind.toLowerCase(),
    namespaced: review.namespaced,
    kind: review.kind,
    verbs: ["create"],
  };
}
