import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, mkdtempDisposable, readdir, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openProcessTable } from "./process-table.ts";

test("when the owner is killed, every group it started ends, children included", async () => {
  await using owners = await ownersFolder();
  const owner = owners.run(process.execPath, [
    "--input-type=module",
    "-e",
    OWNER,
    import.meta.resolve("./process-table.ts"),
    owners.folder,
  ]);
  const pids = await owners.printedPids(owner, 2);
  owner.kill("SIGKILL");
  await until(() => pids.every((pid) => !isAlive(pid)));
  await until(async () => (await readdir(owners.folder)).length === 0);
});

test("a process that a killed reaper left is ended at the next start", async () => {
  await using owners = await ownersFolder();
  const old = await mkdtemp(join(owners.folder, "owner-"));
  const leftover = owners.run("/bin/sh", ["-c", 'echo >"$0/$$"; echo $$; exec sleep 60', old], true);
  const [pid = 0] = await owners.printedPids(leftover, 1);
  await owners.openTable();
  await until(() => !isAlive(pid));
});

test("a process that only has the number of an old one is left alone", async () => {
  await using owners = await ownersFolder();
  const stranger = owners.run("/bin/sh", ["-c", "echo $$; exec sleep 60"], true);
  const [pid = 0] = await owners.printedPids(stranger, 1);
  const old = await mkdtemp(join(owners.folder, "owner-"));
  await writeFile(join(old, String(pid)), "");
  await utimes(join(old, String(pid)), 0, 0);
  await owners.openTable();
  assert.ok(isAlive(pid));
  assert.equal((await readdir(owners.folder)).length, 1, "the folder of the old owner is gone");
});

const OWNER = `
const [, url, folder] = process.argv;
const { openProcessTable } = await import(url);
const { spawn } = await import("node:child_process");
const table = await openProcessTable(folder);
const [command, ...args] = table.wrap(["/bin/sh", "-c", "echo $$; sleep 60 & echo $!; wait"]);
spawn(command, args, { detached: true, stdio: ["ignore", "inherit", "inherit"] });
setInterval(() => undefined, 1000);`;

/** A folder of process tables; the tables opened in it and the processes started for it end with the test. */
interface Owners extends AsyncDisposable {
  readonly folder: string;
  openTable(): Promise<void>;
  run(command: string, args: readonly string[], detached?: boolean): ChildProcess;
  /** The numbers of processes that `child` prints. They end with the test, too. */
  printedPids(child: ChildProcess, count: number): Promise<number[]>;
}

async function ownersFolder(): Promise<Owners> {
  const stack = new AsyncDisposableStack();
  const { path } = stack.use(await mkdtempDisposable(join(tmpdir(), "process-table-")));
  return {
    folder: path,
    openTable: async () => {
      stack.adopt(await openProcessTable(path), (table) => {
        table.close();
      });
    },
    run: (command, args, detached = false) =>
      stack.adopt(spawn(command, args, { detached, stdio: ["ignore", "pipe", "inherit"] }), (child) => {
        child.kill("SIGKILL");
      }),
    printedPids: async (child, count) =>
      stack.adopt(await printedPids(child, count), (pids) => {
        for (const pid of pids.filter(isAlive)) process.kill(pid, "SIGKILL");
      }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
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
  for (const deadline = Date.now() + 60_000; !(await holds()); await sleep(20)) {
    assert.ok(Date.now() < deadline, "did not happen within a minute");
  }
}
