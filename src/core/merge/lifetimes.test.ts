import assert from "node:assert/strict";
import { test } from "node:test";
import { Lifetimes } from "./lifetimes.ts";

test("a key is to live as long as its time was set for, also when that has come", () => {
  const lifetimes = new Lifetimes();
  lifetimes.learn([{ kind: "expire", key: "a", at: 1_500 }], 1_000);
  lifetimes.learn(
    [
      { kind: "clear", key: "a" },
      { kind: "emptied", key: "a" },
    ],
    1_500,
  );
  assert.equal(lifetimes.of("a"), 500);
});

test("it is not known when a client takes the time away, or removes all keys", () => {
  const lifetimes = new Lifetimes();
  lifetimes.learn(
    ["a", "b"].map((key) => ({ kind: "expire", key, at: 1_500 })),
    1_000,
  );
  lifetimes.learn([{ kind: "expire", key: "a", at: undefined }], 1_000);
  assert.deepEqual([lifetimes.of("a"), lifetimes.of("b")], [undefined, 500]);
  lifetimes.learn([{ kind: "flush" }], 1_000);
  assert.equal(lifetimes.of("b"), undefined);
});

test("keys are forgotten whose time was set long ago", () => {
  const lifetimes = new Lifetimes();
  for (let i = 0; i <= 10_000; i += 1) lifetimes.learn([{ kind: "expire", key: `k${i}`, at: 2 }], 1);
  assert.deepEqual([lifetimes.of("k0"), lifetimes.of("k1")], [undefined, 1]);
});
