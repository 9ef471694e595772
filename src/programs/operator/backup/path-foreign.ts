import { deleteBackup } from "../../../core/api/kubectl.ts";
import type { Finding } from "../../../core/api/parts.ts";
import { block } from "../../../core/planner/findings/finding.ts";

/** Why nothing is done with what an object is said to have saved: its database was renamed in the spec, or somebody else than the operator wrote its status. */
export function pathForeign(name: string, path = ""): Finding {
  const evidence = `its status.path is not one of its own: ${path || "none"}`;
  return block("BackupPathForeign", evidence, `${deleteBackup(name)}  # what it has saved stays`);
}
