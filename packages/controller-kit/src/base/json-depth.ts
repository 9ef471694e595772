/** How deep the JSON of a request may be: programs go through what is stored by recursion, and a stack has an end. */
export const MOST_LEVELS = 32;

/** Whether lists and objects lie in `value` more than `levels` deep; looks no deeper than that. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => isDeeperThan(part, levels - 1));
}
