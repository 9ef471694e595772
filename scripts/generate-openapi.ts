import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ENUMS } from "./openapi-enums.ts";

/**
 * Writes packages/kubernetes-in-process/src/apiserver/openapi/definitions.json: the schemas of the built-in kinds, out of the OpenAPI documents in the
 * Go module k8s.io/kubernetes (Apache-2.0). Run it by hand to move to another version; needs `go`.
 */
const KUBERNETES = "v1.33.4";
const TARGET = join(import.meta.dirname, "../packages/kubernetes-in-process/src/apiserver/openapi/definitions.json");

const DOCUMENTS = [
  "api__v1",
  ...["apps", "autoscaling", "batch", "policy"].map((group) => `apis__${group}__v1`),
  ...[
    "admissionregistration",
    "apiextensions",
    "authentication",
    "authorization",
    "coordination",
    "discovery",
    "events",
    "networking",
    "rbac.authorization",
    "storage",
  ].map((group) => `apis__${group}.k8s.io__v1`),
];

const ROOTS = [
  "admissionregistration.v1.ValidatingWebhookConfiguration",
  ...["ControllerRevision", "DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"].map((kind) => `apps.v1.${kind}`),
  ...["SelfSubjectReview", "TokenRequest", "TokenReview"].map((kind) => `authentication.v1.${kind}`),
  ...["LocalSubjectAccessReview", "SelfSubjectAccessReview", "SelfSubjectRulesReview", "SubjectAccessReview"].map(
    (kind) => `authorization.v1.${kind}`,
  ),
  "autoscaling.v1.Scale",
  ...["CronJob", "Job"].map((kind) => `batch.v1.${kind}`),
  "coordination.v1.Lease",
  ...["Binding", "ConfigMap", "Endpoints", "Event", "LimitRange", "Namespace", "Node", "PersistentVolume"].map(
    (kind) => `core.v1.${kind}`,
  ),
  ...["PersistentVolumeClaim", "Pod", "PodTemplate", "ResourceQuota", "Secret", "Service", "ServiceAccount"].map(
    (kind) => `core.v1.${kind}`,
  ),
  "discovery.v1.EndpointSlice",
  "events.v1.Event",
  ...["Ingress", "IngressClass", "NetworkPolicy"].map((kind) => `networking.v1.${kind}`),
  ...["Eviction", "PodDisruptionBudget"].map((kind) => `policy.v1.${kind}`),
  ...["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"].map((kind) => `rbac.v1.${kind}`),
  "storage.v1.StorageClass",
].map((name) => `io.k8s.api.${name}`);

const OTHER_ROOTS = [
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition",
  ...["DeleteOptions", "ListMeta", "ObjectMeta", "Status"].map(
    (kind) => `io.k8s.apimachinery.pkg.apis.meta.v1.${kind}`,
  ),
];

type Definitions = Map<string, unknown>;

const schemas = readDefinitions(moduleFolder());
addEnums(schemas);
const kept = reachable(schemas, [...ROOTS, ...OTHER_ROOTS]);
writeFileSync(TARGET, `{\n${kept.map((name) => line(name, schemas.get(name))).join(",\n")}\n}\n`);
process.stdout.write(`${kept.length} definitions of Kubernetes ${KUBERNETES} in ${TARGET}\n`);

function moduleFolder(): string {
  const printed = execFileSync("go", ["mod", "download", "-json", `k8s.io/kubernetes@${KUBERNETES}`], {
    encoding: "utf8",
  });
  const { Dir } = asRecord(JSON.parse(printed));
  return String(Dir);
}

function readDefinitions(folder: string): Definitions {
  const documents = DOCUMENTS.map((name) => {
    const text = readFileSync(join(folder, "api/openapi-spec/v3", `${name}_openapi.json`), "utf8");
    return asRecord(asRecord(asRecord(JSON.parse(text))["components"])["schemas"]);
  });
  return new Map(documents.flatMap((schemas) => Object.entries(schemas)));
}

function reachable(all: Definitions, roots: readonly string[]): readonly string[] {
  const found = new Set<string>();
  const open = [...roots];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name)) continue;
    if (!all.has(name)) throw new Error(`Kubernetes ${KUBERNETES} has no ${name}`);
    found.add(name);
    for (const match of JSON.stringify(all.get(name)).matchAll(/"#\/components\/schemas\/([^"]+)"/g))
      open.push(match[1] ?? "");
  }
  return [...found].toSorted();
}

function addEnums(all: Definitions): void {
  for (const [path, words] of Object.entries(ENUMS)) {
    const at = path.lastIndexOf(".");
    const [name, field] = [`io.k8s.api.${path.slice(0, at)}`, path.slice(at + 1)];
    const definition = asRecord(all.get(name));
    const properties = asRecord(definition["properties"]);
    const schema = asRecord(properties[field]);
    const list = schema["items"];
    const spelled =
      list === undefined ? { ...schema, enum: words } : { ...schema, items: { ...asRecord(list), enum: words } };
    all.set(name, { ...definition, properties: { ...properties, [field]: spelled } });
  }
}

function line(name: string, definition: unknown): string {
  return `${JSON.stringify(name)}: ${JSON.stringify(trimmed(name, asRecord(definition)))}`;
}

/** Defaults that are the zero value of Go, and kinds that every group repeats, say nothing. */
function trimmed(name: string, definition: Readonly<Record<string, unknown>>): unknown {
  const schema = asRecord(withoutZeroDefaults(definition));
  const kinds = schema["x-kubernetes-group-version-kind"];
  const own =
    Array.isArray(kinds) && kinds.length > 1 ? { ...schema, "x-kubernetes-group-version-kind": undefined } : schema;
  const open = own["type"] === "object" && !("properties" in own) && !("additionalProperties" in own);
  if (open) return { ...own, "x-kubernetes-preserve-unknown-fields": true };
  if (name.endsWith(".Quantity")) return { ...own, pattern: "^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$" };
  return own;
}

function withoutZeroDefaults(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutZeroDefaults);
  if (typeof value !== "object" || value === null) return value;
  const zero = (key: string, member: unknown): boolean =>
    key === "default" && ['""', "{}", "0", "false"].includes(JSON.stringify(member));
  const members = Object.entries(value).filter(([key, member]) => !zero(key, member));
  return Object.fromEntries(members.map(([key, member]) => [key, withoutZeroDefaults(member)]));
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error("the document has another form");
  return Object.fromEntries(Object.entries(value));
}
