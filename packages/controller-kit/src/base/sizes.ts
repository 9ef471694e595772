/** The unit in which a sentence names sizes. */
export type SizeUnit = "MB" | "MiB";

/** The unit in which somebody has written a size: one that is whole MiB was hardly written in MB. */
export function unitOf(bytes: number): SizeUnit {
  return bytes % BYTES.MiB === 0 ? "MiB" : "MB";
}

/** The room that there is, for a sentence, rounded down. A need that exceeds it reads as the greater figure (`needText`). */
export function roomText(bytes: number, unit: SizeUnit = "MB"): string {
  return `${Math.max(0, Math.floor(bytes / BYTES[unit]))} ${unit}`;
}

/** What is needed or taken, for a sentence, rounded up. */
export function needText(bytes: number, unit: SizeUnit = "MB"): string {
  return `${Math.ceil(bytes / BYTES[unit])} ${unit}`;
}

const BYTES: Readonly<Record<SizeUnit, number>> = { MB: 1_000_000, MiB: 1_048_576 };
