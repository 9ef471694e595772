import type { FieldCause } from "../apiserver/schema/cause.ts";

/** The causes as a Status message carries them: `field: message`, in brackets when there are several. */
export function describeCauses(causes: readonly FieldCause[]): string {
  const lines = [...new Set(causes.map(({ field, message }) => `${field}: ${message}`))];
  return lines.length === 1 ? String(lines[0]) : `[${lines.join(", ")}]`;
}
