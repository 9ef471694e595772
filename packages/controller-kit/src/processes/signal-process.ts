import { systemCode } from "../base/file-trouble.ts";

/** Sends a signal to a process, or with a negative number to its group; false when there is none to which this user may send it. */
export function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (OUT_OF_REACH.has(systemCode(error))) return false;
    throw error;
  }
}

/** It has ended, or is of another user. */
const OUT_OF_REACH: ReadonlySet<string> = new Set(["ESRCH", "EPERM"]);
