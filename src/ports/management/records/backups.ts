import { z } from "zod";
import { BACKUP_KEY_NAME, BACKUP_KEY_TEXT, MOST_BACKUP_KEYS } from "../../../core/api/backup-keys.ts";
import type { BackupFile } from "../../../core/backup/manifest.ts";
import type { Answered } from "./answered.ts";

const count = z.int().nonnegative();
const line = (most: number) =>
  z
    .string()
    .regex(/^[^\p{Cc}]+$/u, "must be text of one line")
    .max(most);

const FILE = z.strictObject({
  shard_uid: z.string(),
  assigned_slots: z.string(),
  file: z.string(),
  bytes: count,
  sha256: z.string(),
  keys: count.exactOptional().describe("Absent: a module has data in it whose form is not known."),
  engine: z.string(),
  role: z.enum(["primary", "replica"]),
  offset: count,
  time: z.string().describe("When the data were cut."),
});

const FAILURE = z.strictObject({
  error_code: z.string(),
  description: z.string(),
  remedy: z.string(),
  retry: z.enum(["never", "backoff"]).describe("Whether the same may come to a better end later."),
});

/** What an engine without clients has loaded of a backup. */
const VERIFICATION = z.strictObject({
  status: z.enum(["running", "passed", "failed"]),
  began: z.string(),
  ended: z.string().exactOptional(),
  files: z.array(
    z.strictObject({
      file: z.string(),
      engine: z.string(),
      keys: count,
      expired_keys: count.describe("Keys of the file whose time was over when it was loaded."),
      digest: z.string().describe("Of all that the engine had then, as `DEBUG DIGEST` says it."),
    }),
  ),
  failure: FAILURE.exactOptional().describe("Why it does not count as loaded."),
});

const ENCRYPTED_BY = z
  .strictObject({
    key_name: z.string().describe("What the key was called when it was saved."),
    key_id: z.string().describe("Tells the key from all others."),
  })
  .describe("By which key its files are encrypted; absent: by none.");

/** How the last backup of a database stands. */
export const BACKUP = z
  .strictObject({
    name: z.string(),
    bdb_uid: z.string(),
    status: z.enum(["running", "completed", "failed"]),
    began: z.string(),
    ended: z.string().exactOptional(),
    bytes: count,
    keys: count.exactOptional(),
    files: z.array(FILE).exactOptional().describe("The files of a backup that is completed."),
    readable_from: z
      .array(z.strictObject({ family: z.string(), version: z.string() }))
      .exactOptional()
      .describe("The engines that read every file, each from this version on."),
    encryption: ENCRYPTED_BY.exactOptional(),
    failure: FAILURE.exactOptional().describe("Why it has failed; nothing of it stays."),
    verification: VERIFICATION.exactOptional().describe("How its files were loaded, where that was asked for."),
  })
  .meta({ id: "Backup" });

export type BackupRecord = Answered<typeof BACKUP>;

/** A bucket of an object store that speaks the protocol of S3. */
export const OBJECT_STORE = z.strictObject({
  bucket: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, "must be 3 to 63 lower-case letters, digits, dots and hyphens"),
  region: z
    .string()
    .regex(/^[a-z0-9-]{1,64}$/, "must be 1 to 64 lower-case letters, digits and hyphens")
    .default("us-east-1"),
  endpoint: z
    .string()
    .max(512)
    .refine(isEndpoint, "must be an http:// or https:// URL without a path, a query or credentials")
    .exactOptional(),
  path_style: z.boolean().default(false),
  access_key_id: line(256),
  secret_access_key: line(1_024),
  session_token: line(8_192).exactOptional(),
  ca_certificate: z.string().max(65_536).exactOptional(),
});

/** The keys of encrypted backups. */
export const ENCRYPTION_KEYS = z.strictObject({
  keys: z
    .array(
      z.strictObject({
        name: z.string().regex(BACKUP_KEY_NAME, "must be key-<number>"),
        key: z.string().regex(BACKUP_KEY_TEXT, "must be 32 bytes as base64"),
      }),
    )
    .min(1)
    .max(MOST_BACKUP_KEYS)
    .refine((keys) => new Set(keys.map(({ name }) => name)).size === keys.length, "must have a name each")
    .describe("That with the highest number encrypts, and all decrypt."),
});

