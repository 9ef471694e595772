/** A name of a backup: one of a Kubernetes object. */
export const BACKUP_NAME = /^[a-z0-9](?:[-a-z0-9.]{0,126}[a-z0-9])?$/;

/** Folders of a bucket, with slashes between them; each begins with a letter or a digit, so that none leads elsewhere. */
export const BACKUP_FOLDER = /^[A-Za-z0-9][\w.-]{0,127}(?:\/[A-Za-z0-9][\w.-]{0,127}){0,7}$/;

/** Where a backup lies: everything of it has names that begin with this. */
export function backupPrefix(folder: string, name: string): string {
  return `${folder}/${name}/`;
}

/** What a backup is called whose object has that name: one that is made again under it asks for another one. */
export function nameInStore({ name, uid }: { readonly name: string; readonly uid: string }): string {
  return `${name.slice(0, 100)}-${uid.slice(0, 8)}`;
}

/** Whether that is where the backup of an object lies: what somebody else than the operator writes into its status leads nowhere else. */
export function isOwnPath(
  path: string,
  object: { readonly name: string; readonly uid: string; readonly namespace: string; readonly database: string },
): boolean {
  return `/${path}`.endsWith(`/${object.namespace}/${object.database}/${nameInStore(object)}/`);
}

/** The folder and the name of the backup of an object; undefined when the path is none of its own. */
export function savedIn(
  path: string,
  object: Parameters<typeof isOwnPath>[1],
): { readonly folder: string; readonly name: string } | undefined {
  if (!isOwnPath(path, object)) return undefined;
  const whole = path.replace(/\/$/, "");
  const at = whole.lastIndexOf("/");
  return { folder: whole.slice(0, at), name: whole.slice(at + 1) };
}

/** The name of its manifest, which is written last: what has none is no backup. */
export function manifestKey(folder: string, name: string): string {
  return `${backupPrefix(folder, name)}manifest.json`;
}

/**
 * The name of its manifest once the backup is being removed: what it lists is still to go, and is no backup any more. Nothing else would tell these
 * files from those that another attempt sends.
 */
export function removalKey(folder: string, name: string): string {
  return `${backupPrefix(folder, name)}removed.json`;
}

/** The name of the file of a shard, as a manifest says it: each attempt has a folder of its own, so that two never write the same. */
export function fileOf(attempt: string, shard: number, isEncrypted: boolean): string {
  return `${attempt}/shard-${shard}.rdb${isEncrypted ? ".enc" : ""}`;
}

/** True for a file that some attempt at a backup sends, below the `prefix` of the backup. Another backup may lie in a folder that has the same prefix. */
export function isFileBelow(prefix: string, key: string): boolean {
  return key.startsWith(prefix) && FILE.test(key.slice(prefix.length));
}

/** As `fileOf` makes them. */
const FILE = /^[0-9a-f]{16}\/shard-\d+\.rdb(?:\.enc)?$/;

/**
 * What can go of the objects of a backup whose manifest names `files`: what attempts have left that did not come to their end. `keys` begin
 * with `prefix`; all else stays that lies there.
 */
export function leftoversIn(prefix: string, keys: readonly string[], files: readonly string[]): readonly string[] {
  const kept = new Set(files.map((file) => `${prefix}${file}`));
  return keys.filter((key) => isFileBelow(prefix, key) && !kept.has(key));
}
