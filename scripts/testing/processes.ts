import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** A running process. */
interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
  readonly isMarked: boolean;
}

/**
 * The processes that a test file has started, direct and indirect, also those whose parent has ended: they are descendants of a process
 * whose environment, command line or working folder names `folder`, or such a process themselves. Empty where there is no /proc.
 */
function processesOf(folder: string): readonly Process[] {
  const all = readAll(folder);
  const found = new Set(all.filter(({ isMarked }) => isMarked).map(({ pid }) => pid));
  for (let size = -1; size !== found.size;) {
    size = found.size;
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
  }
  return all.filter(({ pid }) => found.has(pid) && pid !== process.pid);
}

/** Kills them until none is left, for at most five seconds; the command lines of those found first. */
export async function killProcessesOf(folder: string): Promise<readonly string[]> {
  const first = processesOf(folder);
  for (let round = 0, left = first; left.length > 0 && round < ROUNDS; round++, left = processesOf(folder)) {
    for (const { pid } of left) kill(pid);
    await sleep(PAUSE_MS);
  }
  return first.map(({ pid, command }) => `${pid} ${command}`);
}

/** Resolves once all of them have ended, or after `withinMs`. */
export async function untilEnded(folder: string, withinMs: number): Promise<void> {
  const until = performance.now() + withinMs;
  while (processesOf(folder).length > 0 && performance.now() < until) await sleep(PAUSE_MS);
}

const PAUSE_MS = 100;
const ROUNDS = 50;

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // it has ended meanwhile
  }
}

function readAll(folder: string): readonly Process[] {
  return pids().flatMap((pid) => {
    const stat = read(pid, "stat");
    const [state = "Z", parent = "0"] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (state === "Z") return []; // it has ended, and waits for its parent
    const command = read(pid, "cmdline").replaceAll("\0", " ").trim();
    const isMarked = [command, read(pid, "environ"), workingFolder(pid)].some((text) => text.includes(folder));
    return [{ pid, parent: Number(parent), command: command.slice(0, 200), isMarked }];
  });
}

function pids(): readonly number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return ""; // it has ended, or belongs to another user
  }
}

function workingFolder(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return "";
  }
}
