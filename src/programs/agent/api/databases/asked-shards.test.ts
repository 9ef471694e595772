import assert from "node:assert/strict";
import { test } from "node:test";
import { shardsAskedIn } from "./asked-shards.ts";

for (const [text, asked] of [
  ["3", { shards_count: 3 }],
  ["0-865;866-16383", { shard_slots: ["0-865", "866-16383"] }],
  ["0-16383", { shard_slots: ["0-16383"] }],
  ["0-16383=50%", { shard_slots: ["0-16383=50%"] }],
  ["0,1-16383", { shard_slots: ["0,1-16383"] }],
] as const)
  test(`"${text}" asks for ${"shards_count" in asked ? "a number of shards" : "the slots of each shard"}`, () => {
    assert.deepEqual(shardsAskedIn(text), asked);
  });

for (const text of ["0", "0x3", "3.0", "03", "", "many"])
  test(`"${text}" asks for no shards`, () => {
    assert.throws(() => shardsAskedIn(text), { message: `"${text}" is no number of shards` });
  });
