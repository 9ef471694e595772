/** The media types of patches. */
export const PATCH = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
} as const;

/** A ConfigMap with these labels; `more` is more of it than its metadata. */
export function configMap(name: string, labels: Record<string, string> = {}, more: object = {}): object {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, labels }, ...more };
}

/** A Pod of one container with the label `app: <name>`; `spec` is more of its spec. */
export function pod(name: string, spec: object = {}): object {
  const containers = [{ name: "main", image: "image:1" }];
  return { apiVersion: "v1", kind: "Pod", metadata: { name, labels: { app: name } }, spec: { containers, ...spec } };
}

/** A Deployment or StatefulSet whose pods have a container for each name in `containers`. */
export function workload(kind: "Deployment" | "StatefulSet", name: string, containers: readonly string[] = ["main"]) {
  const labels = { app: name };
  return {
    apiVersion: "apps/v1",
    kind,
    metadata: { name },
    spec: {
      replicas: 0,
      ...(kind === "StatefulSet" ? { serviceName: name } : {}),
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: containers.map((each) => ({ name: each, image: `${each}:1` })) },
      },
    },
  };
}

/** The names in a list. */
export function namesOf(list: {
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
}): string[] {
  return list.items.map(({ metadata }) => metadata.name);
}
