import assert from "node:assert/strict";
import { test } from "node:test";
import type { Value } from "../../../core/merge/operations/operation.ts";
import { ReadRests } from "./read-rests.ts";

const LIST = Array.from({ length: 1_000 }, (_, index) => String(index));
const CASES: readonly (readonly [what: string, value: Value, tookMs: number, restMs: number])[] = [
  ["a large list", LIST, 10, 160],
  ["a large list that takes long", LIST, 200, 1_000],
  ["a small list", LIST.slice(1), 10, 0],
  ["a large string", "x".repeat(256_000), 10, 160],
  ["a small string", "x".repeat(200_000), 10, 0],
];

for (const [what, value, tookMs, restMs] of CASES)
  test(`${what} that was read in ${tookMs} ms is left alone for ${restMs} ms`, () => {
    const rests = new ReadRests();
    rests.add("k", { effects: [{ kind: "put", type: "list", key: "k", element: "", value }], tookMs, now: 5_000 });
    assert.equal(rests.msFor("k", 5_000), restMs);
    assert.equal(rests.msFor("k", 5_100), Math.max(0, restMs - 100));
    assert.equal(rests.msFor("other", 5_000), 0);
  });
