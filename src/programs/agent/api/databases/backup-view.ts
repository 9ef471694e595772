import { assertNever } from "#kit/base/assert-never";
import type { DatabaseRecord } from "../../../../core/api/records.ts";
import { countedKeys, type BackupManifest } from "../../../../core/backup/manifest.ts";
import { slotsText } from "../../../../core/slots/shard-slots.ts";
import type { BackupFailure, BackupProgress } from "../../../../ports/management/backup-control.ts";
import type { BackupRecord } from "../../../../ports/management/records/backups.ts";
import type { BackupProof } from "../../node/backup-proof.ts";
import type { NodeBackup } from "../../node/backups.ts";

/** How a backup of a database stands, as the management API says it. */
export function backupRecord({ uid }: DatabaseRecord, { name, began, progress, proof }: NodeBackup): BackupRecord {
  const verification = proof === undefined ? {} : { verification: verificationOf(proof) };
  return { name, bdb_uid: String(uid), began, ...progressOf(progress), ...verification };
}

function verificationOf(proof: BackupProof): NonNullable<BackupRecord["verification"]> {
  const { state: status, began } = proof;
  const files = proof.files.map(({ expired: expired_keys, ...file }) => ({ ...file, expired_keys }));
  switch (proof.state) {
    case "running":
      return { status, began, files };
    case "passed":
      return { status, began, ended: proof.ended, files };
    case "failed":
      return { status, began, ended: proof.ended, files, failure: failureOf(proof.failure) };
    default:
      return assertNever(proof);
  }
}

function failureOf({ code, message, remedy, retry }: BackupFailure): NonNullable<BackupRecord["failure"]> {
  return { error_code: code, description: message, remedy, retry };
}

function progressOf(progress: BackupProgress): Omit<BackupRecord, "name" | "bdb_uid" | "began"> {
  switch (progress.state) {
    case "running": {
      const { shards } = progress;
      const sum = (of: "bytes" | "keys"): number => shards.reduce((all, shard) => all + shard[of], 0);
      return { status: "running", bytes: sum("bytes"), keys: sum("keys") };
    }
    case "failed":
      return { status: "failed", bytes: 0, failure: failureOf(progress) };
    case "done":
      return { status: "completed", ...completedFields(progress.manifest) };
  }
}

/** By which key a backup is encrypted, where it is. */
export function encryptedBy({ encryption }: BackupManifest): Pick<BackupRecord, "encryption"> {
  if (encryption === undefined) return {};
  const { keyName, keyId } = encryption;
  return { encryption: { key_name: keyName, key_id: keyId } };
}

function completedFields(manifest: BackupManifest) {
  const { began, ended, files, readableFrom } = manifest;
  const keys = countedKeys(files);
  return {
    began,
    ended,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    ...(keys === undefined ? {} : { keys }),
    readable_from: readableFrom,
    ...encryptedBy(manifest),
    files: files.map(({ shard, slots, file, bytes, sha256, keys: counted, engine, role, offset, at }) => ({
      shard_uid: String(shard),
      assigned_slots: slotsText(slots),
      file,
      bytes,
      sha256,
      ...(counted === undefined ? {} : { keys: counted }),
      engine: `${engine.family} ${engine.version}`,
      role,
      offset,
      time: at,
    })),
  };
}
