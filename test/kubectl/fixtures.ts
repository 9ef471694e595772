/** A custom resource as operators define them: subresources, printer columns, defaults, enum, keyed lists. */
export const CACHE_DEFINITION = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: caches.demo.example.com
spec:
  group: demo.example.com
  scope: Namespaced
  names: { kind: Cache, plural: caches, singular: cache, shortNames: [cch], categories: [all] }
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: { specReplicasPath: .spec.size, statusReplicasPath: .status.ready, labelSelectorPath: .status.selector }
    additionalPrinterColumns:
    - { name: Mode, type: string, jsonPath: .spec.mode }
    - { name: Size, type: integer, jsonPath: .spec.size }
    - { name: Phase, type: string, jsonPath: .status.phase, description: Where the cache is in its life. }
    - { name: Version, type: string, jsonPath: .spec.version, priority: 1 }
    - { name: Age, type: date, jsonPath: .metadata.creationTimestamp }
    schema:
      openAPIV3Schema:
        description: Cache keeps values in memory.
        type: object
        required: [spec]
        properties:
          spec:
            description: What the cache should be.
            type: object
            required: [version]
            properties:
              mode: { type: string, enum: [single, cluster], default: single, description: How its members work together. }
              size: { type: integer, format: int32, minimum: 1, maximum: 9, default: 3, description: Number of members. }
              threads: { type: integer }
              version: { type: string, pattern: '^[0-9]+[.][0-9]+$' }
              memory: { x-kubernetes-int-or-string: true, anyOf: [{ type: integer }, { type: string }] }
              settings: { type: object, additionalProperties: { type: string } }
              endpoints:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items:
                  type: object
                  required: [name]
                  properties:
                    name: { type: string }
                    port: { type: integer, default: 6379 }
              extra: { type: object, x-kubernetes-preserve-unknown-fields: true }
          status:
            type: object
            properties:
              phase: { type: string }
              ready: { type: integer }
              selector: { type: string }
              conditions:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [type]
                items:
                  type: object
                  required: [type, status]
                  properties:
                    type: { type: string }
                    status: { type: string }
                    reason: { type: string }
                    message: { type: string }
                    lastTransitionTime: { type: string, format: date-time }
`;

/** A Cache named `name`; `spec` is more YAML of its spec, in flow style. */
export function cache(name: string, spec = ""): string {
  return `
apiVersion: demo.example.com/v1
kind: Cache
metadata: { name: ${name}, labels: { app: ${name} } }
spec: { version: "7.2"${spec === "" ? "" : `, ${spec}`} }
`;
}

/** A Deployment or StatefulSet named `name`, with one container. */
export function workload(kind: "Deployment" | "StatefulSet", name: string, image = "shop:1"): string {
  return `
apiVersion: apps/v1
kind: ${kind}
metadata: { name: ${name}, labels: { app: ${name} } }
spec:
  replicas: 2
  selector: { matchLabels: { app: ${name} } }
  ${kind === "StatefulSet" ? `serviceName: ${name}` : "revisionHistoryLimit: 3"}
  template:
    metadata: { labels: { app: ${name} } }
    spec:
      containers:
      - { name: main, image: "${image}", env: [{ name: A, value: "1" }], ports: [{ name: http, containerPort: 80 }] }
`;
}

/** A Pod named `name` with two containers. */
export function pod(name: string, labels = `app: ${name}`): string {
  return `
apiVersion: v1
kind: Pod
metadata: { name: ${name}, labels: { ${labels} } }
spec:
  containers:
  - { name: main, image: "shop:1" }
  - { name: side, image: "side:1" }
`;
}

/** A ConfigMap named `name` with this data, in flow style. */
export function configMap(name: string, data: string, labels = `app: ${name}`): string {
  return `
apiVersion: v1
kind: ConfigMap
metadata: { name: ${name}, labels: { ${labels} } }
data: { ${data} }
`;
}

/** Several documents as one. */
export function together(...documents: readonly string[]): string {
  return documents.join("---");
}
