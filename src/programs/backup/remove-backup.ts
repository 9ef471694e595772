import { Fault, isFault } from "#kit/base/fault";
import { backupPrefix, isFileBelow, leftoversIn, manifestKey, removalKey } from "../../core/backup/layout.ts";
import { isOfSameDatabase, MOST_MANIFEST, readManifest } from "../../core/backup/manifest.ts";
import type { RemoveCommand } from "../../ports/management/backup-control.ts";
import { faults as storeFaults } from "../../ports/object-store/faults.ts";
import type { ObjectStore } from "../../ports/object-store/s3.ts";
import { faults } from "./faults.ts";

type Store = Pick<ObjectStore, "read" | "writeNew" | "list" | "remove" | "endUploads">;
type Removal = Pick<RemoveCommand, "name" | "folder" | "database">;

/**
 * Removes a backup, and says how many files have gone; none when there is none. The manifest goes first, with a copy that lists what is left until all is
 * gone: whoever is killed in between is followed by another call, which ends it. Nothing goes but what the manifest lists, and only of that database; of a
 * backup that never got one, what its attempts have left.
 */
export async function removeBackup(removal: Removal, store: Store): Promise<number> {
  const { folder, name } = removal;
  const manifest = await readText(store, manifestKey(folder, name));
  const begun = await readText(store, removalKey(folder, name));
  if (manifest === undefined && begun === undefined) return removeLeft(removal, store);
  const files = manifest === undefined ? [] : filesIn(removal, manifestKey(folder, name), manifest);
  const left = begun === undefined ? [] : filesIn(removal, removalKey(folder, name), begun);
  if (manifest === undefined) return removeFiles(removal, store, left);
  // what is left of a former backup of this name, which was taken anew meanwhile
  const isFormer = begun !== undefined && begun !== manifest;
  const former = isFormer
    ? await removeFiles(
        removal,
        store,
        left.filter((key) => !files.includes(key)),
      )
    : 0;
  await keepCopy(removal, store, manifest);
  await store.remove([manifestKey(folder, name)]);
  return former + (await removeFiles(removal, store, files));
}

/** No attempt comes after it that would remove them. */
async function removeLeft({ folder, name }: Removal, store: Store): Promise<number> {
  const prefix = backupPrefix(folder, name);
  const left = leftoversIn(prefix, await store.list(prefix), []);
  await store.remove(left);
  await store.endUploads(prefix, (key) => isFileBelow(prefix, key));
  return left.length;
}

async function readText(store: Store, key: string): Promise<string | undefined> {
  return store.read(key, MOST_MANIFEST);
}

/** The objects that this text lists; refused whole when one of them is none that a backup writes, or when another database was saved. */
function filesIn({ folder, name, database }: Removal, key: string, text: string): readonly string[] {
  const manifest = readManifest(text);
  if ("refusal" in manifest)
    throw new Fault(faults.badManifest, `What is at ${key} cannot be read: ${manifest.refusal}.`);
  if (!isOfSameDatabase(manifest.database, database)) {
    const { namespace, cluster, name: other, createdTime } = manifest.database;
    throw new Fault(
      faults.foreign,
      `${key} is of "${other}" of ${namespace}/${cluster}, made at ${createdTime}, and not of this database.`,
    );
  }
  const prefix = backupPrefix(folder, name);
  const keys = manifest.files.map(({ file }) => `${prefix}${file}`);
  const strange = keys.find((one) => !isFileBelow(prefix, one));
  if (strange === undefined) return keys;
  throw new Fault(faults.badManifest, `What is at ${key} lists ${strange}, which no backup writes.`);
}

async function keepCopy({ folder, name }: Removal, store: Store, manifest: string): Promise<void> {
  const key = removalKey(folder, name);
  try {
    await store.writeNew(key, manifest);
  } catch (error) {
    // the call before has written it, and came no further
    const isWritten = isFault(error, storeFaults.exists) && (await readText(store, key)) === manifest;
    if (!isWritten) throw error;
  }
}

/** The copy of the manifest goes last: without it nothing is left. */
async function removeFiles({ folder, name }: Removal, store: Store, files: readonly string[]): Promise<number> {
  const prefix = backupPrefix(folder, name);
  await store.remove(files);
  await store.endUploads(prefix, (key) => isFileBelow(prefix, key));
  await store.remove([removalKey(folder, name)]);
  return files.length;
}
