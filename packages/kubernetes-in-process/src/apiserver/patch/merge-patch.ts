import { isJsonObject, member, objectOf, type JsonObject } from "../schema/json.ts";

/** RFC 7386: members of `patch` replace those of `object`, objects are merged, null removes. Changes neither. */
export function applyMergePatch(object: JsonObject, patch: JsonObject): JsonObject {
  return objectOf([
    ...Object.entries(object).filter(([key]) => !Object.hasOwn(patch, key)),
    ...Object.entries(patch)
      .filter(([, value]) => value !== null)
      .map(([key, value]) => [key, mergeMember(member(object, key), value)] as const),
  ]);
}

function mergeMember(current: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch;
  return applyMergePatch(isJsonObject(current) ? current : {}, patch);
}
