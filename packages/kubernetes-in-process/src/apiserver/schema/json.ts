/** A JSON object whose members are not known. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** True for a JSON object: neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Like Array.isArray, without letting `any` in. */
export function isArray(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** The member `key` that the object itself has, never one of its prototype. */
export function member(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The object member `key`; undefined when it is absent or something else. */
export function objectMember(object: JsonObject, key: string): JsonObject | undefined {
  const value = member(object, key);
  return isJsonObject(value) ? value : undefined;
}

/** A new object of these entries; a key such as `__proto__` becomes an ordinary member. */
export function objectOf(entries: Iterable<readonly [string, unknown]>): JsonObject {
  return Object.fromEntries(entries);
}

/** Deep equality of JSON values; the order of members does not count, an undefined member counts as absent. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (isArray(a)) return isArray(b) && a.length === b.length && a.every((item, i) => sameJson(item, b[i]));
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const present = (object: JsonObject): string[] => Object.keys(object).filter((key) => object[key] !== undefined);
  const keys = present(a);
  return keys.length === present(b).length && keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]));
}
