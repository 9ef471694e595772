import { readFile, writeFile } from "node:fs/promises";
import { Fault, messageOf } from "../../../core/base/fault.ts";
import { faults } from "../faults.ts";

/** The text of a file that the user has named; CLI_FILE when it cannot be read. */
export async function readTextFile(file: string): Promise<string> {
  return readFile(file, "utf8").catch((error: unknown) => {
    throw new Fault(faults.file, `${file} cannot be read: ${messageOf(error)}`, { file }, error);
  });
}

/** Writes a file that is not there yet, for its owner alone where `mode` says so; CLI_FILE when it cannot be written. */
export async function writeNew(file: string, content: string | Uint8Array, mode = 0o644): Promise<void> {
  await writeFile(file, content, { flag: "wx", mode }).catch((error: unknown) => {
    throw new Fault(faults.file, `${file} cannot be written: ${messageOf(error)}`, { file }, error);
  });
}
