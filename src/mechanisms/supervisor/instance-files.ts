import { readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { engineText } from "../../core/releases/engines/engines.ts";
import type { EngineIdentity } from "../../core/releases/engines/engines.ts";
import { makeFolder, replaceFile } from "#kit/files/replace-file";
import { readSharedFile } from "#kit/files/shared-file";
import type { EngineFiles } from "./engine-config.ts";
import { certificateFilesIn } from "./engine-tls-files.ts";
import { boundLog } from "./engine-log.ts";
import type { WantedInstance } from "./wanted-instance.ts";

/** Files of one instance, all below its own data directory. */
export interface InstanceFiles extends EngineFiles {
  readonly configFile: string;
  readonly launchFile: string;
  /** Exists while the engine has ended when asked to and was not started since. */
  readonly cleanFile: string;
  readonly engineFile: string;
  /** The append-only file of engines since version 7. */
  readonly appendOnlyFolder: string;
  /** Which database the data is of. */
  readonly databaseFile: string;
  /** Exists until an engine has served with data that come from a backup. */
  readonly restoredFile: string;
}

/** The directory of an instance. */
export interface InstanceDirectory {
  readonly bdb: number;
  readonly instance: number;
  readonly files: InstanceFiles;
}

/** Where instance `instance` of database `bdb` keeps its files: `<data>/db-<bdb>/<instance>/`. */
export function instanceFiles(data: string, bdb: number, instance: number): InstanceFiles {
  return filesIn(join(data, `db-${bdb}`, String(instance)));
}

const CONFIG_FILE = "engine.conf";

/** The files of an instance in its directory, wherever that lies. */
export function filesIn(directory: string): InstanceFiles {
  return {
    directory,
    pidFile: join(directory, "engine.pid"),
    logFile: join(directory, "engine.log"),
    configFile: join(directory, CONFIG_FILE),
    launchFile: join(directory, "launch"),
    cleanFile: join(directory, "clean"),
    engineFile: join(directory, "engine"),
    appendOnlyFolder: join(directory, "appendonlydir"),
    databaseFile: join(directory, "database"),
    restoredFile: join(directory, "restored"),
    ...certificateFilesIn(directory),
  };
}

/** True when an engine that was started with this configuration file is the instance, wherever its data lies. */
export function isConfigFileOf(path: string, bdb: number, instance: number): boolean {
  return path.endsWith(`/db-${bdb}/${instance}/${CONFIG_FILE}`);
}

/** Every instance directory below `data`; other entries are left alone. */
export async function listInstanceDirectories(data: string): Promise<readonly InstanceDirectory[]> {
  const databases = numbersIn(await namesIn(data), /^db-(\d+)$/);
  const found = await Promise.all(
    databases.map(async (bdb) => {
      const instances = numbersIn(await namesIn(join(data, `db-${bdb}`)), /^(\d+)$/);
      return instances.map((instance) => ({ bdb, instance, files: instanceFiles(data, bdb, instance) }));
    }),
  );
  return found.flat();
}

/** Removes the data of an instance, and the folder of its database once that is empty. */
export async function removeInstance(data: string, { bdb, files }: InstanceDirectory): Promise<void> {
  await rm(files.directory, { recursive: true, force: true });
  const database = join(data, `db-${bdb}`);
  if ((await namesIn(database)).length === 0) await rm(database, { recursive: true, force: true });
}

/** Makes the directory, notes whose data it holds, and keeps the engine's log from growing without end. */
export async function prepareDirectory(files: InstanceFiles, database: WantedInstance["database"]): Promise<void> {
  const { directory, databaseFile } = files;
  await makeFolder(directory);
  const owner = JSON.stringify(database);
  if ((await readOr(databaseFile, "")) !== owner) await replaceFile(databaseFile, owner);
  await boundLog(files);
}

/** The database whose data a directory holds; undefined where an agent of release 0.3.0 or older wrote it last. */
export async function readDatabase({ databaseFile }: InstanceFiles): Promise<WantedInstance["database"] | undefined> {
  const text = await readOr(databaseFile, "{}");
  const { created, name }: Record<string, unknown> = JSON.parse(text);
  return typeof created === "string" && typeof name === "string" ? { created, name } : undefined;
}

/** The launch number that was used last; undefined when the directory has none. */
export async function readLaunch({ launchFile }: InstanceFiles): Promise<number | undefined> {
  const launch = Number.parseInt(await readOr(launchFile, ""), 10);
  return Number.isNaN(launch) ? undefined : launch;
}

/** Whether an AOF is there: one file before version 7, a folder with a manifest since. */
export async function hasAof({ directory, appendOnlyFolder }: InstanceFiles): Promise<boolean> {
  const names = [...(await namesIn(directory)), ...(await namesIn(appendOnlyFolder))];
  return names.some((name) => name === "appendonly.aof" || name.endsWith(".aof.manifest"));
}

/** Stores a launch number; a crash in between leaves the old or the new one. */
export async function writeLaunch({ launchFile }: InstanceFiles, launch: number): Promise<void> {
  await replaceFile(launchFile, `${launch}\n`);
}

/** Whether the engine ended when asked to, with its data on disk, and was not started since. */
export async function endedCleanly({ cleanFile }: InstanceFiles): Promise<boolean> {
  return (await readOr(cleanFile, "")) !== "";
}

/** Notes how the engine ended; before each start, that it has not ended yet. */
export async function noteEnd({ cleanFile }: InstanceFiles, clean: boolean): Promise<void> {
  if (clean) await replaceFile(cleanFile, "clean\n");
  else await rm(cleanFile, { force: true });
}

/** Notes that the data come from a backup, or that an engine has served with them. */
export async function noteRestored({ restoredFile }: InstanceFiles, isRestored: boolean): Promise<void> {
  if (isRestored) await replaceFile(restoredFile, "restored\n");
  else await rm(restoredFile, { force: true });
}

/** Whether the data come from a backup, and no engine has served with them. */
export async function hasRestored({ restoredFile }: InstanceFiles): Promise<boolean> {
  return (await readOr(restoredFile, "")) !== "";
}

export async function writeConfig({ configFile }: InstanceFiles, text: string, mode: number): Promise<void> {
  await replaceFile(configFile, text, mode);
}

/**
 * Notes which engine writes this directory from now on. A replica that changes engines drops what the other one wrote: it
 * gets everything from its primary, and may be unable to read those files.
 */
export async function claimForEngine(files: InstanceFiles, engine: EngineIdentity, keepData: boolean): Promise<void> {
  const before = (await readOr(files.engineFile, "")).trim();
  if (before !== "" && before !== engineText(engine) && !keepData) await dropData(files);
  await replaceFile(files.engineFile, `${engineText(engine)}\n`);
}

/**
 * Puts what an engine has stored where it does not read it, in the place of what was put there before. For a replica that cannot
 * read its own files: it gets everything from its primary.
 */
export async function putUnreadAside(files: InstanceFiles): Promise<void> {
  const aside = unreadFolder(files);
  await rm(aside, { recursive: true, force: true });
  await makeFolder(aside);
  for (const name of (await namesIn(files.directory)).filter((name) => DATA.includes(name)))
    await rename(join(files.directory, name), join(aside, name));
}

/** Removes what a replica could not read, once it has its data. */
export async function removeUnread(files: InstanceFiles): Promise<void> {
  await rm(unreadFolder(files), { recursive: true, force: true });
}

/** What an engine stores in its directory: its snapshot and its append-only file. */
const DATA = ["dump.rdb", "appendonlydir"];

function unreadFolder({ directory }: InstanceFiles): string {
  return join(directory, "unread");
}

async function dropData({ directory }: InstanceFiles): Promise<void> {
  for (const name of DATA) await rm(join(directory, name), { recursive: true, force: true });
}

async function readOr(path: string, absent: string): Promise<string> {
  return (await readSharedFile(path)) ?? absent;
}

/** Names of what is in a folder; none when there is no such folder. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}

function numbersIn(names: readonly string[], form: RegExp): readonly number[] {
  return names
    .map((name) => form.exec(name)?.[1])
    .filter((digits) => digits !== undefined)
    .map(Number);
}
