import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { Fault } from "#kit/base/fault";
import { fileTrouble, systemCode } from "#kit/base/file-trouble";
import { faults } from "../faults.ts";

/** The folder of a world, for its owner alone; CLI_FOLDER when it cannot be made. */
export async function makeLocalFolder(folder: string): Promise<void> {
  const refused = await tryMakeAll(folder);
  if (refused === undefined) return;
  throw new Fault(faults.folder, `${folder} cannot be made: ${whyNoFolder(refused)}`, { folder }, refused);
}

/** A folder for files of the user alone; CLI_OUTPUT when it cannot be made. */
export async function makePrivateFolder(folder: string): Promise<void> {
  const refused = await tryMakeAll(folder);
  if (refused === undefined) return;
  throw new Fault(faults.output, `the folder ${folder} cannot be made: ${whyNoFolder(refused)}`, { folder }, refused);
}

/**
 * Makes a folder with those above it that are missing; the error when that cannot be, undefined when it is there. Each is asked for once: where a
 * file system answers that a folder above is missing although it is there, as procfs does, Node's own recursion never ends.
 */
async function tryMakeAll(folder: string): Promise<unknown> {
  const first = await tryMakeFolder(folder);
  if (systemCode(first) !== "ENOENT" || dirname(folder) === folder) return first;
  return (await tryMakeAll(dirname(folder))) ?? (await tryMakeFolder(folder));
}

async function tryMakeFolder(folder: string): Promise<unknown> {
  try {
    await mkdir(folder, { mode: 0o700 });
    return undefined;
  } catch (error) {
    return systemCode(error) === "EEXIST" ? whyOther(folder, error) : error;
  }
}

/** Undefined where it is a folder that is there; for a link that leads nowhere, that there is nothing. */
async function whyOther(folder: string, error: unknown): Promise<unknown> {
  return stat(folder).then(
    (about) => (about.isDirectory() ? undefined : error),
    (missing: unknown) => missing,
  );
}

function whyNoFolder(error: unknown): string {
  return systemCode(error) === "ENOENT" ? "there can be no folder" : fileTrouble(error);
}
