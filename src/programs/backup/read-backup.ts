import { Fault } from "#kit/base/fault";
import { manifestKey } from "../../core/backup/layout.ts";
import { MOST_MANIFEST, readManifest, type BackupManifest } from "../../core/backup/manifest.ts";
import type { ReadCommand } from "../../ports/management/backup-control.ts";
import type { ObjectStore } from "../../ports/object-store/s3.ts";
import { faults } from "./faults.ts";
import { requireKeys } from "./manifest-keys.ts";

/** What a backup is; BACKUP_NOT_THERE when there is none, BACKUP_BAD_MANIFEST when it cannot be read, and as `requireKeys` says where its keys are not these. */
export async function readBackup(
  { folder, name, keys }: Pick<ReadCommand, "folder" | "name" | "keys">,
  store: Pick<ObjectStore, "read">,
): Promise<BackupManifest> {
  const key = manifestKey(folder, name);
  const text = await store.read(key, MOST_MANIFEST);
  if (text === undefined) throw new Fault(faults.noBackup, `There is no ${key}.`);
  const manifest = readManifest(text);
  if ("refusal" in manifest)
    throw new Fault(faults.badManifest, `What is at ${key} cannot be read: ${manifest.refusal}.`);
  requireKeys(manifest, keys, key);
  return manifest;
}
