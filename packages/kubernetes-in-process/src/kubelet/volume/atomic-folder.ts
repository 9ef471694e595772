import { mkdir, mkdtemp, readFile, readdir, readlink, rename, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { Fault } from "../../../../controller-kit/src/base/fault.ts";
import { faults } from "../faults.ts";
import { unlessMissing } from "../../../../controller-kit/src/files/unless-missing.ts";

/** A file of a generated volume. */
export interface VolumeFile {
  /** Relative to the volume. */
  readonly path: string;
  readonly content: Buffer;
  readonly mode: number;
}

const CURRENT = "..data";

/**
 * Makes `folder` hold exactly `files`, all at once: readers go through the link `..data`, which is replaced in one step,
 * so no reader sees a new certificate beside an old key. Returns whether anything had to change.
 */
export async function writeAtomically(folder: string, files: readonly VolumeFile[]): Promise<boolean> {
  for (const { path } of files) assertInside(path);
  await mkdir(folder, { recursive: true });
  const old = await unlessMissing(readlink(join(folder, CURRENT))); // not there before the first time
  if (old !== undefined && (await holds(join(folder, old), files))) return false;
  const fresh = await mkdtemp(join(folder, "..v_"));
  for (const { path, content, mode } of files) {
    await mkdir(dirname(join(fresh, path)), { recursive: true });
    await writeFile(join(fresh, path), content, { mode });
  }
  await pointAt(folder, fresh.slice(folder.length + 1));
  await linkTopLevel(folder, new Set(files.map(({ path }) => topOf(path))));
  if (old !== undefined) await rm(join(folder, old), { recursive: true, force: true });
  return true;
}

/** KUBELET_PATH_OUTSIDE for a path that leads out of the folder that it is relative to. */
export function assertInside(path: string): void {
  const clean = normalize(path);
  if (path === "" || clean.startsWith("/") || clean === ".." || clean.startsWith("../")) {
    throw new Fault(faults.pathOutside, `path "${path}" is not inside its volume`, { path });
  }
}

async function holds(folder: string, files: readonly VolumeFile[]): Promise<boolean> {
  const there = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  if (there.length !== files.length) return false;
  for (const { path, content } of files) {
    const present = await unlessMissing(readFile(join(folder, path))); // a new name: the sets differ
    if (present === undefined || !present.equals(content)) return false;
  }
  return true;
}

async function pointAt(folder: string, target: string): Promise<void> {
  const staged = join(folder, "..data_tmp");
  await rm(staged, { force: true });
  await symlink(target, staged);
  await rename(staged, join(folder, CURRENT));
}

async function linkTopLevel(folder: string, names: ReadonlySet<string>): Promise<void> {
  const there = new Set((await readdir(folder)).filter((name) => !name.startsWith("..")));
  for (const name of names.difference(there)) await symlink(join(CURRENT, name), join(folder, name));
  for (const name of there.difference(names)) await rm(join(folder, name), { force: true });
}

function topOf(path: string): string {
  return normalize(path).split("/")[0] ?? path;
}
