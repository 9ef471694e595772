import assert from "node:assert/strict";
import { test } from "node:test";
import { destinationsOf, type StreamedCommand } from "../slots/passage.ts";
import { evenSlots } from "../slots/shard-slots.ts";
import { followedStep, otherDatabaseOf } from "./followed-command.ts";

const ALL = [{ from: 0, to: 16_383 }];
const [ONE, TWO] = [1, 2].map((shards) => destinationsOf(ALL, evenSlots(shards)));

const CASES: readonly (readonly [text: string, ofOne: string, ofTwo: string])[] = [
  // the slots of a and b are of different shards
  ["SET a 1", "sent 1", "sent 1"],
  ["MULTI", "none", "none"],
  ["EXEC", "none", "none"],
  ["PING", "none", "none"],
  ["PUBLISH channel message", "none", "none"],
  ["DEL a b", "sent 1,2", "sent 1,2"],
  ["MSET a 1 b 2", "sent 1,3", "sent 1,3"],
  ["MSETNX a 1 b 2", "sent 1,3", "crossing"],
  ["RENAME a b", "sent 1,2", "crossing"],
  ["RENAME {a}1 {a}2", "sent 1,2", "sent 1,2"],
  ["FLUSHALL", "sent ", "sent "],
  ["FUNCTION FLUSH", "sent ", "sent "],
  ["SWAPDB 0 1", "unknown", "unknown"],
  ["SWAPDB 0 0", "none", "none"],
  ["WHATEVER a", "unknown", "unknown"],
];

for (const [text, ofOne, ofTwo] of CASES)
  test(`${text}: ${ofOne} for one shard, ${ofTwo} for two`, () => {
    assert.deepEqual([said(text, ONE), said(text, TWO)], [ofOne, ofTwo]);
  });

test("MOVE and COPY name another database", () => {
  assert.deepEqual(
    ["MOVE a 3", "COPY a b DB 4", "COPY a b REPLACE", "SET a 1"].map((text) => otherDatabaseOf(command(text))),
    [3, 4, undefined, undefined],
  );
});

function said(text: string, shards = ONE): string {
  const step = followedStep(command(text), shards ?? new Uint16Array());
  return step.kind === "sent" ? `sent ${step.keys.join()}` : step.kind;
}

function command(text: string): StreamedCommand {
  const words = text.split(" ");
  const bytesAt = (at: number): Uint8Array => Uint8Array.from(words[at] ?? "", (each) => each.charCodeAt(0));
  return { name: words[0] ?? "", length: words.length, wordAt: (at) => (words[at] ?? "").toUpperCase(), bytesAt };
}
