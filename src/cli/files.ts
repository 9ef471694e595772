import { readFile } from "node:fs/promises";
import { Fault, messageOf } from "../base/fault.ts";
import { faults } from "./faults.ts";

/** The text of a file that the user has named; CLI_FILE when it cannot be read. */
export async function textOf(file: string): Promise<string> {
  return readFile(file, "utf8").catch((error: unknown) => {
    throw new Fault(faults.file, `${file} cannot be read: ${messageOf(error)}`, { file }, error);
  });
}
