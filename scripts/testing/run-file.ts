import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Line } from "./events.ts";
import { killProcessesOf, untilEnded } from "./processes.ts";
import { resultOf, type FileResult } from "./result.ts";

/** One test file to run. */
export interface Task {
  /** Path from the root of the repository. */
  readonly file: string;
  /** After this time the file and everything that it started are killed. */
  readonly limitSeconds: number;
  /** Options of node's test runner, for instance `--test-name-pattern=x`. */
  readonly options: readonly string[];
}

/** Where the run is: the repository, a folder for temporary files that the caller removes, and what tests need in their environment. */
export interface Place {
  readonly root: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Runs a test file in a process of its own, to its end or its limit. It gets a folder for temporary files; that folder and every process
 * that names it are gone afterwards. An abort kills it and rejects with the reason.
 */
export async function runFile(task: Task, place: Place, number: number, signal: AbortSignal): Promise<FileResult> {
  const folder = join(place.folder, String(number));
  const temporary = join(folder, "t");
  mkdirSync(temporary, { recursive: true });
  const begun = performance.now();
  const child = start(task, place, folder, temporary);
  let overran = 0;
  const end = async (): Promise<void> => {
    killGroup(child.pid);
    await killProcessesOf(temporary);
  };
  const timer = setTimeout(() => {
    overran = task.limitSeconds;
    void end();
  }, task.limitSeconds * 1_000);
  const abort = (): void => void end();
  signal.addEventListener("abort", abort);
  try {
    await once(child, "exit");
    const seconds = (performance.now() - begun) / 1_000;
    await untilEnded(temporary, overran > 0 ? 0 : GRACE_MS);
    const left = await killProcessesOf(temporary);
    signal.throwIfAborted();
    const lines = readLines(join(folder, "events"));
    const output = endOf(readFileSync(join(folder, "output"), "utf8"));
    return resultOf(task.file, {
      seconds,
      lines,
      end: child.exitCode ?? child.signalCode ?? "",
      overran,
      left,
      output,
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Programs that a test has ended may take a moment to be gone. */
const GRACE_MS = 3_000;
const REPORTER = join(import.meta.dirname, "reporter.ts");

/** A session of its own, so that Ctrl-C reaches the runner alone, which then ends everything. */
function start({ file, options }: Task, place: Place, folder: string, temporary: string) {
  const [events, output] = [openSync(join(folder, "events"), "a"), openSync(join(folder, "output"), "a")];
  const child = spawn(process.execPath, [`--test-reporter=${REPORTER}`, ...options, file], {
    cwd: place.root,
    stdio: ["ignore", output, output, events],
    detached: true,
    env: { ...process.env, TMPDIR: temporary, ...place.env },
  });
  for (const opened of [events, output]) closeSync(opened);
  return child;
}

/** The group holds what the file started as ordinary children; programs in groups of their own are found by the folder. */
function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // it has ended meanwhile
  }
}

/** The last line is left out when the process was killed while it wrote. */
function readLines(path: string): readonly Line[] {
  const text = readFileSync(path, "utf8");
  return text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);
}

const OUTPUT_CHARACTERS = 6_000;

function endOf(output: string): string {
  return output.trim().slice(-OUTPUT_CHARACTERS);
}
