import assert from "node:assert/strict";
import { test } from "node:test";
import { Background } from "./background.ts";

test("an act goes on until it has ended, and its end is returned once", async () => {
  const { background, ended, begun, act } = setUp();
  assert.equal(background.follow("one", "a", act).kind, "under-way");
  assert.equal(background.follow("one", "a", act).kind, "under-way");
  assert.equal(background.subjectOf("one"), "a");
  assert.deepEqual([begun.length, background.underWay()], [1, 1]);
  begun[0]?.resolve();
  await settledPromises();
  assert.deepEqual([ended, background.underWay()], [["one"], 0]);
  assert.deepEqual(background.follow("one", "a", act), { kind: "ended", result: "result" });
  assert.equal(background.subjectOf("one"), undefined);
  assert.equal(background.follow("one", "a", act).kind, "under-way");
  assert.equal(begun.length, 2);
});

test("what an act throws is returned", async () => {
  const { background, ended, begun, act } = setUp();
  background.follow("one", "a", act);
  const error = new Error("node 2 has another value");
  begun[0]?.reject(error);
  await settledPromises();
  assert.deepEqual(ended, ["one"]);
  assert.deepEqual(background.follow("one", "a", act), { kind: "failed", error });
});

test("an act that is not needed any more ends, and no pass is asked for", async () => {
  const { background, ended, begun, act } = setUp();
  background.follow("one", "a", act);
  background.end("one");
  background.end("two");
  assert.ok(begun[0]?.signal.aborted);
  begun[0]?.reject(new Error("given up"));
  await settledPromises();
  assert.deepEqual(ended, []);
  assert.equal(background.subjectOf("one"), undefined);
});

test("another subject of the same key ends the act before it, and keys do not touch each other", async () => {
  const { background, ended, begun, act } = setUp();
  background.follow("one", "a", act);
  background.follow("two", "a", act);
  background.follow("one", "b", act);
  assert.deepEqual(
    begun.map(({ signal }) => signal.aborted),
    [true, false, false],
  );
  begun[0]?.resolve();
  begun[2]?.resolve();
  await settledPromises();
  assert.deepEqual(ended, ["one"]);
  assert.deepEqual(background.follow("one", "b", act), { kind: "ended", result: "result" });
});

test("when its controller ends, all acts end, and none begins", () => {
  const { background, begun, act, controller } = setUp();
  background.follow("one", "a", act);
  background.follow("two", "a", act);
  controller.abort();
  background.follow("three", "a", act);
  assert.ok(begun.every(({ signal }) => signal.aborted));
});

function setUp() {
  const ended: string[] = [];
  const begun: { signal: AbortSignal; resolve: () => void; reject: (error: Error) => void }[] = [];
  const act = (signal: AbortSignal): Promise<string> => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    begun.push({
      signal,
      resolve: () => {
        resolve("result");
      },
      reject,
    });
    return promise;
  };
  const controller = new AbortController();
  const background = new Background<string>((key) => ended.push(key), controller.signal);
  return { background, ended, begun, act, controller };
}

function settledPromises(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
