import assert from "node:assert/strict";
import { test } from "node:test";
import { capturedEffects } from "../operations/captured-effects.ts";
import { condensedEffects } from "./condensed-effects.ts";
import type { Effect } from "../operations/operation.ts";

/** What one transaction does, and the commands that do the same at once. */
const TABLE: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ["a single command stays as it is", ["SADD s a"], ["SADD s a"]],
  ["a member that is added and removed is only removed", ["SADD s a", "SREM s a"], ["SREM s a"]],
  ["a member that is removed and added is only added", ["SREM s a", "SADD s a"], ["SADD s a"]],
  ["members of one set are each for themselves", ["SADD s a b", "SREM s a"], ["SREM s a", "SADD s b"]],
  ["a key that is written and removed is only removed", ["SET k 1", "PEXPIREAT k 9", "DEL k"], ["DEL k"]],
  ["a key that is removed and made as another type is that", ["SET k 1", "DEL k", "SADD k a"], ["DEL k", "SADD k a"]],
  ["of two values the last one stays", ["HSET h f 1", "HSET h f 2"], ["HSET h f 2"]],
  ["a value and an increment are a value", ["SET k 5", "INCRBY k 3"], ["SET k 8"]],
  ["a score and an increment are a score", ["ZADD z 1.5 a", "ZINCRBY z 2 a"], ["ZADD z 3.5 a"]],
  ["an infinite score stays", ["ZADD z inf a", "ZINCRBY z 2 a"], ["ZADD z inf a"]],
  ["increments add up", ["INCR k", "INCRBY k 3", "DECR k"], ["INCRBY k 3"]],
  ["an increment of what was removed begins at 0", ["HDEL h f", "HINCRBY h f 2"], ["HDEL h f", "HINCRBY h f 2"]],
  ["an increment of a removed key begins at 0", ["INCR k", "DEL k", "INCRBY k 2"], ["DEL k", "INCRBY k 2"]],
  [
    "a value takes the place of a removal and an increment",
    ["HDEL h f", "HINCRBY h f 2", "HSET h f 7"],
    ["HSET h f 7"],
  ],
  ["of two times of expiry the last one stays", ["PEXPIREAT k 5", "PERSIST k", "PEXPIREAT k 9"], ["PEXPIREAT k 9"]],
  [
    "a string that keeps the time of its key takes the place of what the key held",
    ["HSET k f 1", "HDEL k g", "SADD other m", "SET k v KEEPTTL"],
    ["HDEL k g", "SET k v KEEPTTL", "SADD other m"],
  ],
  ["what comes after the removal of all keys stays", ["SET a 1", "FLUSHALL", "SADD b m"], ["FLUSHALL", "SADD b m"]],
  ["keys are each for themselves", ["SET a 1", "SET b 1", "DEL a"], ["DEL a", "SET b 1"]],
];

for (const [rule, commands, same] of TABLE)
  test(rule, () => assert.deepEqual(condensedEffects(effectsOf(commands)), effectsOf(same)));

function effectsOf(commands: readonly string[]): readonly Effect[] {
  return commands.flatMap((command) => capturedEffects(command.split(" "))?.effects ?? []);
}
