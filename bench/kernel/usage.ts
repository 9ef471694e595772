import { globSync, readFileSync } from "node:fs";
import { statOf } from "./processor-time.ts";

/** What one process has used since it started, and what it holds now. */
export interface Usage {
  /** Seconds. */
  readonly cpu: number;
  /** How often its threads have gone to sleep. */
  readonly waits: number;
  /** Memory, each page shared by n processes as an nth, in MiB. */
  readonly pss: number;
  /** Resident memory, in MiB. */
  readonly rss: number;
}

/** Of a process that runs; undefined when it has ended. */
export function usageOf(pid: number): Usage | undefined {
  try {
    const memory = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
    const mib = (field: string): number => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(memory)?.[1]) / 1024;
    const waits = globSync(`/proc/${pid}/task/*/status`).reduce((sum, file) => sum + waitsIn(file), 0);
    return { cpu: statOf(pid).cpu, waits, pss: mib("Pss"), rss: mib("Rss") };
  } catch (error) {
    // ENOENT, ESRCH: it has ended since it was found
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ESRCH"))
      return undefined;
    throw error;
  }
}

function waitsIn(file: string): number {
  return Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(readFileSync(file, "utf8"))?.[1]);
}
