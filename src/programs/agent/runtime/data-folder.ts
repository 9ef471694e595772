import { access, constants, mkdir } from "node:fs/promises";
import { Fault, messageOf } from "../../../core/base/fault.ts";
import { faults } from "../faults.ts";

/**
 * Makes the data folder of a node unless it is there. AGENT_DATA_NOT_WRITABLE when nothing can be kept in it: a node that
 * joined all the same would be given shards that it cannot start.
 */
export async function openDataFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const who = process.getuid?.() ?? "of this process";
    const said = `user ${who} can keep nothing in the data folder ${path}: ${messageOf(error)}`;
    throw new Fault(faults.dataNotWritable, said, { path }, error);
  }
}
