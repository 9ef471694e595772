import { readFileSync } from "node:fs";

/** Ticks of the counters in /proc a second: the same on every Linux that Node runs on. */
const TICKS = 100;

/** Processor time of a process so far, in seconds. */
export function processorSecondsOf(pid: number): number {
  return statOf(pid).cpu;
}

/** Name and parent of a process, and its processor time so far in seconds. */
export function statOf(pid: number): { readonly name: string; readonly parent: number; readonly cpu: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // the name in the second field may hold blanks: fields are counted from its end
  const end = stat.lastIndexOf(")");
  const fields = stat.slice(end + 2).split(" ");
  const cpu = (Number(fields[11]) + Number(fields[12])) / TICKS;
  return { name: stat.slice(stat.indexOf("(") + 1, end), parent: Number(fields[1]), cpu };
}