function isEndpoint(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, pathname, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && username + password + search + hash === "" && pathname === "/";
}

/** What a backup is, as its manifest says it, for who wants to restore it. */
const BACKUP_CONTENT = z
  .strictObject({
    name: z.string(),
    database: z
      .strictObject({
        cluster: z.string(),
        namespace: z.string(),
        name: z.string(),
        created_time: z.string(),
        redis_version: z.string(),
      })
      .describe("The database that was saved."),
    ended: z.string(),
    files: z.array(
      z.strictObject({
        assigned_slots: z.string(),
        bytes: count,
        memory: count.describe("What its data took of the memory of the engine, in bytes."),
        keys: count.exactOptional(),
      }),
    ),
    encryption: ENCRYPTED_BY.exactOptional(),
    readable_from: z.array(z.strictObject({ family: z.string(), version: z.string() })),
    redis_versions: z.array(z.string()).describe("The versions of this cluster whose engines read every file."),
  })
  .meta({ id: "BackupContent" });

/** What a backup is. */
export type BackupContent = Answered<typeof BACKUP_CONTENT>;

/** What came of a look into a backup: what it is, or why it cannot be read. */
export const BACKUP_LOOK = z
  .strictObject({ content: BACKUP_CONTENT.exactOptional(), failure: FAILURE.exactOptional() })
  .meta({ id: "BackupLook" });

export type BackupLook = Answered<typeof BACKUP_LOOK>;

/** What came of the removal of a backup: how many files have gone now, or why it is not removed. */
export const BACKUP_REMOVAL = z
  .strictObject({
    removed_files: count.exactOptional().describe("None when there is nothing any more."),
    failure: FAILURE.exactOptional(),
  })
  .meta({ id: "BackupRemoval" });

export type BackupRemovalRecord = Answered<typeof BACKUP_REMOVAL>;

/** How the last restore of a database stands. */
export const RESTORE = z
  .strictObject({
    name: z.string(),
    bdb_uid: z.string(),
    status: z.enum(["running", "completed", "failed"]),
    bytes: count.exactOptional().describe("Bytes that the nodes have so far; absent from older nodes."),
    began: z.string(),
    ended: z.string().exactOptional(),
    failure: FAILURE.exactOptional().describe("Why it has failed; the database is in recovery as before."),
  })
  .meta({ id: "Restore" });

export type RestoreRecord = Answered<typeof RESTORE>;

/** How far a node is with a file that an engine of it is to start from. */
export const RESTORED_FILE = z.strictObject({
  status: z.enum(["running", "ready", "failed"]),
  bytes: count.exactOptional().describe("What it has so far."),
  failure: FAILURE.exactOptional(),
});

/** A node puts a file of a backup where an engine of it starts from. */
export interface FileRestore extends BackupRead {
  readonly bdb: number;
  readonly instance: number;
  readonly file: BackupFile;
  /** Tells this restore from others. */
  readonly attempt: string;
}

/** What a backup is read with: what it was asked for with. */
type BackupRead = Omit<BackupStart, "verify">;

/** What a restore is asked for with. */
export interface RestoreStart extends BackupRead {
  /** The shards whose data is gone with the volume of their primary get those of the backup; absent: only what waits for data does. */
  readonly replaces_lost_data?: boolean;
}

/** What a backup is looked into with. */
export type BackupInspection = Omit<BackupRead, "bytes_per_second">;

/** What a backup is asked for with. Its credentials are kept nowhere, and are in no log. */
export interface BackupStart {
  readonly name: string;
  readonly folder: string;
  readonly s3: z.output<typeof OBJECT_STORE>;
  /** Whether an engine without clients loads each file once it is complete. */
  readonly verify: boolean;
  /** Absent: as fast as it can. */
  readonly bytes_per_second?: number;
  /** With it, what is there counts only where one of these keys has encrypted it; absent: only where none has. Its keys are kept as the credentials are. */
  readonly encryption?: z.output<typeof ENCRYPTION_KEYS>;
}
