import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "./replace-file.ts";
import { readSharedFile } from "./shared-file.ts";
import { unlessMissing } from "./unless-missing.ts";

/** Bytes of each file of a folder, by its name, as they were when they were noted. */
export type NotedSizes = ReadonlyMap<string, number>;

/** Notes the sizes of what the folder holds; a crash in between leaves the old note or the new one. */
export async function noteSizes(folder: string): Promise<void> {
  const names = (await unlessMissing(readdir(folder))) ?? [];
  const lines = names.map(async (name) => `${(await stat(join(folder, name))).size} ${name}\n`);
  await replaceFile(noteOf(folder), (await Promise.all(lines)).join(""));
}

/** The last note; undefined when there is none. */
export async function readNotedSizes(folder: string): Promise<NotedSizes | undefined> {
  const text = await readSharedFile(noteOf(folder));
  const lines = text?.split("\n").map((line) => /^(\d+) (.+)$/.exec(line));
  return lines && new Map(lines.flatMap((found) => (found === null ? [] : [[found[2] ?? "", Number(found[1])]])));
}

/** Beside the folder, which is for others to look at. */
function noteOf(folder: string): string {
  return `${folder}.sizes`;
}
