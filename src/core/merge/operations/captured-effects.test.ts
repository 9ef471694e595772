import assert from "node:assert/strict";
import { test } from "node:test";
import { capturedEffects } from "./captured-effects.ts";
import type { Effect } from "./operation.ts";

const cases: readonly {
  readonly command: string;
  readonly effects?: readonly string[];
  readonly read?: readonly string[];
  readonly scores?: readonly string[];
}[] = [
  { command: "SET k v", effects: ["clear k", "put string k '' v"] },
  { command: "SET k v PXAT 9000", effects: ["clear k", "put string k '' v", "expire k 9000"] },
  { command: "SET k PXAT PXAT 9000", effects: ["clear k", "put string k '' PXAT", "expire k 9000"] },
  { command: "SET k v IFEQ KEEPTTL", effects: ["clear k", "put string k '' v"] },
  { command: "SET k 1.5 KEEPTTL", effects: ["put string k '' 1.5"] },
  { command: "MSET a 1 b 2", effects: ["clear a", "put string a '' 1", "clear b", "put string b '' 2"] },
  { command: "UNLINK a b", effects: ["clear a", "clear b"] },
  { command: "UNLINK k", effects: ["clear k", "emptied k"] },
  { command: "unlink k", effects: ["clear k"] },
  { command: "DEL k", effects: ["clear k"] },
  { command: "FLUSHALL", effects: ["flush"] },
  { command: "DECRBY k 3", effects: ["add string k '' -3"] },
  { command: "INCR k", effects: ["add string k '' 1"] },
  { command: "APPEND k v", read: ["k"] },
  { command: "BITOP AND to a b", read: ["to"] },
  { command: "PERSIST k", effects: ["expire k never"] },
  { command: "HMSET k f 1 g 2", effects: ["put hash k f 1", "put hash k g 2"] },
  { command: "HINCRBY k f -2", effects: ["add hash k f -2"] },
  { command: "HDEL k f g", effects: ["remove hash k f", "remove hash k g"] },
  { command: "SMOVE a b m", effects: ["remove set a m", "put set b m "] },
  { command: "ZADD k 1 m 2.5 n", effects: ["put zset k m 1", "put zset k n 2.5"] },
  { command: "ZADD k 1 nx 2 gt", effects: ["put zset k nx 1", "put zset k gt 2"] },
  { command: "ZADD k CH 1 m", effects: ["put zset k m 1"] },
  { command: "ZADD k GT 1 m", effects: ["put zset k m 1"] },
  { command: "ZADD k NX INCR 2 m", effects: ["put zset k m 2"] },
  { command: "ZADD k XX INCR 2 m", effects: ["add zset k m 2"] },
  { command: "ZADD k INCR 0.5 m", scores: ["k m"] },
  { command: "ZADD k GT CH 1 m 2 n", scores: ["k m n"] },
  { command: "ZINCRBY k 2 m", effects: ["add zset k m 2"] },
  { command: "ZINCRBY k 0.1 m", scores: ["k m"] },
  { command: "ZPOPMIN k", read: ["k"] },
  { command: "LMOVE a b LEFT RIGHT", read: ["a", "b"] },
  { command: "RENAME a b", effects: ["clear a"], read: ["b"] },
  { command: "SORT k BY w STORE to", read: ["to"] },
  { command: "SORT k GET store STORE to", read: ["to"] },
];

for (const { command, effects = [], read = [], scores = [] } of cases) {
  test(`captured: ${command}`, () => {
    const captured = capturedEffects(command.split(" "));
    assert.deepEqual(captured?.effects.map(shown), effects);
    assert.deepEqual(captured?.read, read);
    assert.deepEqual(
      captured?.scores.map(({ key, members }) => [key, ...members].join(" ")),
      scores,
    );
  });
}

for (const [command, ...args] of [["SADD", "k"], ["SREM", "k"], ["HDEL", "k"], ["DEL"], ["UNLINK"]])
  test(`captured: ${command} with more elements than a call of a function takes`, () => {
    const elements = Array.from({ length: 130_000 }, (_, i) => `e${i}`);
    assert.equal(capturedEffects([command ?? "", ...args, ...elements])?.effects.length, elements.length);
  });

test("captured: a command that changes no key", () => {
  assert.equal(capturedEffects(["PUBLISH", "channel", "text"]), undefined);
});

function shown(effect: Effect): string {
  switch (effect.kind) {
    case "put":
      return `put ${effect.type} ${effect.key} ${effect.element || (effect.type === "string" ? "''" : "")} ${String(effect.value)}`;
    case "add":
      return `add ${effect.type} ${effect.key} ${effect.element || "''"} ${effect.amount}`;
    case "remove":
      return `remove ${effect.type} ${effect.key} ${effect.element}`;
    case "clear":
    case "emptied":
      return `${effect.kind} ${effect.key}`;
    case "flush":
      return "flush";
    case "expire":
      return `expire ${effect.key} ${effect.at ?? "never"}`;
  }
}
