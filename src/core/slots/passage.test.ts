import assert from "node:assert/strict";
import { test } from "node:test";
import { destinationOfKey, destinationsOf, passageOf, STAYS, wordsOfPart, type StreamedCommand } from "./passage.ts";
import { slotOf } from "./slot.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function command(text: string): StreamedCommand {
  const words = text.split(" ");
  const wordAt = (at: number): string => (words[at] ?? "").toUpperCase();
  return { name: wordAt(0), length: words.length, wordAt, bytesAt: (at) => bytesOf(words[at] ?? "") };
}

/** Slots up to that of `b` go to the first target, those of `foo` and above to the second one, and the rest stays. */
const slot = (key: string): number => slotOf(bytesOf(key));
const destinations = destinationsOf(
  [{ from: 0, to: 16_383 }],
  [[{ from: 0, to: slot("b") }], [{ from: slot("foo"), to: 16_383 }]],
);

test("slots go to the target that gets them, unless they are another shard's", () => {
  assert.deepEqual([slot("b"), slot("c"), slot("foo"), slot("a")], [3300, 7365, 12182, 15495]);
  const places = ["b", "c", "foo", "a"].map((key) => destinationOfKey(bytesOf(key), destinations));
  assert.deepEqual(places, [0, undefined, 1, 1]);
  const ofOne = destinationsOf([{ from: 10, to: 20 }], [[{ from: 0, to: 15 }], [{ from: 16, to: 16_383 }]]);
  assert.deepEqual([ofOne[9], ofOne[10], ofOne[15], ofOne[16], ofOne[20], ofOne[21]], [STAYS, 0, 0, 1, 1, STAYS]);
});

for (const [text, passage] of [
  ["SET b 1", { kind: "whole", target: 0 }],
  ["SET foo 1", { kind: "whole", target: 1 }],
  ["SET c 1", { kind: "whole", target: STAYS }],
  ["PEXPIREAT a 5", { kind: "whole", target: 1 }],
  ["XGROUP CREATE b g 0", { kind: "whole", target: 0 }],
  ["DEL a foo", { kind: "whole", target: 1 }],
  ["DEL a b c", { kind: "split", keys: [1, 2, 3] }],
  ["UNLINK a b", { kind: "split", keys: [1, 2] }],
  ["MSET a 1 b 2", { kind: "split", keys: [1, 3] }],
  ["MSETNX a 1 b 2", { kind: "split", keys: [1, 3] }],
  ["RENAME {b}x b", { kind: "whole", target: 0 }],
  ["RENAME a b", { kind: "crossing", keys: [1, 2] }],
  ["RENAME c b", { kind: "crossing", keys: [1, 2] }],
  ["SUNIONSTORE a foo", { kind: "whole", target: 1 }],
  ["SUNIONSTORE a b foo", { kind: "crossing", keys: [1, 2, 3] }],
  ["ZUNIONSTORE a 2 foo b", { kind: "crossing", keys: [1, 3, 4] }],
  ["BITOP NOT a b", { kind: "crossing", keys: [2, 3] }],
  ["SORT a STORE b", { kind: "crossing", keys: [1, 3] }],
  ["GEORADIUS a 1 2 3 m STORE b", { kind: "crossing", keys: [1, 7] }],
  ["COPY a b DB 3", { kind: "crossing", keys: [1, 2] }],
  ["PING", { kind: "dropped" }],
  ["PUBLISH a b", { kind: "dropped" }],
  ["REPLCONF GETACK *", { kind: "dropped" }],
  ["FUNCTION LOAD REPLACE x", { kind: "everywhere" }],
  ["FLUSHALL", { kind: "databases" }],
  ["SWAPDB 0 1", { kind: "databases" }],
  ["SWAPDB 3 3", { kind: "dropped" }],
  ["JSON.SET a $ 1", { kind: "unknown" }],
  ["SET", { kind: "unknown" }],
  ["ZUNIONSTORE a 9 b", { kind: "unknown" }],
] as const)
  test(`${text} is ${passage.kind}`, () => {
    assert.deepEqual(passageOf(command(text), destinations), passage);
  });

test("each target gets its keys of a split command, with what they are set to", () => {
  const [del, mset] = [command("DEL a b c"), command("MSET a 1 b 2")];
  const textOf = (words: readonly Uint8Array[]): readonly string[] =>
    words.map((word) => new TextDecoder().decode(word));
  assert.deepEqual(textOf(wordsOfPart(del, [1, 2, 3], (at) => at !== 2)), ["a", "c"]);
  assert.deepEqual(textOf(wordsOfPart(mset, [1, 3], (at) => at === 3)), ["b", "2"]);
});
