import { readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolder, replaceFile, syncFolder } from "#kit/files/replace-file";
import { filesIn, instanceFiles, noteEnd, noteRestored, writeLaunch } from "./instance-files.ts";
import { clearThrowAway, type ThrowAwayDeps } from "./throw-away.ts";
import type { WantedInstance } from "./wanted-instance.ts";

/** Data that an engine is to start from. */
export interface RestoredData extends Pick<WantedInstance, "bdb" | "instance" | "database"> {
  /** What its record allows so far: the engine does not start before one more is allowed. */
  readonly launch: number;
  /** Whether its engine keeps an append-only file, which it then starts from. */
  readonly hasAppendOnlyFile: boolean;
  /** Puts the snapshot there, readable as `mode` says. */
  readonly provide: (path: string, mode: number) => Promise<void>;
}

/**
 * Makes a folder with a snapshot as the data of an instance that has ended as it was asked to, and answers with its path. An engine with an
 * append-only file reads no other snapshot: there it is the base of one.
 */
export async function draftRestored(
  data: string,
  { bdb, instance, database, launch, hasAppendOnlyFile, provide }: RestoredData,
  mode: number,
): Promise<string> {
  const draft = draftOf(data, bdb, instance);
  await rm(draft, { recursive: true, force: true });
  try {
    const files = filesIn(draft);
    await makeFolder(hasAppendOnlyFile ? files.appendOnlyFolder : draft);
    if (hasAppendOnlyFile) {
      await provide(join(files.appendOnlyFolder, BASE), mode);
      await replaceFile(join(files.appendOnlyFolder, "appendonly.aof.manifest"), `file ${BASE} seq 1 type b\n`, mode);
    } else await provide(join(draft, "dump.rdb"), mode);
    await replaceFile(files.databaseFile, JSON.stringify(database));
    await writeLaunch(files, launch);
    await noteEnd(files, true);
    await noteRestored(files, true);
    return draft;
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

/** What has come of such a folder, in bytes; 0 when there is none. */
export async function draftedBytes(data: string, bdb: number, instance: number): Promise<number> {
  const draft = draftOf(data, bdb, instance);
  const names = await readdir(draft, { recursive: true }).catch(() => []); // none yet, or put in its place by now
  const sizes = names.map(async (name) => {
    const found = await stat(join(draft, name)).catch(() => undefined); // renamed since
    return found?.isFile() === true ? found.size : 0;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** Puts such a folder in the place of the data of its instance, whose engine does not run. */
export async function placeRestored(data: string, bdb: number, instance: number, draft: string): Promise<void> {
  const { directory } = instanceFiles(data, bdb, instance);
  await makeFolder(dirname(directory));
  await rm(directory, { recursive: true, force: true });
  await rename(draft, directory);
  await Promise.all([syncFolder(dirname(draft)), syncFolder(dirname(directory))]);
}

/** Removes what an earlier agent has left of such folders, and of a throw-away engine. */
export async function clearLeftFiles(deps: Pick<ThrowAwayDeps, "data" | "clock" | "log">): Promise<void> {
  await rm(join(deps.data, DRAFTS), { recursive: true, force: true });
  await clearThrowAway(deps);
}

function draftOf(data: string, bdb: number, instance: number): string {
  return join(data, DRAFTS, `db-${bdb}-${instance}`);
}

const DRAFTS = "incoming";
const BASE = "appendonly.aof.1.base.rdb";
