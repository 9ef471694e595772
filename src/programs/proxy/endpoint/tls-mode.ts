import type { TlsMode } from "../../../core/api/settings/database-settings.ts";

/** Whether clients of the mode before may not stay: they would not be accepted any more. Who has presented a certificate may stay. */
export function endsClients(before: TlsMode, after: TlsMode): boolean {
  return before !== after && !(before === "mutual" && after === "enabled");
}
