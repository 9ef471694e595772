/** A number, or a percentage of `total`, rounded as `rounding` says. */
export function resolveCount(value: number | string, total: number, round: "up" | "down"): number {
  if (typeof value === "number") return value;
  const share = (Number.parseFloat(value) / 100) * total;
  return round === "up" ? Math.ceil(share) : Math.floor(share);
}
