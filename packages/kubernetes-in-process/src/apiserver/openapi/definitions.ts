import { readFileSync } from "node:fs";
import { isArray, isJsonObject, objectMember, type JsonObject } from "../schema/json.ts";

/** Where the documents keep their definitions. */
export const SCHEMA_PREFIX = "#/components/schemas/";

export const OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

let loaded: JsonObject | undefined;
let ofKinds: ReadonlyMap<string, string> | undefined;

/** The definition `name` of Kubernetes, its references unresolved. Read from disk at the first call. */
export function definition(name: string): JsonObject {
  const found = objectMember(definitions(), name);
  if (found === undefined) throw new Error(`definitions.json lacks ${name}: scripts/generate-openapi.ts must name it`);
  return found;
}

/** The name of the definition of a kind; undefined when it is none of the built-in ones. */
export function definitionOfKind(group: string, version: string, kind: string): string | undefined {
  ofKinds ??= namesOfKinds();
  return ofKinds.get(keyOfKind(group, version, kind));
}

/** The names of `definition` that a piece of a document refers to, all the way down; `others` are known without it. */
export function referencedDefinitions(document: unknown, others: ReadonlySet<string>): readonly string[] {
  const found = new Set<string>();
  const open = namesIn(document);
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name) || others.has(name)) continue;
    found.add(name);
    for (const each of namesIn(definition(name))) open.push(each);
  }
  return [...found].toSorted();
}

/** The name in a `$ref`. */
export function nameOfReference(reference: string): string {
  return reference.slice(SCHEMA_PREFIX.length);
}

function definitions(): JsonObject {
  if (loaded === undefined) {
    const parsed: unknown = JSON.parse(readFileSync(new URL("definitions.json", import.meta.url), "utf8"));
    loaded = isJsonObject(parsed) ? parsed : {};
  }
  return loaded;
}

/** A definition such as `DeleteOptions` lists kinds of every group: it is that of the version and kind in its name alone. */
function namesOfKinds(): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const [name, schema] of Object.entries(definitions())) {
    const [version = "", kind = ""] = name.split(".").slice(-2);
    for (const group of groupsOf(schema)) {
      const key = keyOfKind(group, version, kind);
      if (!names.has(key)) names.set(key, name);
    }
  }
  return names;
}

function keyOfKind(group: string, version: string, kind: string): string {
  return `${group}/${version}/${kind}`;
}

function groupsOf(schema: unknown): readonly string[] {
  const kinds = isJsonObject(schema) ? schema["x-kubernetes-group-version-kind"] : undefined;
  return isArray(kinds) ? kinds.filter(isJsonObject).map((kind) => String(kind["group"])) : [];
}

function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (!isJsonObject(value)) return [];
  const reference = value["$ref"];
  const own = typeof reference === "string" && reference.startsWith(SCHEMA_PREFIX) ? [nameOfReference(reference)] : [];
  return [...own, ...Object.values(value).flatMap(namesIn)];
}
