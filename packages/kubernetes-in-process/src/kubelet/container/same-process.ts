import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** When a process must have begun, compared with a file that it wrote. */
export type Began = "when it was written" | "at or before";

const TOLERANCE_MS = 3_000;

/**
 * Whether process `pid` is the one that wrote a file at `writtenMs`. The number alone proves nothing: another process may have got it since,
 * which then began later.
 */
export async function isSameProcess(pid: number, writtenMs: number, began: Began): Promise<boolean> {
  try {
    const { stdout } = await promisify(execFile)("ps", ["-o", "lstart=", "-p", String(pid)], {
      env: { ...process.env, LC_ALL: "C" },
    });
    const startedMs = Date.parse(stdout.trim());
    if (startedMs > writtenMs + TOLERANCE_MS) return false;
    return began === "at or before" || startedMs > writtenMs - TOLERANCE_MS;
  } catch {
    return false; // ps fails when there is no such process
  }
}
