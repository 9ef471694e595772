import assert from "node:assert/strict";
import { mkdtempDisposable, readFile, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isFault } from "../../../controller-kit/src/base/fault.ts";
import { faults } from "./faults.ts";
import { lockWorld, type WorldLock } from "./lock.ts";

test("two folders get two subnets, and a folder gets the same one again", async () => {
  await using worlds = await worldFolders();
  const [a, b] = [await worlds.lock("a"), await worlds.lock("b")];
  assert.match(a.subnet, /^127\.\d+\.$/);
  assert.notEqual(a.subnet, b.subnet);
  await a.release();
  const again = await worlds.lock("a", a.subnet);
  assert.equal(again.subnet, a.subnet);
});

test("a folder whose subnet is used by another world is refused with the reason", async () => {
  await using worlds = await worldFolders();
  const other = await worlds.lock("other");
  await assert.rejects(worlds.lock("mine", other.subnet), (error) => isFault(error, faults.subnetTaken));
  await other.release();
  await worlds.lock("mine", other.subnet);
});

test("one process cannot hold a folder twice", async () => {
  await using worlds = await worldFolders();
  const first = await worlds.lock("");
  await assert.rejects(worlds.lock("", first.subnet), (error) => isFault(error, faults.worldInUse));
  assert.equal(await readFile(join(worlds.path, "lock"), "utf8"), String(process.pid));
});

test("the lock of a live process holds", async () => {
  await using worlds = await worldFolders();
  await writeFile(join(worlds.path, "lock"), String(process.ppid));
  await assert.rejects(worlds.lock(""), (error) => isFault(error, faults.worldInUse));
  assert.equal(await readFile(join(worlds.path, "lock"), "utf8"), String(process.ppid));
});

const stale: { name: string; text: string; written: Date }[] = [
  { name: "a process that is gone", text: "999999999", written: new Date() },
  { name: "a number that has gone to a younger process", text: String(process.ppid), written: new Date(0) },
  { name: "a file cut short", text: "", written: new Date() },
];

for (const { name, text, written } of stale) {
  test(`the lock of ${name} is taken over`, async () => {
    await using worlds = await worldFolders();
    await writeFile(join(worlds.path, "lock"), text);
    await utimes(join(worlds.path, "lock"), written, written);
    await worlds.lock("");
    assert.equal(await readFile(join(worlds.path, "lock"), "utf8"), String(process.pid));
  });
}

/** A temporary folder below which folders are locked; its locks and the folder itself end with the test. */
interface WorldFolders extends AsyncDisposable {
  readonly path: string;
  lock(folder: string, kept?: string): Promise<WorldLock>;
}

async function worldFolders(): Promise<WorldFolders> {
  const stack = new AsyncDisposableStack();
  const { path } = stack.use(await mkdtempDisposable(join(tmpdir(), "world-lock-")));
  return {
    path,
    lock: async (folder, kept) => stack.adopt(await lockWorld(join(path, folder), kept), (lock) => lock.release()),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
