import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { bytesIn } from "#kit/files/folder-size";
import { makeFolder, syncFolder } from "#kit/files/replace-file";
import { filesIn, namesIn, readDatabase } from "./instance-files.ts";
import type { InstanceDirectory } from "./instance-files.ts";
import type { WantedInstance } from "./wanted-instance.ts";

/** Data that no record asks for any more: kept on the volume of its node until its record returns or its time is over. */
export interface SetAsideData {
  /** Name of its folder; unique on its node. */
  readonly id: string;
  readonly bdb: number;
  readonly instance: number;
  /** Name of the database; empty where an agent of release 0.3.0 or older wrote the data. */
  readonly name: string;
  /** `createdTime` of the database; undefined where an agent of release 0.3.0 or older wrote the data. */
  readonly created: string | undefined;
  readonly since: Date;
  readonly bytes: number;
}

const FOLDER = "set-aside";
const NAME = /^db-(\d+)-(\d+)-(\d+)$/;

/** Moves a directory to what is set aside, in one step. Needs no room on the volume. */
export async function setAside(data: string, { bdb, instance, files }: InstanceDirectory, now: Date): Promise<void> {
  if (!existsSync(files.directory)) return; // its engine has never been started
  await makeFolder(join(data, FOLDER));
  const target = join(data, FOLDER, `db-${bdb}-${instance}-${now.getTime()}`);
  await move(files.directory, target);
  const database = dirname(files.directory);
  if ((await namesIn(database)).length === 0) await rm(database, { recursive: true, force: true });
}

/** Moves data back to where its instance starts. */
export async function adopt(data: string, { id }: SetAsideData, directory: string): Promise<void> {
  await makeFolder(dirname(directory));
  await move(join(data, FOLDER, id), directory);
}

/** Removes data that was set aside. */
export async function release(data: string, { id }: Pick<SetAsideData, "id">): Promise<void> {
  await rm(join(data, FOLDER, id), { recursive: true, force: true });
}

/** All that is set aside on this volume, oldest first. */
export async function listSetAside(data: string): Promise<readonly SetAsideData[]> {
  const names = (await namesIn(join(data, FOLDER))).filter((name) => NAME.test(name));
  const all = await Promise.all(names.map((name) => describe(join(data, FOLDER, name), name)));
  return all.toSorted((one, other) => one.since.getTime() - other.since.getTime());
}

/** The newest data of an instance that was set aside. */
export function newestData(
  all: readonly SetAsideData[],
  { bdb, instance, database }: Pick<WantedInstance, "bdb" | "instance" | "database">,
): SetAsideData | undefined {
  return all.findLast(
    (one) =>
      one.bdb === bdb && one.instance === instance && (one.created === undefined || one.created === database.created),
  );
}

async function describe(folder: string, id: string): Promise<SetAsideData> {
  const [, bdb, instance, since] = NAME.exec(id) ?? [];
  const database = await readDatabase(filesIn(folder));
  return {
    id,
    bdb: Number(bdb),
    instance: Number(instance),
    since: new Date(Number(since)),
    name: database?.name ?? "",
    created: database?.created,
    bytes: await bytesIn(folder),
  };
}

async function move(from: string, to: string): Promise<void> {
  await rename(from, to);
  await Promise.all([syncFolder(dirname(from)), syncFolder(dirname(to))]);
}
