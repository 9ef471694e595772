import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import type { BackupKey } from "../../core/api/backup-keys.ts";

/** Tells a key from all others and says nothing of it: 32 hexadecimal digits. */
export function backupKeyId(key: BackupKey): string {
  return deriveKey(key, "id", NO_SALT).subarray(0, 16).toString("hex");
}

/** The key of that id; undefined where it is not among them. */
export function keyOfId(keys: readonly BackupKey[], id: string): BackupKey | undefined {
  return keys.find((key) => backupKeyId(key) === id);
}

/** The key of one file: each has its own, so that its chunks can be counted. `file`: its name in the manifest, so that none takes the place of another. */
export function fileKeyOf(key: BackupKey, file: string, salt: Uint8Array): Buffer {
  return deriveKey(key, `file ${file}`, salt);
}

/** Shows that who wrote a text had the key. */
export function sealOf(key: BackupKey, text: string): string {
  return createHmac("sha256", deriveKey(key, "manifest", NO_SALT))
    .update(text)
    .digest("hex");
}

/** Whether both are the same, in a time that does not say where they differ. */
export function isSameSeal(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function deriveKey({ key }: BackupKey, use: string, salt: Uint8Array): Buffer {
  return Buffer.from(hkdfSync("sha256", Buffer.from(key, "base64"), salt, `store backup ${use}`, KEY_BYTES));
}

const NO_SALT = new Uint8Array();
const KEY_BYTES = 32;
