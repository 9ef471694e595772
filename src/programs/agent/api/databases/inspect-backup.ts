import { Fault } from "#kit/base/fault";
import { STORE_VERSIONS } from "../../../../core/api/records.ts";
import type { BackupManifest } from "../../../../core/backup/manifest.ts";
import { canReadFiles } from "../../../../core/backup/restore.ts";
import { chooseEngine } from "../../../../core/releases/engines/engines.ts";
import { slotsText } from "../../../../core/slots/shard-slots.ts";
import type { BackupContent, BackupInspection, BackupLook } from "../../../../ports/management/records/backups.ts";
import { encryptedBy } from "./backup-view.ts";
import { accessIn, backupKeysOf } from "./object-store-access.ts";
import type { DataRestoreContext } from "./restore-bdb.ts";

/** What a backup is, as this node reads it, or why it cannot be read. */
export async function inspectBackup(
  { backups, foundEngines }: Pick<DataRestoreContext, "backups" | "foundEngines">,
  { name, folder, s3, ...asked }: BackupInspection,
): Promise<BackupLook> {
  try {
    const manifest = await backups.restores.read({ name, folder, store: accessIn(s3), ...backupKeysOf(asked) });
    return { content: contentOf(manifest, foundEngines) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { code, message, remedy, retry } = error;
    return { failure: { error_code: code, description: message, remedy, retry } };
  }
}

function contentOf(manifest: BackupManifest, engines: DataRestoreContext["foundEngines"]): BackupContent {
  const { name, ended, files, readableFrom } = manifest;
  const { cluster, namespace, name: database, createdTime, storeVersion } = manifest.database;
  return {
    name,
    ended,
    database: { cluster, namespace, name: database, created_time: createdTime, redis_version: storeVersion },
    files: files.map(({ slots, bytes, memory, keys }) => ({
      assigned_slots: slotsText(slots),
      bytes,
      memory,
      ...(keys === undefined ? {} : { keys }),
    })),
    ...encryptedBy(manifest),
    readable_from: [...readableFrom],
    redis_versions: STORE_VERSIONS.filter((version) => {
      const chosen = chooseEngine(version, engines);
      return chosen !== undefined && canReadFiles(chosen.engine, manifest);
    }),
  };
}
