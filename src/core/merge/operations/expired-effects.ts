import type { Effect } from "./operation.ts";

/**
 * The effects of an expiry, which the stream of a site's engine shows as UNLINK; none of another command. Links write no UNLINK, and let engines
 * write no DEL when a key expires.
 */
export function expiredEffects([name, key, ...others]: readonly string[]): readonly Effect[] {
  if (name !== "UNLINK" || key === undefined || others.length > 0) return [];
  return [
    { kind: "clear", key },
    { kind: "emptied", key },
  ];
}
