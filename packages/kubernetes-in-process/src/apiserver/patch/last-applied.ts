import { isJsonObject, member, objectMember, type JsonObject } from "../schema/json.ts";
import type { Schema } from "../schema/schema.ts";
import { difference, emptySet, type FieldSet } from "./field-set.ts";
import { compareFields, fieldsOf } from "./structured.ts";
import { parseJson } from "../../../../controller-kit/src/base/json.ts";

const ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration";

/**
 * The fields that `kubectl apply` wrote and that are still as it wrote them: `kubectl apply --server-side` may take them
 * over without force.
 */
export function allowedConflicts(live: JsonObject | undefined, schema: Schema): FieldSet {
  const last = lastApplied(live);
  if (last === undefined || live === undefined) return emptySet;
  const { changed, removed } = compareFields(schema, last, live);
  return difference(difference(fieldsOf(schema, last), changed), removed);
}

/** The result of an apply by kubectl, its annotation brought up to date where the object has one. */
export function withLastApplied(
  object: JsonObject,
  live: JsonObject | undefined,
  applied: JsonObject,
  manager: string,
): JsonObject {
  if (manager !== "kubectl" || lastApplied(live) === undefined) return object;
  const metadata = objectMember(object, "metadata") ?? {};
  const annotations = { ...objectMember(metadata, "annotations"), [ANNOTATION]: `${asGoWritesIt(applied)}\n` };
  return { ...object, metadata: { ...metadata, annotations } };
}

function lastApplied(live: JsonObject | undefined): JsonObject | undefined {
  const metadata = live === undefined ? undefined : objectMember(live, "metadata");
  const text = member(objectMember(metadata ?? {}, "annotations") ?? {}, ANNOTATION);
  if (typeof text !== "string") return undefined;
  const parsed = parseJson(text); // an annotation that someone damaged says nothing
  return isJsonObject(parsed) ? parsed : undefined;
}

/** Go sorts the keys of a map and escapes what HTML would take for markup; kubectl compares the text. */
function asGoWritesIt(applied: JsonObject): string {
  const text = JSON.stringify(applied, (_key, value: unknown) =>
    isJsonObject(value) ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) : value,
  );
  return text.replace(/[<>&\u2028\u2029]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
