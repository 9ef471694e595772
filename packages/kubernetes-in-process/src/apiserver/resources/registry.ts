import type { Resource } from "./resource.ts";

/** The resources served at the moment. */
export interface Registry {
  /** Undefined when no such resource is served at that version. */
  find(group: string, version: string, plural: string): Resource | undefined;
  /** Any served version of the resource; the preferred one first. */
  all(): readonly Resource[];
  /** Groups with their versions, the preferred one first; the core group is "". */
  groups(): { readonly name: string; readonly versions: readonly string[] }[];
  /** Replaces everything that the definition called `name` serves; an empty list removes it. */
  define(name: string, resources: readonly Resource[]): void;
  /** Rises with each change, so that derived documents can be kept. */
  generation(): number;
}

/** A registry of the built-in resources, which are always served, and of those that definitions add. */
export function createRegistry(builtin: readonly Resource[]): Registry {
  const defined = new Map<string, readonly Resource[]>();
  let every: readonly Resource[] = builtin;
  let generation = 0;
  let index = indexOf(every);
  return {
    find: (group, version, plural) => index.get(`${group}/${version}/${plural}`),
    all: () => every,
    groups: () => {
      const groups = Map.groupBy(every, ({ group }) => group);
      return [...groups].map(([name, members]) => ({
        name,
        versions: [...new Set(members.map(({ version }) => version))].sort(byPriority),
      }));
    },
    define: (name, resources) => {
      if (resources.length === 0) defined.delete(name);
      else defined.set(name, resources);
      every = [...builtin, ...[...defined].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, list]) => list)];
      index = indexOf(every);
      generation++;
    },
    generation: () => generation,
  };
}

/** Orders versions as Kubernetes prefers them: `v2`, `v1`, `v1beta2`, `v1beta1`, `v1alpha1`, then others by name. */
export function byPriority(a: string, b: string): number {
  const [left, right] = [rankOf(a), rankOf(b)];
  for (const [index, value] of left.entries()) {
    const difference = (right[index] ?? 0) - value;
    if (difference !== 0) return difference;
  }
  return a < b ? -1 : Number(a > b);
}

function rankOf(version: string): number[] {
  const found = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (found === null) return [0, 0, 0];
  const stability = found[2] === undefined ? 3 : found[2] === "beta" ? 2 : 1;
  return [stability, Number(found[1]), Number(found[3] ?? 0)];
}

function indexOf(resources: readonly Resource[]): Map<string, Resource> {
  return new Map(resources.map((resource) => [`${resource.group}/${resource.version}/${resource.plural}`, resource]));
}
