import assert from "node:assert/strict";
import { test } from "node:test";
import { keyAt, shown, type Known } from "../../../../test/kit/merge/key-at.ts";
import { effectsOfHeld } from "../state/held-key.ts";
import { capturedContent } from "./captured-content.ts";

interface Case {
  readonly rule: string;
  /** What the site knows: `1 INCRBY k 2` was done by site 1. */
  readonly known: Known;
  /** What its engine holds. */
  readonly held: Known;
  /** Beside the removal of what was there. */
  readonly want: readonly string[];
}

const cases: readonly Case[] = [
  {
    rule: "what was agreed on is given as the engine has it",
    known: ["1 HSET k f 2"],
    held: ["HSET k f 2", "HSET k g 1", "PEXPIREAT k 9000"],
    want: ["put hash f=2", "put hash g=1", "expire 9000"],
  },
  {
    rule: "a member that a client has added to a key made anew is not given before it is captured",
    known: ["1 DEL k", "1 ZADD k 3 n"],
    held: ["ZADD k 3 n", "ZADD k 7 m"],
    want: ["put zset n=3"],
  },
  {
    rule: "a key that a client has made anew is not given before it is captured",
    known: ["1 DEL k"],
    held: ["SADD k m", "PEXPIREAT k 9000"],
    want: [],
  },
  {
    rule: "a member that a client has taken out is given until that is captured",
    known: ["1 DEL k", "1 ZADD k 3 n", "1 ZADD k 4 o"],
    held: ["ZADD k 4 o"],
    want: ["put zset o=4", "put zset n=3"],
  },
  {
    rule: "a member that is known to be gone is not given",
    known: ["1 SREM k m"],
    held: ["SADD k m", "SADD k n"],
    want: ["put set n"],
  },
  {
    rule: "a list is given as it is known while a client pushes onto it",
    known: ["1 RPUSH k a"],
    held: ["RPUSH k b"],
    want: ["put list a"],
  },
  {
    rule: "increments of what was agreed on are given with what they made",
    known: ["1 INCRBY k 2"],
    held: ["SET k 7"],
    want: ["put string 7"],
  },
  {
    rule: "increments on top of a value that is known are given with it",
    known: ["1 SET k 5", "2 INCRBY k 2"],
    held: ["SET k 7"],
    want: ["put string 7"],
  },
  {
    rule: "another type that a client has written is not given before it is captured",
    known: ["1 SET k 5"],
    held: ["SADD k m"],
    want: ["put string 5"],
  },
  {
    rule: "a time of expiry is given as it is known",
    known: ["1 SET k 5", "1 PEXPIREAT k 9000"],
    held: ["SET k 5", "PEXPIREAT k 8000"],
    want: ["put string 5", "expire 9000"],
  },
  {
    rule: "one that is known to be gone is not given",
    known: ["1 SADD k m", "1 PERSIST k"],
    held: ["SADD k m", "PEXPIREAT k 8000"],
    want: ["put set m"],
  },
];

for (const { rule, known, held, want } of cases)
  test(`a key for a site that has nothing: ${rule}`, () => {
    const at = keyAt(known, held);
    const given = capturedContent("k", effectsOfHeld("k", at.held), at.state);
    assert.deepEqual(given.map(shown), ["clear", ...want]);
  });
