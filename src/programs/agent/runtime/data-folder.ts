import { access, constants, mkdir } from "node:fs/promises";
import { Fault, messageOf } from "#kit/base/fault";
import { faults } from "../faults.ts";

/**
 * Creates the data folder of a node unless it exists. AGENT_DATA_NOT_WRITABLE when it cannot be written: a node that joined
 * without one would get shards that it cannot start.
 */
export async function openDataFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const who = process.getuid?.() ?? "of this process";
    const message = `user ${who} cannot write to the data folder ${path}: ${messageOf(error)}`;
    throw new Fault(faults.dataNotWritable, message, { path }, error);
  }
}
