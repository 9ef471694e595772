import { readFileSync } from "node:fs";
import { until } from "#kit/testing/until";

/** A process that is stopped: its connections stay open, and it answers nothing. */
export interface SuspendedProcess extends Disposable {
  resume(): void;
}

/** Stops a process until it is resumed or disposed. */
export async function suspend({ pid }: { readonly pid: number }): Promise<SuspendedProcess> {
  const resume = (): void => {
    if (isRunning(pid)) process.kill(pid, "SIGCONT");
  };
  process.kill(pid, "SIGSTOP");
  try {
    await until("the process is stopped", () => /^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, "utf8")));
  } catch (error) {
    resume();
    throw error;
  }
  return { resume, [Symbol.dispose]: resume };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
