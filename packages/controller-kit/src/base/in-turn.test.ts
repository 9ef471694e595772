import assert from "node:assert/strict";
import { test } from "node:test";
import { oneAtATime } from "./in-turn.ts";

test("acts run one after the other, and each caller gets the outcome of its own", async () => {
  const inTurn = oneAtATime();
  const first = Promise.withResolvers<string>();
  const began: number[] = [];
  const outcomes = [
    inTurn(() => (began.push(1), first.promise)),
    inTurn(() => (began.push(2), Promise.reject(new Error("second")))),
    inTurn(() => (began.push(3), Promise.resolve("third"))),
  ];
  const settled = Promise.allSettled(outcomes);
  await new Promise(setImmediate);
  assert.deepEqual(began, [1]);
  first.resolve("first");
  assert.deepEqual(
    (await settled).map((one) => (one.status === "fulfilled" ? one.value : String(one.reason))),
    ["first", "Error: second", "third"],
  );
  assert.deepEqual(began, [1, 2, 3]);
});
