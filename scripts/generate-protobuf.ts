import { execFileSync } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Writes packages/kubernetes-in-process/src/apiserver/protobuf/messages.json: the numbers and names of the fields of the built-in kinds, out of the Go
 * modules k8s.io/api and k8s.io/apimachinery (Apache-2.0). Run it by hand to move to another version; needs `go`.
 *
 * A field is written `<json name>:<type>`; an empty name means that the fields of the type belong to the parent. Types:
 * s text, i integer, b boolean, y bytes, f float, q quantity, t time, u micro time, x integer or text, r raw JSON,
 * m<name> message, l<type> message with a list of items, `[]` list, `{}` map, `*` pointer (its zero value is a value).
 */
const VERSION = "v0.33.4";
const TARGET = join(import.meta.dirname, "../packages/kubernetes-in-process/src/apiserver/protobuf/messages.json");

const ROOTS = [
  ...["Binding", "ConfigMap", "Endpoints", "Event", "Namespace", "Node", "PersistentVolume", "PersistentVolumeClaim"],
  ...["Pod", "Secret", "Service", "ServiceAccount"],
].map((kind) => `core/v1.${kind}`);

const OTHER_ROOTS = [
  "admissionregistration/v1.ValidatingWebhookConfiguration",
  ...["ControllerRevision", "DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"].map((kind) => `apps/v1.${kind}`),
  ...["SelfSubjectReview", "TokenRequest", "TokenReview"].map((kind) => `authentication/v1.${kind}`),
  ...["LocalSubjectAccessReview", "SelfSubjectAccessReview", "SelfSubjectRulesReview", "SubjectAccessReview"].map(
    (kind) => `authorization/v1.${kind}`,
  ),
  "autoscaling/v1.Scale",
  "batch/v1.CronJob",
  "batch/v1.Job",
  "coordination/v1.Lease",
  "discovery/v1.EndpointSlice",
  "events/v1.Event",
  "networking/v1.Ingress",
  "networking/v1.NetworkPolicy",
  "policy/v1.Eviction",
  "policy/v1.PodDisruptionBudget",
  ...["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"].map((kind) => `rbac/v1.${kind}`),
  "storage/v1.StorageClass",
  "meta/v1.DeleteOptions",
];

/** Types that have a form of their own in JSON. */
const SPECIAL: Readonly<Record<string, string>> = {
  string: "s",
  bool: "b",
  int: "i",
  int32: "i",
  int64: "i",
  uint32: "i",
  float64: "f",
  byte: "i",
  "resource.Quantity": "q",
  "meta/v1.Time": "t",
  "meta/v1.MicroTime": "u",
  "meta/v1.FieldsV1": "r",
  "intstr.IntOrString": "x",
  "runtime.RawExtension": "r",
  "types.UID": "s",
};

const declarations = new Map<string, { readonly body: string; readonly imports: ReadonlyMap<string, string> }>();
for (const file of globSync("*/v1/*types*.go", { cwd: moduleFolder("api") })) read(moduleFolder("api"), file);
read(join(moduleFolder("apimachinery"), "pkg/apis"), "meta/v1/types.go");

const messages = new Map<string, Record<string, string>>();
const open = [...ROOTS, ...OTHER_ROOTS];
for (let name = open.pop(); name !== undefined; name = open.pop()) {
  if (!messages.has(name)) messages.set(name, fieldsOf(name));
}
const lines = [...messages].toSorted(([a], [b]) => (a < b ? -1 : 1));
writeFileSync(
  TARGET,
  `{\n${lines.map(([name, fields]) => `${JSON.stringify(name)}: ${JSON.stringify(fields)}`).join(",\n")}\n}\n`,
);
process.stdout.write(`${messages.size} messages of Kubernetes ${VERSION} in ${TARGET}\n`);

function moduleFolder(name: string): string {
  const printed = execFileSync("go", ["mod", "download", "-json", `k8s.io/${name}@${VERSION}`], { encoding: "utf8" });
  const { Dir } = JSON.parse(printed) as { Dir: string };
  return Dir;
}

/** Keeps every type that the file declares, with the packages that its aliases stand for. */
function read(folder: string, file: string): void {
  const source = readFileSync(join(folder, file), "utf8");
  const text = source.replaceAll(/^\s*\/\/.*$/gm, "");
  const imports = new Map(
    [...text.matchAll(/^\s*(?:(\w+) )?"k8s\.io\/(?:api|apimachinery\/pkg\/apis)\/(\w+)\/v1"$/gm)].map((found) => [
      found[1] ?? "v1",
      `${found[2] ?? ""}/v1`,
    ]),
  );
  const own = file.split("/").slice(0, 2).join("/");
  const all = new Map([...imports, ["", own]]);
  for (const found of text.matchAll(/^type (\w+) (struct \{[\s\S]*?^\}|\S+)/gm)) {
    declarations.set(`${own}.${found[1] ?? ""}`, { body: found[2] ?? "", imports: all });
  }
}

function fieldsOf(name: string): Record<string, string> {
  const declaration = declarations.get(name);
  if (declaration === undefined) throw new Error(`Kubernetes ${VERSION} has no ${name}`);
  const fields: Record<string, string> = {};
  for (const [, type = "", tags = ""] of declaration.body.matchAll(/^\s*(?:\w+\s+)?(\S+)\s+`([^`]*)`/gm)) {
    const [json = ""] = (/json:"([^"]*)"/.exec(tags)?.[1] ?? "").split(",");
    const number = /protobuf:"[^",]*,(\d+)/.exec(tags)?.[1];
    if (number !== undefined) fields[number] = `${json}:${encoded(type, declaration.imports)}`;
  }
  return fields;
}

function encoded(type: string, imports: ReadonlyMap<string, string>): string {
  if (type === "[]byte") return "y";
  if (type.startsWith("*")) return `*${encoded(type.slice(1), imports)}`;
  if (type.startsWith("[]")) return `[]${encoded(type.slice(2), imports)}`;
  const map = /^map\[[\w.]+\](.*)$/.exec(type);
  if (map !== null) return `{}${encoded(map[1] ?? "", imports)}`;
  const name = qualifiedName(type, imports);
  const special = SPECIAL[name] ?? SPECIAL[type];
  if (special !== undefined) return special;
  const declaration = declarations.get(name);
  if (declaration === undefined) throw new Error(`unknown type ${type} (${name})`);
  if (!declaration.body.startsWith("struct")) {
    const list = /^\[\]/.test(declaration.body);
    // a named list is a message of its own that holds the items
    return list
      ? `l${encoded(declaration.body.slice(2), declaration.imports)}`
      : encoded(declaration.body, declaration.imports);
  }
  open.push(name);
  return `m${name}`;
}

function qualifiedName(type: string, imports: ReadonlyMap<string, string>): string {
  const [alias, name] = type.includes(".") ? type.split(".") : ["", type];
  const place = imports.get(alias ?? "");
  return place === undefined ? type : `${place}.${name ?? ""}`;
}
