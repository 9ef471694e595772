import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openProcessTable } from "./process-table.ts";

let folder = "";
const started: ChildProcess[] = [];
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "process-table-"));
});
after(async () => {
  for (const child of started) child.kill("SIGKILL");
  await rm(folder, { recursive: true });
});

test("when the owner is killed, every group it started ends, children included", async () => {
  const owner = run(process.execPath, [
    "--input-type=module",
    "-e",
    OWNER,
    import.meta.resolve("./process-table.ts"),
    folder,
  ]);
  const pids = await printedPids(owner, 2);
  owner.kill("SIGKILL");
  await until(() => pids.every((pid) => !isAlive(pid)));
  await until(async () => (await readdir(folder)).length === 0);
});

test("what a killed reaper left behind is ended at the next start", async () => {
  const old = await mkdtemp(join(folder, "owner-"));
  const leftover = run("/bin/sh", ["-c", 'echo >"$0/$$"; echo $$; exec sleep 60', old], true);
  const [pid = 0] = await printedPids(leftover, 1);
  const table = await openProcessTable(folder);
  await until(() => !isAlive(pid));
  table.close();
});

test("a process that only has the number of an old one is left alone", async () => {
  const stranger = run("/bin/sh", ["-c", "echo $$; exec sleep 60"], true);
  const [pid = 0] = await printedPids(stranger, 1);
  const old = await mkdtemp(join(folder, "owner-"));
  await writeFile(join(old, String(pid)), "");
  await utimes(join(old, String(pid)), 0, 0);
  const table = await openProcessTable(folder);
  assert.ok(isAlive(pid));
  assert.equal((await readdir(folder)).length, 1, "the folder of the old owner is gone");
  table.close();
});

const OWNER = `
const [, url, folder] = process.argv;
const { openProcessTable } = await import(url);
const { spawn } = await import("node:child_process");
const table = await openProcessTable(folder);
const [command, ...args] = table.wrap(["/bin/sh", "-c", "echo $$; sleep 60 & echo $!; wait"]);
spawn(command, args, { detached: true, stdio: ["ignore", "inherit", "inherit"] });
setInterval(() => undefined, 1000);`;

function run(command: string, args: readonly string[], detached = false): ChildProcess {
  const child = spawn(command, args, { detached, stdio: ["ignore", "pipe", "inherit"] });
  started.push(child);
  return child;
}

async function printedPids(child: ChildProcess, count: number): Promise<number[]> {
  let text = "";
  while (text.split("\n").length <= count) text += String((await once(child.stdout ?? child, "data"))[0]);
  return text.trim().split("\n").map(Number);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false; // ESRCH
  }
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 5_000; !(await holds()); await sleep(20)) {
    assert.ok(Date.now() < deadline, "did not happen within 5 s");
  }
}
