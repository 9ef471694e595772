import assert from "node:assert/strict";
import { test } from "node:test";
import { Comparisons } from "./comparisons.ts";

test("a comparison goes on until it has ended, and its end is returned once", async () => {
  const { comparisons, ended, begun, compare } = setUp();
  assert.equal(comparisons.follow(1, "a", compare).kind, "under-way");
  assert.equal(comparisons.follow(1, "a", compare).kind, "under-way");
  assert.ok(comparisons.isKnown(1, "a"));
  assert.equal(begun.length, 1);
  begun[0]?.resolve();
  await settledPromises();
  assert.deepEqual(ended, [1]);
  assert.equal(comparisons.follow(1, "a", compare).kind, "equal");
  assert.ok(!comparisons.isKnown(1, "a"));
  assert.equal(comparisons.follow(1, "a", compare).kind, "under-way");
  assert.equal(begun.length, 2);
});

test("what a comparison throws is returned", async () => {
  const { comparisons, ended, begun, compare } = setUp();
  comparisons.follow(1, "a", compare);
  const error = new Error("node 2 has another value");
  begun[0]?.reject(error);
  await settledPromises();
  assert.deepEqual(ended, [1]);
  assert.deepEqual(comparisons.follow(1, "a", compare), { kind: "failed", error });
});

test("a comparison that is not needed any more ends, and no pass is asked for", async () => {
  const { comparisons, ended, begun, compare } = setUp();
  comparisons.follow(1, "a", compare);
  comparisons.end(1);
  comparisons.end(2);
  assert.ok(begun[0]?.signal.aborted);
  begun[0]?.reject(new Error("given up"));
  await settledPromises();
  assert.deepEqual(ended, []);
  assert.ok(!comparisons.isKnown(1, "a"));
});

test("another subject of the same database ends the comparison before it, and databases do not touch each other", async () => {
  const { comparisons, ended, begun, compare } = setUp();
  comparisons.follow(1, "a", compare);
  comparisons.follow(2, "a", compare);
  comparisons.follow(1, "b", compare);
  assert.deepEqual(
    begun.map(({ signal }) => signal.aborted),
    [true, false, false],
  );
  begun[0]?.resolve();
  begun[2]?.resolve();
  await settledPromises();
  assert.deepEqual(ended, [1]);
  assert.equal(comparisons.follow(1, "b", compare).kind, "equal");
});

test("when a leader leads no more, all its comparisons end", () => {
  const { comparisons, begun, compare } = setUp();
  comparisons.follow(1, "a", compare);
  comparisons.follow(2, "a", compare);
  comparisons.endAll();
  assert.ok(begun.every(({ signal }) => signal.aborted));
});

function setUp() {
  const ended: number[] = [];
  const begun: { signal: AbortSignal; resolve: () => void; reject: (error: Error) => void }[] = [];
  const compare = (signal: AbortSignal): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    begun.push({
      signal,
      resolve: () => {
        resolve(undefined);
      },
      reject,
    });
    return promise;
  };
  return { comparisons: new Comparisons((database) => ended.push(database)), ended, begun, compare };
}

function settledPromises(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
