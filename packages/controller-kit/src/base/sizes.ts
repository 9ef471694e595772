/** What there is, for a sentence: never more than there is. A need that exceeds it reads as the greater figure (`needText`). */
export function roomText(bytes: number): string {
  return `${Math.max(0, Math.floor(bytes / MEGABYTE))} MB`;
}

/** What is needed or taken, for a sentence: never less than that. */
export function needText(bytes: number): string {
  return `${Math.ceil(bytes / MEGABYTE)} MB`;
}

const MEGABYTE = 1_000_000;
