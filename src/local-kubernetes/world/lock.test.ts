import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { isFault } from "../../core/base/fault.ts";
import { faults } from "./faults.ts";
import { lockWorld } from "./lock.ts";

let dir = "";
before(async () => {
  dir = await mkdtemp(join(tmpdir(), "world-lock-"));
});
after(async () => {
  await rm(dir, { recursive: true });
});

test("two folders get two subnets, and a folder gets the same one again", async () => {
  const [a, b] = [await lockWorld(join(dir, "a"), undefined), await lockWorld(join(dir, "b"), undefined)];
  assert.match(a.subnet, /^127\.\d+\.$/);
  assert.notEqual(a.subnet, b.subnet);
  await a.release();
  const again = await lockWorld(join(dir, "a"), a.subnet);
  assert.equal(again.subnet, a.subnet);
  await Promise.all([again.release(), b.release()]);
});

test("a folder whose subnet is used by another world is told so", async () => {
  const other = await lockWorld(join(dir, "other"), undefined);
  await assert.rejects(lockWorld(join(dir, "mine"), other.subnet), (error) => isFault(error, faults.subnetTaken));
  await other.release();
  const mine = await lockWorld(join(dir, "mine"), other.subnet);
  await mine.release();
});

test("one process cannot hold a folder twice", async () => {
  const folder = await mkdtemp(join(dir, "twice-"));
  const first = await lockWorld(folder, undefined);
  await assert.rejects(lockWorld(folder, first.subnet), (error) => isFault(error, faults.worldInUse));
  assert.equal(await readFile(join(folder, "lock"), "utf8"), String(process.pid));
  await first.release();
});

test("the lock of a live process holds", async () => {
  const folder = await mkdtemp(join(dir, "held-"));
  await writeFile(join(folder, "lock"), String(process.ppid));
  await assert.rejects(lockWorld(folder, undefined), (error) => isFault(error, faults.worldInUse));
  assert.equal(await readFile(join(folder, "lock"), "utf8"), String(process.ppid));
});

const stale: { name: string; text: string; written: Date }[] = [
  { name: "a process that is gone", text: "999999999", written: new Date() },
  { name: "a number that has gone to a younger process", text: String(process.ppid), written: new Date(0) },
  { name: "a file cut short", text: "", written: new Date() },
];

for (const { name, text, written } of stale) {
  test(`the lock of ${name} is taken over`, async () => {
    const folder = await mkdtemp(join(dir, "stale-"));
    await writeFile(join(folder, "lock"), text);
    await utimes(join(folder, "lock"), written, written);
    const lock = await lockWorld(folder, undefined);
    assert.equal(await readFile(join(folder, "lock"), "utf8"), String(process.pid));
    await lock.release();
  });
}
