import assert from "node:assert/strict";
import { test } from "node:test";
import { ConcurrencyLimit } from "./concurrency-limit.ts";

test("no more than so many go on at once, and the others begin in their order", async () => {
  const limit = new ConcurrencyLimit(2);
  const begun: number[] = [];
  const ends: PromiseWithResolvers<number>[] = [];
  const all = [0, 1, 2, 3].map((at) =>
    limit.run(() => {
      begun.push(at);
      return (ends[at] = Promise.withResolvers<number>()).promise;
    }),
  );
  assert.deepEqual(begun, [0, 1]);
  ends[1]?.resolve(10);
  assert.equal(await all[1], 10);
  assert.deepEqual(begun, [0, 1, 2]);
  ends[0]?.resolve(0);
  await all[0];
  assert.deepEqual(begun, [0, 1, 2, 3]);
});

test("one that fails gives its place to the next", async () => {
  const limit = new ConcurrencyLimit(1);
  const failing = limit.run(() => Promise.reject(new Error("no")));
  const next = limit.run(() => "done");
  await assert.rejects(failing, /no/);
  assert.equal(await next, "done");
});

test("an act that comes while a place is handed on waits for the next one", async () => {
  const limit = new ConcurrencyLimit(1);
  let [underWay, most] = [0, 0];
  const act = async (): Promise<void> => {
    most = Math.max(most, ++underWay);
    await Promise.resolve();
    underWay--;
  };
  const first = limit.run(act);
  const second = limit.run(act);
  await first;
  await Promise.all([second, limit.run(act), limit.run(act)]);
  assert.equal(most, 1);
});
