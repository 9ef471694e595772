import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { Fault, messageOf } from "#kit/base/fault";
import { faults } from "../faults.ts";

/**
 * Makes a folder for its owner alone, with those above it that are missing; CLI_FOLDER when it cannot be made. Each is asked for once:
 * where a file system answers that a folder above is missing although it is there, as procfs does, Node's own recursion never ends.
 */
export async function makeLocalFolder(folder: string): Promise<void> {
  const first = await tryMakeFolder(folder);
  if (first === undefined) return;
  if (codeOf(first) === "ENOENT" && dirname(folder) !== folder) {
    await makeLocalFolder(dirname(folder));
    const again = await tryMakeFolder(folder);
    if (again === undefined) return;
    throw refusal(folder, again);
  }
  throw refusal(folder, first);
}

/** The error of the attempt; undefined when the folder is there. */
async function tryMakeFolder(folder: string): Promise<unknown> {
  try {
    await mkdir(folder, { mode: 0o700 });
    return undefined;
  } catch (error) {
    const isThere = codeOf(error) === "EEXIST" && (await stat(folder)).isDirectory();
    return isThere ? undefined : error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

function refusal(folder: string, error: unknown): Fault {
  return new Fault(faults.folder, `${folder} cannot be made: ${messageOf(error)}`, { folder }, error);
}
