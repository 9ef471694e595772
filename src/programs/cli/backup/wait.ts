import { Fault } from "#kit/base/fault";
import { isProofAwaited } from "../../../core/backup/decide-proof.ts";
import type { NamespaceAccess } from "../access/namespace-access.ts";
import type { Asking } from "../console/context.ts";
import { faults } from "../faults.ts";
import { findBackup, type BackupObject } from "./find.ts";
import { standText } from "./report.ts";

/**
 * Waits until a backup has come to its end, and says each change; CLI_BACKUP_LEFT when the user has had enough. A look without an answer ends no wait,
 * unless there is none for a minute.
 */
export async function waitForBackup(
  access: Pick<NamespaceAccess, "kube" | "namespace" | "clock">,
  context: Pick<Asking, "print" | "interrupt">,
  name: string,
): Promise<BackupObject> {
  const { clock } = access;
  const signal = context.interrupt?.() ?? new AbortController().signal;
  let answeredAt = clock.uptimeMs();
  for (let said = ""; ;) {
    const backup = await findBackup(access, name).catch((error: unknown) => {
      if (mayPass(error) && clock.uptimeMs() - answeredAt < SILENCE_MS) return undefined;
      throw error;
    });
    if (backup !== undefined) {
      answeredAt = clock.uptimeMs();
      const now = standText(backup);
      if (now !== said) context.print(`${now}\n`);
      said = now;
      if (isOver(backup)) return backup;
    }
    await clock.sleep(LOOK_EVERY_MS, signal).catch((error: unknown) => {
      throw new Fault(faults.backupLeft, `stopped looking at the backup ${name}`, {}, error);
    });
  }
}

function mayPass(error: unknown): boolean {
  return error instanceof Fault && error.retry === "backoff";
}

function isOver({ spec, status = {} }: BackupObject): boolean {
  if (status.phase === "Failed") return true;
  return status.phase === "Completed" && !isProofAwaited(spec, status);
}

const LOOK_EVERY_MS = 1_000;
const SILENCE_MS = 60_000;
