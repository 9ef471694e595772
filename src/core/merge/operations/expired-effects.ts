import type { Effect } from "./operation.ts";

/**
 * What an engine of a site did when the time of a key had come, by what its stream has then; nothing of another command. Links write no UNLINK, and
 * have engines write no DEL then.
 */
export function expiredEffects([name, key, ...others]: readonly string[]): readonly Effect[] {
  if (name !== "UNLINK" || key === undefined || others.length > 0) return [];
  return [
    { kind: "clear", key },
    { kind: "emptied", key },
  ];
}
