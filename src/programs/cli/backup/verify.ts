import { Fault } from "#kit/base/fault";
import { Backups } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import type { NamespaceAccess } from "../access/namespace-access.ts";
import { faults } from "../faults.ts";
import { findBackup } from "./find.ts";

/** Asks for another look at a backup that is complete; CLI_BACKUP_NOT_COMPLETE when it is not. */
export async function askToVerify(
  access: Pick<NamespaceAccess, "kube" | "namespace" | "clock">,
  name: string,
): Promise<void> {
  const { kube, namespace, clock } = access;
  const { status } = await findBackup(access, name);
  if (status?.phase !== "Completed")
    throw new Fault(faults.backupNotComplete, `the backup "${name}" is ${status?.phase ?? "Pending"}`);
  const body = { spec: { verify: true, verifyRequest: clock.now().toISOString() } };
  await kube.patch(Backups, { name, namespace }, { type: "merge", body });
}
