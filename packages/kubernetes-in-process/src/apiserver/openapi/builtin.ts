import { isArray, isJsonObject, type JsonObject } from "../schema/json.ts";
import { QUANTITY_FORMAT } from "../schema/quantity.ts";
import type { Schema } from "../schema/schema.ts";
import { definition, definitionOfKind, nameOfReference, OBJECT_META } from "./definitions.ts";

/**
 * Definitions whose `required` only mirrors that Go always writes the field: the server takes objects without it, as a
 * status may begin empty.
 */
const NOT_REQUIRED = /(Status|Condition|NodeSystemInfo|ContainerState\w*|v1\.(Cluster)?Role|v1\.EndpointSlice)$/;

const QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity";

const resolved = new Map<string, Schema>();

/** The schema of a built-in kind, references resolved (cyclic where the kind is); throws for a kind that is none. */
export function builtinSchema(group: string, version: string, kind: string): Schema {
  const name = definitionOfKind(group, version, kind);
  if (name === undefined) throw new Error(`no built-in kind ${kind} in ${group}/${version}`);
  return resolvedDefinition(name);
}

/** The schema of a custom resource as a whole: what its definition says, with the fields that every object has. */
export function customSchema(schema: Schema): Schema {
  const { apiVersion = {}, kind = {} } = builtinSchema("", "v1", "ConfigMap").properties ?? {};
  const common = resolvedDefinition(OBJECT_META);
  // a definition may restrict nothing but the name
  const name = { ...common.properties?.["name"], ...schema.properties?.["metadata"]?.properties?.["name"] };
  const metadata = { ...common, properties: { ...common.properties, name } };
  return { ...schema, type: "object", properties: { ...schema.properties, apiVersion, kind, metadata } };
}

/** A reference that waits until every definition it may lead to is there. */
interface Pending {
  readonly schema: JsonObject;
  readonly target: string;
  readonly own: JsonObject;
}

function resolvedDefinition(name: string): Schema {
  const known = resolved.get(name);
  if (known !== undefined) return known;
  const pending: Pending[] = [];
  const schema = open(name, pending);
  for (const { schema: referrer, target, own } of pending) Object.assign(referrer, resolved.get(target), own);
  return schema;
}

function open(name: string, pending: Pending[]): Schema {
  const known = resolved.get(name);
  if (known !== undefined) return known;
  const schema: Schema = {};
  resolved.set(name, schema); // before its members: a definition may contain itself
  const { required, ...rest } = definition(name);
  const kept = required === undefined || NOT_REQUIRED.test(name) ? rest : { ...rest, required };
  const mark = name === QUANTITY ? { format: QUANTITY_FORMAT } : {};
  return Object.assign(schema, linkedMembers(kept, pending), mark);
}

function resolveReferences(node: unknown, pending: Pending[]): unknown {
  if (isArray(node)) return node.map((item) => resolveReferences(item, pending));
  if (!isJsonObject(node)) return node;
  const reference = referenceOf(node);
  if (reference === undefined) return linkedMembers(node, pending);
  const { allOf: _, $ref: __, ...own } = node;
  open(reference, pending);
  const schema: JsonObject = {};
  pending.push({ schema, target: reference, own });
  return schema;
}

function linkedMembers(node: JsonObject, pending: Pending[]): JsonObject {
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, resolveReferences(value, pending)]));
}

/** Kubernetes writes a reference with a description of its own as an allOf of one. */
function referenceOf(node: JsonObject): string | undefined {
  const { allOf } = node;
  const holder = isArray(allOf) && allOf.length === 1 && isJsonObject(allOf[0]) ? allOf[0] : node;
  return typeof holder["$ref"] === "string" ? nameOfReference(holder["$ref"]) : undefined;
}
