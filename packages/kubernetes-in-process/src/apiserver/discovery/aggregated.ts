import { reviews, type ReviewResource } from "../auth/reviews.ts";
import type { Json } from "../objects/json.ts";
import { byPriority, type Registry } from "../resources/registry.ts";
import type { Resource } from "../resources/resource.ts";
import { servedGroups, subresourceTraits } from "./groups.ts";

/** Everything that is served, in one answer: of `/api` when `core`, else of `/apis`. `version` is v2 or v2beta1. */
export function aggregatedDiscovery(registry: Registry, core: boolean, version: string): Json {
  const groups = servedGroups(registry).filter(({ name }) => (name === "") === core);
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: { name, creationTimestamp: null },
      versions: [...versions].sort(byPriority).map((each) => ({
        version: each,
        resources: [
          ...registry
            .all()
            .filter((resource) => resource.group === name && resource.version === each)
            .map(entryOf),
          ...reviews.filter((review) => review.group === name && review.version === each).map(reviewEntry),
        ],
        freshness: "Current",
      })),
    })),
  };
}

function entryOf(resource: Resource): Json {
  const { group, version, kind, plural, singular, shortNames, categories, verbs, namespaced, subresources } = resource;
  const optional = {
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(subresources.length === 0
      ? {}
      : { subresources: subresources.map((name) => subresourceEntry(resource, name)) }),
  };
  return {
    resource: plural,
    responseKind: { group, version, kind },
    scope: namespaced ? "Namespaced" : "Cluster",
    singularResource: singular,
    verbs,
    ...optional,
  };
}

function subresourceEntry(resource: Resource, name: Resource["subresources"][number]): Json {
  const { group = resource.group, version = resource.version, kind, verbs } = subresourceTraits(resource, name);
  return { subresource: name, responseKind: { group, version, kind }, verbs };
}

function reviewEntry({ group, version, kind, plural, namespaced }: ReviewResource): Json {
  return {
    resource: plural,
    responseKind: { group, version, kind },
    scope: namespaced ? "Namespaced" : "Cluster",
    singularResource: kind.toLowerCase(),
    verbs: ["create"],
  };
}
