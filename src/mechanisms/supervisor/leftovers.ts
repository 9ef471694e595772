import { execFile } from "node:child_process";
import { readlink, realpath, rm } from "node:fs/promises";
import { promisify } from "node:util";
import type { Clock } from "#kit/base/clock";
import { readSharedFile } from "#kit/files/shared-file";
import type { InstanceFiles } from "./instance-files.ts";
import { signalProcess } from "#kit/processes/signal-process";

const run = promisify(execFile);
const POLL_MS = 20;

/**
 * Ends the engine that an earlier agent left running in this directory: SIGTERM, and SIGKILL after `graceMs`. The pid file
 * alone is no proof: the process must run in this directory. True when there was one.
 */
export async function endLeftover(files: InstanceFiles, graceMs: number, clock: Clock): Promise<boolean> {
  const pid = await readPid(files);
  if (pid === undefined) return false;
  const isOurs = await runsIn(pid, files);
  if (isOurs) await end(pid, files, graceMs, clock);
  await rm(files.pidFile, { force: true });
  return isOurs;
}

async function end(pid: number, files: InstanceFiles, graceMs: number, clock: Clock): Promise<void> {
  const deadline = clock.uptimeMs() + graceMs;
  signalProcess(pid, "SIGTERM");
  while (await runsIn(pid, files)) {
    if (clock.uptimeMs() >= deadline) signalProcess(pid, "SIGKILL");
    await clock.sleep(POLL_MS);
  }
}

async function readPid({ pidFile }: InstanceFiles): Promise<number | undefined> {
  try {
    const pid = Number.parseInt((await readSharedFile(pidFile)) ?? "", 10);
    return pid > 1 ? pid : undefined;
  } catch {
    return undefined; // what lies there is none: the engine ended and removed it, or never started
  }
}

/** Whether process `pid` is alive and is the engine of this directory. */
async function runsIn(pid: number, files: InstanceFiles): Promise<boolean> {
  try {
    return (await workingDirectory(pid)) === (await realpath(files.directory));
  } catch {
    return false; // no such process, or one of another user
  }
}

async function workingDirectory(pid: number): Promise<string | undefined> {
  if (process.platform === "linux") return readlink(`/proc/${pid}/cwd`);
  const { stdout } = await run("lsof", ["-a", "-d", "cwd", "-p", String(pid), "-Fn"]);
  return /^n(.*)$/m.exec(stdout)?.[1];
}
