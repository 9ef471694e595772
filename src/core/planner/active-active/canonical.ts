/** JSON in which members are in the order of their names: the same text for the same value; what is undefined is left out. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    isMembers(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : Number(a > b))))
      : part,
  );
}

function isMembers(part: unknown): part is Record<string, unknown> {
  return typeof part === "object" && part !== null && !Array.isArray(part);
}
