import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "#kit/testing/until";
import { SYSTEM_PATH } from "./system-path.ts";
import { isSameProcess, startTimeOf } from "./proc.ts";

/** A program that was started and goes on. */
export interface Running {
  readonly name: string;
  readonly pid: number;
  /** Throws with the end of its log when it has ended. */
  check(): void;
  /** Resolves when it has ended. */
  readonly ended: Promise<void>;
  /** Ends it by force and waits until it is gone. */
  stop(): Promise<void>;
}

/** Starts programs that write to `<folder>/log` and are noted in `<folder>/pids`. */
export interface Launcher {
  readonly folder: string;
  /** The command has to become the program itself, as `nsenter` does. */
  start(name: string, command: readonly string[], options?: LaunchOptions): Running;
}

export interface LaunchOptions {
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * `bound` programs are ended by the kernel when the process that started them ends, however it ends; `free` ones go on, and are found
 * again by their notes.
 */
export type Lifetime = "bound" | "free";

/** A launcher for the programs of one control plane or cluster. */
export function launcher(folder: string, lifetime: Lifetime): Launcher {
  for (const part of ["log", "pids"]) mkdirSync(join(folder, part), { recursive: true });
  return { folder, start: (name, command, options = {}) => start(folder, lifetime, name, command, options) };
}

/**
 * The command as one that ends with its parent: the kernel kills it, as the program has no other way to know. When `parent` is not its parent any more,
 * since that ended before the kernel was asked, it does not begin.
 */
export function boundTo(parent: number, command: readonly string[]): readonly string[] {
  return [
    "setpriv",
    "--pdeathsig",
    "SIGKILL",
    "sh",
    "-c",
    '[ "$PPID" = "$0" ] && exec "$@"',
    String(parent),
    ...command,
  ];
}

function start(
  folder: string,
  lifetime: Lifetime,
  name: string,
  command: readonly string[],
  { env }: LaunchOptions,
): Running {
  const [program = "", ...args] = lifetime === "bound" ? boundTo(process.pid, command) : command;
  const log = join(folder, "log", `${name}.log`);
  const output = openSync(log, "a");
  const child = spawn(program, args, {
    stdio: ["ignore", output, output],
    detached: true,
    env: { ...process.env, PATH: SYSTEM_PATH, ...env },
  });
  closeSync(output);
  const pid = child.pid;
  if (pid === undefined) throw new Error(`${name} cannot be started: there is no program ${program}`);
  const forget = noteProcess(folder, name, pid);
  const ended = once(child, "exit").then(forget);
  if (lifetime === "free") child.unref();
  return {
    name,
    pid,
    check: () => {
      if (child.exitCode === null && child.signalCode === null) return;
      throw new Error(`${name} has ended (${child.exitCode ?? child.signalCode}). The end of ${log}:\n${endOf(log)}`);
    },
    ended,
    stop: async () => {
      child.ref();
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Notes a process of a home, so that it is found when the process that started it is gone; the answer forgets it. */
export function noteProcess(folder: string, name: string, pid: number): () => void {
  const note = join(folder, "pids", name);
  writeFileSync(note, `${pid} ${startTimeOf(pid) ?? ""}`);
  return () => {
    rmSync(note, { force: true });
  };
}

/** The last lines of a log. */
function endOf(log: string): string {
  return readFileSync(log, "utf8").trimEnd().split("\n").slice(-12).join("\n");
}

/** Unmounting may wait for a disk that others keep busy. */
export const END_WITHIN_MS = 60_000;

/** A process that was noted, and whether it still goes on. */
export interface Noted {
  readonly name: string;
  readonly pid: number;
  readonly isAlive: boolean;
}

/** The processes that are noted under `names`; those without a note are left out. */
export function notedProcesses(folder: string, names: readonly string[]): readonly Noted[] {
  const notes = names
    .map((name) => ({ name, file: join(folder, "pids", name) }))
    .filter(({ file }) => existsSync(file));
  return notes.map(({ name, file }) => {
    const [pid = 0, startTime = 0] = readFileSync(file, "utf8").split(" ").map(Number);
    return { name, pid, isAlive: isSameProcess(pid, startTime) };
  });
}

/** Ends the noted processes that are still the same, and waits until they are gone; for those that another process started. */
export async function killNoted(folder: string, names: readonly string[]): Promise<void> {
  const alive = (): readonly Noted[] => notedProcesses(folder, names).filter(({ isAlive }) => isAlive);
  for (const { pid } of alive()) process.kill(pid, "SIGKILL");
  await until(`the programs of ${folder} have ended`, () => alive().length === 0, { withinMs: END_WITHIN_MS });
}
