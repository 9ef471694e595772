import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesText, durationText } from "./units.ts";

test("bytes are printed in the unit that leaves a small number", () => {
  const cases: readonly (readonly [number, string])[] = [
    [0, "0 B"],
    [1023, "1023 B"],
    [1024, "1 KiB"],
    [100_000_000, "95.4 MiB"],
    [1024 ** 3 * 1.5, "1.5 GiB"],
    [1024 ** 5, "1024 TiB"],
  ];
  for (const [bytes, text] of cases) assert.equal(bytesText(bytes), text);
});

test("durations are printed in the largest unit that gives at least two", () => {
  const cases: readonly (readonly [number, string])[] = [
    [0, "0 s"],
    [119.4, "119 s"],
    [120, "2 min"],
    [7_200, "2 h"],
    [172_800, "2 d"],
  ];
  for (const [seconds, text] of cases) assert.equal(durationText(seconds), text);
});
