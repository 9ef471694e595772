import assert from "node:assert/strict";
import { test } from "node:test";
import { readableFrom } from "./readable-from.ts";

for (const [rdb, engines] of [
  [9, ["redis 6.0", "valkey 7.2"]],
  [10, ["redis 7.0", "valkey 7.2"]],
  [11, ["redis 7.2", "valkey 7.2"]],
  [12, ["redis 7.4"]],
  [13, []],
] as const)
  test(`a file of version ${rdb} can be read by ${engines.join(" and ") || "nothing that is known"}`, () => {
    assert.deepEqual(
      readableFrom(rdb).map(({ family, version }) => `${family} ${version}`),
      engines,
    );
  });
