import type { FaultSpec } from "#kit/base/fault";

/** What can keep a backup from its end. */
export const faults = {
  sourceGone: {
    code: "BACKUP_SOURCE_GONE",
    retry: "backoff",
    remedy: "Begin it anew, from another engine; look at the shard that it names.",
  },
  sourceChanged: {
    code: "BACKUP_SOURCE_CHANGED",
    retry: "backoff",
    remedy: "Begin it anew: another engine of the shard is chosen. No primary is burdened that was not chosen.",
  },
  notWhole: {
    code: "BACKUP_NOT_WHOLE",
    retry: "backoff",
    remedy: "Begin it anew. When it happens again, look at the log of the engine that it names.",
  },
  tooLarge: {
    code: "BACKUP_TOO_LARGE",
    retry: "never",
    remedy: "Give the database more shards: a file may have about 160 GB.",
  },
  nameTaken: {
    code: "BACKUP_NAME_TAKEN",
    retry: "never",
    remedy: "Choose another name or folder: nothing that is there is ever overwritten.",
  },
  foreign: {
    code: "BACKUP_FOREIGN",
    retry: "never",
    remedy:
      "Remove it where that database is. Where that is gone, remove its folder by the tools of the object store: `aws s3 rm --recursive s3://<bucket>/<folder>/<name>/`.",
  },
  badManifest: {
    code: "BACKUP_BAD_MANIFEST",
    retry: "never",
    remedy: "Choose another name or folder, and look who wrote the manifest that is there.",
  },
  noBackup: {
    code: "BACKUP_NOT_THERE",
    retry: "never",
    remedy: "Look what is in the bucket: a backup is a folder with a manifest.json.",
  },
  damaged: {
    code: "BACKUP_DAMAGED",
    retry: "never",
    remedy: "Take another backup, and look who changes objects in the bucket: what is there is not what was saved.",
  },
  keyMissing: {
    code: "BACKUP_KEY_MISSING",
    retry: "backoff",
    remedy:
      "Put that key into the Secret that spec.encryption names, as key-<number>: without it the backup cannot be read.",
  },
  notEncrypted: {
    code: "BACKUP_NOT_ENCRYPTED",
    retry: "never",
    remedy: "Look who has written it. Where it was saved without encryption, ask for it without: leave encryption out.",
  },
  badCommand: { code: "BACKUP_BAD_COMMAND", retry: "never", remedy: "Agent and backup must be of the same release." },
  failed: {
    code: "BACKUP_FAILED",
    retry: "backoff",
    remedy: "Look for the cause in the log of the node and report it.",
  },
} as const satisfies Record<string, FaultSpec>;
