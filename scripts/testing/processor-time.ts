import { readFileSync } from "node:fs";

/** Processor time of this process and of its descendants that were waited for; of this process alone where there is no /proc. */
export function processorSeconds(): number {
  if (process.platform !== "linux") {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000_000;
  }
  const stat = readFileSync("/proc/self/stat", "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = fields.slice(UTIME, UTIME + TIMES).reduce((sum, text) => sum + Number(text), 0);
  return ticks / TICKS_PER_SECOND;
}

/** Where utime, stime, cutime and cstime stand behind the name of the program, see proc(5). */
const UTIME = 11;
const TIMES = 4;
/** The kernel shows times in this unit on every architecture that Node.js runs on. */
const TICKS_PER_SECOND = 100;
