import assert from "node:assert/strict";
import { test } from "node:test";
import { ageOf, humanDuration } from "./duration.ts";

const S = 1000;
const M = 60 * S;
const H = 60 * M;
const D = 24 * H;

const rules: readonly [ms: number, text: string][] = [
  [-5 * S, "<invalid>"],
  [-S, "0s"],
  [0, "0s"],
  [119 * S, "119s"],
  [2 * M, "2m"],
  [5 * M + 30 * S, "5m30s"],
  [10 * M + 30 * S, "10m"],
  [179 * M, "179m"],
  [3 * H + 20 * M, "3h20m"],
  [8 * H + 20 * M, "8h"],
  [47 * H, "47h"],
  [2 * D + 4 * H, "2d4h"],
  [9 * D + 4 * H, "9d"],
  [729 * D, "729d"],
  [2 * 365 * D + 3 * D, "2y3d"],
  [9 * 365 * D, "9y"],
];
for (const [ms, text] of rules) {
  test(`${ms} ms are printed as ${text}`, () => {
    assert.equal(humanDuration(ms), text);
  });
}

test("an age without a beginning is unknown", () => {
  const now = new Date("2026-01-01T00:01:00Z");
  assert.equal(ageOf("2026-01-01T00:00:00Z", now), "60s");
  assert.equal(ageOf(undefined, now), "<unknown>");
  assert.equal(ageOf("yesterday", now), "<unknown>");
});
