/** A JSON object whose fields are not known yet. */
export type Json = Record<string, unknown>;

/** True for JSON objects; arrays and null are none. */
export function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value below `path`; undefined as soon as a step is missing. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let current = value;
  for (const step of path) {
    if (Array.isArray(current)) current = current[Number(step)];
    else if (isJson(current) && Object.hasOwn(current, step)) current = current[step];
    else return undefined;
  }
  return current;
}

/** The object below `path`; an empty one when there is none. */
export function jsonAt(value: unknown, ...path: readonly (string | number)[]): Json {
  const found = at(value, ...path);
  return isJson(found) ? found : {};
}

/** The objects of the list below `path`; entries of other types are left out. */
export function listAt(value: unknown, ...path: readonly (string | number)[]): Json[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found.filter(isJson) : [];
}

/** The text below `path`; empty when there is none. */
export function textAt(value: unknown, ...path: readonly (string | number)[]): string {
  const found = at(value, ...path);
  return typeof found === "string" ? found : "";
}

/** The texts of the list below `path`. */
export function textsAt(value: unknown, ...path: readonly (string | number)[]): string[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found.filter((entry) => typeof entry === "string") : [];
}

/** The number below `path`; undefined when there is none. */
export function numberAt(value: unknown, ...path: readonly (string | number)[]): number | undefined {
  const found = at(value, ...path);
  return typeof found === "number" ? found : undefined;
}

/** The map of texts below `path`, for labels and the like. */
export function mapAt(value: unknown, ...path: readonly (string | number)[]): Record<string, string> {
  const entries = Object.entries(jsonAt(value, ...path));
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}

/** The object in field `name` of `parent`, put there when it was missing. */
export function childOf(parent: Json, name: string): Json {
  const found = parent[name];
  if (isJson(found)) return found;
  const made: Json = {};
  parent[name] = made;
  return made;
}

/** Sets each field of `values` that `target` lacks. */
export function fillIn(target: Json, values: Json): void {
  for (const [name, value] of Object.entries(values)) target[name] ??= value;
}
