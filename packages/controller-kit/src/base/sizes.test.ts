import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { needText, roomText, unitOf } from "./sizes.ts";

test("a need that exceeds the room reads as the greater figure, however little is missing", () => {
  const bytes = fc.integer({ min: 0, max: 2 ** 44 });
  fc.assert(
    fc.property(bytes, fc.integer({ min: 1, max: 10_000_000 }), (room, missing) => {
      for (const unit of ["MB", "MiB"] as const)
        assert.ok(
          parseInt(needText(room + missing, unit)) > parseInt(roomText(room, unit)),
          `${room} and ${missing} more`,
        );
    }),
  );
});

test("a need that fits never reads as more than the room of its size", () => {
  assert.deepEqual([roomText(300_000_000), needText(300_000_000)], ["300 MB", "300 MB"]);
  assert.deepEqual([roomText(-5), needText(0)], ["0 MB", "0 MB"]);
});

test("a size reads in the unit in which it was written", () => {
  const sizes = [256 * 2 ** 20, 2 ** 30, 100_000_000, 1_000_000_000];
  assert.deepEqual(
    sizes.map((bytes) => needText(bytes, unitOf(bytes))),
    ["256 MiB", "1024 MiB", "100 MB", "1000 MB"],
  );
});
