const UNITS = { MB: 1_000_000, GB: 1_000_000_000, Mi: 1_048_576, Gi: 1_073_741_824 } as const;

/** Smallest database, in bytes. */
export const MIN_DATABASE_BYTES = 100 * UNITS.MB;
/** Largest database, in bytes. */
export const MAX_DATABASE_BYTES = 4096 * UNITS.Gi;

/** Bytes of a size such as `100MB`, `0.5GB` or `1Gi`; undefined when it is none. */
export function memoryBytes(size: string): number | undefined {
  const found = /^(\d+(?:\.\d+)?)(MB|GB|Mi|Gi)$/.exec(size);
  const unit = found?.[2];
  if (found === null || !isUnit(unit)) return undefined;
  return Math.round(Number(found[1]) * UNITS[unit]);
}

function isUnit(text: string | undefined): text is keyof typeof UNITS {
  return text !== undefined && text in UNITS;
}
