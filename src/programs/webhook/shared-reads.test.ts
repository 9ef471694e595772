import assert from "node:assert/strict";
import { test } from "node:test";
import { sharedReads } from "./shared-reads.ts";

/** Reads that are answered one by one, each with its number. */
function reads() {
  const begun: { readonly key: string; readonly answer: PromiseWithResolvers<number> }[] = [];
  const shared = sharedReads<number>((key) => {
    const answer = Promise.withResolvers<number>();
    begun.push({ key, answer });
    return answer.promise;
  });
  return { begun, shared, answer: (at: number): void => begun[at]?.answer.resolve(at) };
}

test("any number of questions makes two reads, and each has what was read after it was asked", async () => {
  const { begun, shared, answer } = reads();
  const first = shared("a");
  const others = Array.from({ length: 100 }, () => shared("a"));
  assert.equal(begun.length, 1);
  answer(0);
  assert.equal(await first, 0);
  answer(1);
  assert.deepEqual(new Set(await Promise.all(others)), new Set([1]));
  assert.equal(begun.length, 2);
  const later = shared("a");
  answer(2);
  assert.equal(await later, 2);
});

test("keys do not wait for one another, and a read that fails is not the failure of the next", async () => {
  const { begun, shared, answer } = reads();
  const first = shared("a");
  const next = shared("a");
  const other = shared("b");
  answer(1);
  assert.equal(await other, 1);
  begun[0]?.answer.reject(new Error("refused"));
  await assert.rejects(first, /refused/);
  answer(2);
  assert.equal(await next, 2);
});
