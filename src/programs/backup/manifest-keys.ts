import { Fault } from "#kit/base/fault";
import type { BackupKey } from "../../core/api/backup-keys.ts";
import { sealedText, type BackupEncryption, type BackupManifest } from "../../core/backup/manifest.ts";
import { isSameSeal, backupKeyId, keyOfId, sealOf } from "./derived-keys.ts";
import { faults } from "./faults.ts";

/** The manifest of a backup whose files that key has encrypted, sealed. */
export function sealManifest(manifest: BackupManifest, key: BackupKey): BackupManifest {
  const encryption: BackupEncryption = { form: "AES-256-GCM", keyName: key.name, keyId: backupKeyId(key), seal: "" };
  return { ...manifest, encryption: { ...encryption, seal: sealOf(key, sealedText({ ...manifest, encryption })) } };
}

/**
 * That these keys open the backup, and that nobody without them has changed its manifest: BACKUP_KEY_MISSING, BACKUP_DAMAGED. With keys, one that is not encrypted is refused
 * (BACKUP_NOT_ENCRYPTED): else whoever may write into the bucket could put data of his own in its place. `keys` is undefined where no encryption is asked for.
 */
export function requireKeys(manifest: BackupManifest, keys: readonly BackupKey[] | undefined, at: string): void {
  const { encryption } = manifest;
  if (encryption === undefined) {
    if (keys === undefined) return;
    throw new Fault(faults.notEncrypted, `The backup of ${at} is not encrypted, and was asked for with encryption.`);
  }
  const { keyName, keyId, seal } = encryption;
  const key = keyOfId(keys ?? [], keyId);
  if (key === undefined)
    throw new Fault(
      faults.keyMissing,
      `The backup of ${at} is encrypted by the key ${keyId}, which was ${keyName} when it was saved, and ${whatIsThere(keys)}.`,
    );
  if (!isSameSeal(sealOf(key, sealedText(manifest)), seal))
    throw new Fault(
      faults.damaged,
      `What is at ${at} was changed since the backup was saved: its seal is another one.`,
    );
}

function whatIsThere(keys: readonly BackupKey[] | undefined): string {
  if (keys === undefined || keys.length === 0) return "no key is given";
  return `those that are given are ${keys.map((key) => `${key.name} (${backupKeyId(key)})`).join(", ")}`;
}
