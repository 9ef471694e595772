import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "../../../mechanisms/files/replace-file.ts";
import type { InstalledModule } from "../../../core/api/records.ts";

/** The shared objects of modules that this node has, one file each. */
export interface ModuleStore {
  has(uid: string): boolean;
  /** Path of the shared object, whether it is there or not. */
  pathOf(uid: string): string;
  read(uid: string): Promise<Buffer<ArrayBuffer>>;
  /** Stores a shared object durably; throws when it is not that of `module`. */
  put(module: Pick<InstalledModule, "uid" | "sha256">, library: Uint8Array): Promise<void>;
  /** Removes all but these. */
  keepOnly(uids: readonly string[]): Promise<void>;
}

/** Opens the folder; files that are not whole, of a node that ended while it wrote, are removed. */
export async function openModuleStore(folder: string): Promise<ModuleStore> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const names = await readdir(folder);
  await Promise.all(names.filter((name) => !FILE.test(name)).map((name) => rm(join(folder, name), { force: true })));
  const held = new Set(names.flatMap((name) => FILE.exec(name)?.[1] ?? []));
  const pathOf = (uid: string): string => join(folder, `${uid}.so`);
  return {
    has: (uid) => held.has(uid),
    pathOf,
    read: (uid) => readFile(pathOf(uid)),
    async put({ uid, sha256 }, library) {
      const found = createHash("sha256").update(library).digest("hex");
      if (found !== sha256)
        throw new Error(`the shared object of module ${uid} has the digest ${found}, not ${sha256}`);
      // engines refuse a shared object that may not be executed
      await replaceFile(pathOf(uid), library, 0o700);
      held.add(uid);
    },
    async keepOnly(uids) {
      const gone = [...held].filter((uid) => !uids.includes(uid));
      await Promise.all(gone.map((uid) => rm(pathOf(uid), { force: true })));
      for (const uid of gone) held.delete(uid);
    },
  };
}

const FILE = /^([0-9a-f]{32})\.so$/;
