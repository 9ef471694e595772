/** The room that there is, for a sentence, rounded down. A need that exceeds it reads as the greater figure (`needText`). */
export function roomText(bytes: number): string {
  return `${Math.max(0, Math.floor(bytes / MEGABYTE))} MB`;
}

/** What is needed or taken, for a sentence, rounded up. */
export function needText(bytes: number): string {
  return `${Math.ceil(bytes / MEGABYTE)} MB`;
}

const MEGABYTE = 1_000_000;
