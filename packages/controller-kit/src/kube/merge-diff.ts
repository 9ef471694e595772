/** The merge patch (RFC 7386) that makes `to` of `from`: members that are gone are null, lists are replaced as a whole. */
export function mergeDiff(from: object, to: object): Record<string, unknown> {
  const [old, next] = [membersOf(from), membersOf(to)];
  const gone = Object.keys(old).filter((key) => next[key] === undefined);
  const changed = Object.entries(next).filter(
    ([key, value]) => value !== undefined && JSON.stringify(old[key]) !== JSON.stringify(value),
  );
  return {
    ...Object.fromEntries(gone.map((key) => [key, null])),
    ...Object.fromEntries(changed.map(([key, value]) => [key, changeOf(old[key], value)])),
  };
}

function changeOf(from: unknown, to: unknown): unknown {
  return isObject(from) && isObject(to) ? mergeDiff(from, to) : to;
}

function membersOf(object: object): Readonly<Record<string, unknown>> {
  return { ...object };
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
