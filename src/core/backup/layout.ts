/** A name of a backup: one of a Kubernetes object. */
export const BACKUP_NAME = /^[a-z0-9](?:[-a-z0-9.]{0,126}[a-z0-9])?$/;

/** Folders of a bucket, with slashes between them; each begins with a letter or a digit, so that none leads elsewhere. */
export const BACKUP_FOLDER = /^[A-Za-z0-9][\w.-]{0,127}(?:\/[A-Za-z0-9][\w.-]{0,127}){0,7}$/;

/** Where a backup lies: everything of it has names that begin with this. */
export function backupPrefix(folder: string, name: string): string {
  return `${folder}/${name}/`;
}

/** The name of its manifest, which is written last: what has none is no backup. */
export function manifestKey(folder: string, name: string): string {
  return `${backupPrefix(folder, name)}manifest.json`;
}

/** The name of the file of a shard, as a manifest says it: each attempt has a folder of its own, so that two never write the same. */
export function fileOf(attempt: string, shard: number): string {
  return `${attempt}/shard-${shard}.rdb`;
}

/**
 * What can go of the objects of a backup whose manifest names `files`: what attempts have left that did not come to their end. `keys` begin
 * with `prefix`; the manifest stays.
 */
export function leftoversIn(prefix: string, keys: readonly string[], files: readonly string[]): readonly string[] {
  const kept = new Set(["manifest.json", ...files].map((file) => `${prefix}${file}`));
  return keys.filter((key) => key.startsWith(prefix) && !kept.has(key));
}
