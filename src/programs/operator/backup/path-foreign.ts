import { deleteBackup } from "../../../core/api/kubectl.ts";
import type { BackupReason } from "../../../core/backup/decide.ts";

/** Why nothing is done with what an object is said to have saved: its database was renamed in the spec, or somebody else than the operator wrote its status. */
export function pathForeign(name: string, path = ""): BackupReason {
  const message = `its status.path is not one of its own: ${path || "none"}; remedy: ${deleteBackup(name)}  # what it has saved stays`;
  return { reason: "BackupPathForeign", message };
}
