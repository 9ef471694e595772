import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { chmod, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { replaceFile } from "#kit/files/replace-file";
import { openSharedFile } from "#kit/files/shared-file";
import type { DatabaseRecord, InstalledModule, StoreVersion } from "../../../core/api/records.ts";
import type { WantedInstance } from "../../../mechanisms/supervisor/wanted-instance.ts";

/** The shared objects of modules that this node has, one file each. */
export interface ModuleStore {
  /** Where they are; what is written there under another name goes when the store is opened again. */
  readonly folder: string;
  has(uid: string): boolean;
  /** Path of the shared object, whether it is there or not. */
  pathOf(uid: string): string;
  read(uid: string): Promise<Readable>;
  /** Stores a shared object durably; throws when it is not that of `module`. */
  put(module: Pick<InstalledModule, "uid" | "sha256">, library: AsyncIterable<Uint8Array>): Promise<void>;
  /** Keeps `keepOnly` from removing the shared object until this is disposed: it is stored before a record lists it. */
  claim(uid: string): Disposable;
  /** Removes all but these, and those that are claimed. */
  keepOnly(uids: readonly string[]): void;
}

/** The shared objects that an instance of a version loads for the modules of its database. */
export type LoadedModules = (record: DatabaseRecord, storeVersion: StoreVersion) => WantedInstance["modules"];

/** Opens the folder; files that are not whole, of a node that ended while it wrote, are removed. */
export async function openModuleStore(folder: string): Promise<ModuleStore> {
  await mkdir(folder, { recursive: true });
  // engines may be of another user in the same group; older releases kept them for one user
  await chmod(folder, LIBRARY_MODE);
  const names = await readdir(folder);
  await Promise.all(names.filter((name) => !FILE.test(name)).map((name) => rm(join(folder, name), { force: true })));
  await Promise.all(names.filter((name) => FILE.test(name)).map((name) => chmod(join(folder, name), LIBRARY_MODE)));
  const held = new Set(names.flatMap((name) => FILE.exec(name)?.[1] ?? []));
  const claimed = new Map<object, string>();
  const pathOf = (uid: string): string => join(folder, `${uid}.so`);
  return {
    folder,
    has: (uid) => held.has(uid),
    pathOf,
    async read(uid) {
      // what lies there may be a link to what only this user reads
      const file = await openSharedFile(pathOf(uid));
      return file.createReadStream();
    },
    async put(module, library) {
      const { uid } = module;
      // engines refuse a shared object that may not be executed
      await replaceFile(pathOf(uid), verifyDigest(module, library), LIBRARY_MODE);
      held.add(uid);
    },
    claim(uid) {
      const claim = {};
      claimed.set(claim, uid);
      return { [Symbol.dispose]: () => void claimed.delete(claim) };
    },
    keepOnly(uids) {
      const kept = new Set([...uids, ...claimed.values()]);
      for (const uid of [...held].filter((each) => !kept.has(each))) {
        // in one step with the decision: what is stored anew meanwhile is not removed
        rmSync(pathOf(uid), { force: true });
        held.delete(uid);
      }
    },
  };
}

/** Passes on the bytes; throws at their end when they are not those of the module. */
async function* verifyDigest(
  { uid, sha256 }: Pick<InstalledModule, "uid" | "sha256">,
  library: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  const hash = createHash("sha256");
  for await (const chunk of library) {
    hash.update(chunk);
    yield chunk;
  }
  const found = hash.digest("hex");
  if (found !== sha256) throw new Error(`the shared object of module ${uid} has the digest ${found}, not ${sha256}`);
}

const LIBRARY_MODE = 0o750;
const FILE = /^([0-9a-f]{32})\.so$/;
