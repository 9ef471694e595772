import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { FakeClock } from "../testing/fake-clock.ts";
import { WorkQueue } from "./queue.ts";

function fresh(): { queue: WorkQueue; clock: FakeClock } {
  const clock = new FakeClock();
  return { queue: new WorkQueue(clock), clock };
}

/** Takes keys as they come, and keeps them. */
function keysFrom(queue: WorkQueue): string[] {
  const keys: string[] = [];
  const work = async (): Promise<void> => {
    for (let key = await queue.next(); key !== undefined; key = await queue.next()) {
      keys.push(key);
      queue.done(key);
    }
  };
  void work();
  return keys;
}

test("a key that is added twice comes once, in the order of the first", async () => {
  const { queue } = fresh();
  for (const key of ["a", "b", "a"]) queue.add(key);
  const keys = keysFrom(queue);
  await turn();
  assert.deepEqual(keys, ["a", "b"]);
});

test("a key is never worked on twice at once, and comes again when it was added meanwhile", async () => {
  const { queue } = fresh();
  queue.add("a");
  assert.equal(await queue.next(), "a");
  queue.add("a");
  queue.add("a");
  const again = queue.next();
  queue.add("b");
  assert.equal(await again, "b");
  const afterwards = queue.next();
  queue.done("a");
  assert.equal(await afterwards, "a");
  queue.done("a");
  const keys = keysFrom(queue);
  await turn();
  assert.deepEqual(keys, []);
});

test("a waiting worker gets the next key at once", async () => {
  const { queue } = fresh();
  const waiting = queue.next();
  queue.add("a");
  assert.equal(await waiting, "a");
});

test("of several delays the shortest counts", async () => {
  const { queue, clock } = fresh();
  const keys = keysFrom(queue);
  for (const ms of [500, 100, 300]) queue.addAfter("a", ms);
  await clock.advance(99);
  assert.deepEqual(keys, []);
  await clock.advance(1);
  assert.deepEqual(keys, ["a"]);
  await clock.advance(1_000);
  assert.deepEqual(keys, ["a"]);
});

test("a key that is added now needs no delay any more", async () => {
  const { queue, clock } = fresh();
  queue.addAfter("a", 100);
  queue.add("a");
  assert.equal(await queue.next(), "a");
  queue.done("a");
  await clock.advance(200);
  assert.equal(clock.sleeping, 0);
});

test("pauses double with each failure, start anew when forgotten, and respect what the server asks", async () => {
  const { queue, clock } = fresh();
  const keys = keysFrom(queue);
  const pauseOf = async (leastMs?: number): Promise<number> => {
    const began = clock.now().getTime();
    queue.retry("a", leastMs);
    for (const before = keys.length; keys.length === before;) await clock.advance(10);
    return clock.now().getTime() - began;
  };
  assert.deepEqual([await pauseOf(), await pauseOf(), await pauseOf()], [50, 100, 200]);
  queue.forget("a");
  assert.equal(await pauseOf(), 50);
  assert.equal(await pauseOf(2_000), 2_000);
});

test("a closed queue lets waiting workers go and takes nothing more", async () => {
  const { queue, clock } = fresh();
  const waiting = queue.next();
  queue.addAfter("later", 100);
  queue.close();
  assert.equal(await waiting, undefined);
  queue.add("a");
  await clock.advance(200);
  assert.equal(await queue.next(), undefined);
  assert.equal(clock.sleeping, 0);
});
