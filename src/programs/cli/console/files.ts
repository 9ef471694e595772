import { readFile, stat, writeFile } from "node:fs/promises";
import { Fault } from "#kit/base/fault";
import { fileTrouble, systemCode } from "#kit/base/file-trouble";
import { faults } from "../faults.ts";

/** The text of a file that the user has named; CLI_FILE when it cannot be read. */
export async function readTextFile(file: string): Promise<string> {
  return readFile(file, "utf8").catch((error: unknown) => {
    throw unreadableFile(file, error);
  });
}

/** CLI_FILE when there is no such file. */
export async function requireFile(file: string): Promise<void> {
  const about = await stat(file).catch((error: unknown) => {
    throw unreadableFile(file, error);
  });
  if (about.isDirectory()) throw new Fault(faults.file, `${file} cannot be read: it is a folder`, { file });
}

/** CLI_FILE, in words for a person. */
export function unreadableFile(file: string, error: unknown): Fault {
  return new Fault(faults.file, `${file} cannot be read: ${fileTrouble(error)}`, { file }, error);
}

/** Writes a file that is not there yet, for its owner alone where `mode` says so; CLI_OUTPUT when it cannot be written. */
export async function writeNew(file: string, content: string | Uint8Array, mode = 0o644): Promise<void> {
  await writeFile(file, content, { flag: "wx", mode }).catch((error: unknown) => {
    const why = systemCode(error) === "ENOENT" ? "its folder is not there" : fileTrouble(error);
    throw new Fault(faults.output, `${file} cannot be written: ${why}`, { file }, error);
  });
}
