import { execFile } from "node:child_process";
import { readFile, readlink, realpath, rm } from "node:fs/promises";
import { promisify } from "node:util";
import type { Clock } from "../../core/base/clock.ts";
import type { InstanceFiles } from "./instance-files.ts";

const run = promisify(execFile);
const LOOK_EVERY_MS = 20;

/**
 * Ends the engine that an earlier agent left running in this directory: SIGTERM, patience, SIGKILL. The pid file alone is
 * no proof: the process must work in this very directory. True when there was one.
 */
export async function endLeftover(files: InstanceFiles, graceMs: number, clock: Clock): Promise<boolean> {
  const pid = await readPid(files);
  if (pid === undefined) return false;
  const ours = await worksIn(pid, files);
  if (ours) await end(pid, files, graceMs, clock);
  await rm(files.pidFile, { force: true });
  return ours;
}

async function end(pid: number, files: InstanceFiles, graceMs: number, clock: Clock): Promise<void> {
  const deadline = clock.now().getTime() + graceMs;
  signal(pid, "SIGTERM");
  while (await worksIn(pid, files)) {
    if (clock.now().getTime() >= deadline) signal(pid, "SIGKILL");
    await clock.sleep(LOOK_EVERY_MS);
  }
}

async function readPid({ pidFile }: InstanceFiles): Promise<number | undefined> {
  try {
    const pid = Number.parseInt(await readFile(pidFile, "utf8"), 10);
    return pid > 1 ? pid : undefined;
  } catch {
    return undefined; // no pid file: the engine ended by itself and removed it, or never came up
  }
}

/** Whether process `pid` is alive and is the engine of this directory. */
async function worksIn(pid: number, files: InstanceFiles): Promise<boolean> {
  try {
    return (await workingDirectory(pid)) === (await realpath(files.directory));
  } catch {
    return false; // no such process (any more), or one that is not ours to look at
  }
}

async function workingDirectory(pid: number): Promise<string | undefined> {
  if (process.platform === "linux") return readlink(`/proc/${pid}/cwd`);
  const { stdout } = await run("lsof", ["-a", "-d", "cwd", "-p", String(pid), "-Fn"]);
  return /^n(.*)$/m.exec(stdout)?.[1];
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // ESRCH: it went by itself, which is what was wanted
  }
}
