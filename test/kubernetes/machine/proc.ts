import { readFileSync } from "node:fs";

/** When the process started, in ticks since the machine did: with the number it names a process for good. Undefined when there is none. */
export function startTimeOf(pid: number): number | undefined {
  const fields = statOf(pid);
  return fields === undefined || fields[0] === "Z" ? undefined : Number(fields[19]);
}

/** True when `pid` is still the process that started then, and not a later one of the same number. */
export function isSameProcess(pid: number, startTime: number): boolean {
  return startTimeOf(pid) === startTime;
}

/** The only child of a process that starts one and waits for it; undefined before it has, and when the process has ended. */
export function onlyChildOf(pid: number): number | undefined {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
    return children === "" ? undefined : Number(children);
  } catch {
    return undefined; // it has ended
  }
}

/** Name of the program that a process runs; undefined when it has ended. */
export function programOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").trim();
  } catch {
    return undefined; // it has ended
  }
}

/** The fields of /proc/<pid>/stat from the state on: the name before it may hold blanks and brackets. */
function statOf(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined; // it has ended
  }
}
