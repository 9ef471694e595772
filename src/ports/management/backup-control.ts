import type { FaultSpec } from "#kit/base/fault";
import type { BackupKey } from "../../core/api/backup-keys.ts";
import type { BackupFile, BackupManifest } from "../../core/backup/manifest.ts";
import type { ObjectStoreAccess } from "../../core/backup/object-store-access.ts";
import type { EngineCertificate } from "../../core/api/engine-certificate.ts";
import type { EngineLogin } from "../../core/api/engine-login.ts";
import type { SlotRange } from "../../core/base/slot-range.ts";
import type { EnginePlace } from "./proxy-control.ts";

/**
 * An engine whose data are saved. This file holds what an agent sends to the process that takes a backup, over the IPC channel of the child, and what
 * that process says of its progress; it ends when the channel closes.
 */
export interface BackupSource {
  /** id of the shard. */
  readonly shard: number;
  readonly slots: readonly SlotRange[];
  readonly engine: EnginePlace;
  /** What it must be when its data are asked for: no primary is burdened that was not chosen. */
  readonly role: "primary" | "replica";
}

/** Once in the life of the process. Never logged. */
export interface BackupCommand {
  readonly op: "begin";
  readonly name: string;
  /** Tells this attempt from others of the same name. */
  readonly attempt: string;
  readonly database: BackupManifest["database"];
  readonly sources: readonly BackupSource[];
  readonly logins: readonly EngineLogin[];
  /** Present when an engine speaks TLS. */
  readonly engineCertificate?: EngineCertificate;
  readonly store: ObjectStoreAccess;
  readonly folder: string;
  /** Of which the newest one encrypts it, and all decrypt; absent: it is not encrypted. */
  readonly keys?: readonly BackupKey[];
  /** All shards together; absent: as fast as it can. */
  readonly bytesPerSecond?: number;
}

/** How far a shard is. */
export interface BackupShardProgress {
  readonly shard: number;
  readonly state: "awaited" | "copying" | "copied";
  readonly bytes: number;
  readonly keys: number;
}

/** How a backup stands. */
export type BackupProgress =
  | { readonly state: "running"; readonly shards: readonly BackupShardProgress[] }
  | { readonly state: "done"; readonly manifest: BackupManifest }
  | ({ readonly state: "failed" } & BackupFailure);

/** Why something has failed. */
export interface BackupFailure extends Pick<FaultSpec, "code" | "remedy" | "retry"> {
  readonly message: string;
}

/** What the process says each second, and at its end. */
export interface BackupProgressMessage {
  readonly progress: BackupProgress;
}

/** A file of a backup is put into a folder of the node, where an engine loads it. Never logged. */
export interface FetchCommand extends Pick<BackupCommand, "name" | "folder" | "store" | "keys" | "bytesPerSecond"> {
  readonly op: "fetch";
  readonly file: BackupFile;
  /** Where to; a file that is there is replaced. */
  readonly path: string;
  readonly mode: number;
}

/** The manifest of a backup is read. Never logged. */
export interface ReadCommand extends Pick<BackupCommand, "name" | "folder" | "store" | "keys"> {
  readonly op: "read";
}

/** A backup of that database is removed, whole or what is left of it. Never logged. */
export interface RemoveCommand extends Pick<BackupCommand, "name" | "folder" | "store" | "database"> {
  readonly op: "remove";
}

/** A backup has been begun, a file is there whole, this is the manifest, or so many files have gone; or why not. */
export type BackupReply =
  | { readonly ok: true; readonly manifest?: BackupManifest; readonly removedFiles?: number }
  | ({ readonly ok: false } & BackupFailure);

export interface BackupRequestMessage {
  readonly id: number;
  readonly command: BackupCommand | FetchCommand | ReadCommand | RemoveCommand;
}
