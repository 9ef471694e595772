import assert from "node:assert/strict";
import { test } from "node:test";
import { keyAt, shown, type Known } from "../../../../test/kit/merge/key-at.ts";
import { uncapturedEffects } from "./uncaptured-effects.ts";

interface Case {
  readonly rule: string;
  /** What the site knows: `1 INCRBY k 2` was done by site 1. */
  readonly known: Known;
  /** What its engine holds. */
  readonly held: Known;
  /** What another site knows, and its engine holds; without it, only what is known can be compared. */
  readonly there?: { readonly known: Known; readonly held: Known };
  readonly want: readonly string[];
}

const cases: readonly Case[] = [
  {
    rule: "a value that is as it is known was not written",
    known: ["1 SET k a"],
    held: ["SET k a"],
    want: [],
  },
  { rule: "another value was written", known: ["1 SET k a"], held: ["SET k b"], want: ["clear", "put string b"] },
  {
    rule: "a number in the place of another one was incremented, so that what others add stays",
    known: ["1 SET k 5", "2 INCRBY k 2"],
    held: ["SET k 10"],
    want: ["add string 3"],
  },
  {
    rule: "a key that is known and not there was removed",
    known: ["1 SET k a"],
    held: [],
    want: ["clear"],
  },
  {
    rule: "a member that is not known of a key that was made anew was added, and one that is gone was removed",
    known: ["1 DEL k", "1 SADD k m"],
    held: ["SADD k n"],
    want: ["put set n", "remove set m"],
  },
  {
    rule: "elements are pushed onto a list",
    known: ["1 DEL k", "1 RPUSH k a"],
    held: ["RPUSH k a b"],
    want: ["put list a,b"],
  },
  {
    rule: "a key of another type has taken the place of what was there",
    known: ["1 DEL k", "1 SADD k m"],
    held: ["HSET k f 1"],
    want: ["clear", "put hash f=1"],
  },
  {
    rule: "a time of expiry that is not known was set",
    known: ["1 SET k a"],
    held: ["SET k a", "PEXPIREAT k 9000"],
    want: ["expire 9000"],
  },
  {
    rule: "a key that is gone has lost its time of expiry, so that what others add to it meanwhile has none",
    known: ["1 DEL k", "1 SADD k m", "1 PEXPIREAT k 9000"],
    held: [],
    want: ["remove set m", "emptied"],
  },
  {
    rule: "the same of a key that another site has",
    known: [],
    held: [],
    there: { known: [], held: ["SADD k m", "PEXPIREAT k 9000"] },
    want: ["remove set m", "emptied"],
  },
  { rule: "what was agreed on is not to be found alone", known: [], held: ["SADD k m"], want: [] },
  {
    rule: "increments on top of what was agreed on are not to be found alone",
    known: ["2 INCRBY k 2"],
    held: ["SET k 10"],
    want: [],
  },
  {
    rule: "a key as another site has it was not written",
    known: [],
    held: ["SET k a"],
    there: { known: [], held: ["SET k a"] },
    want: [],
  },
  {
    rule: "what another site has otherwise was written",
    known: [],
    held: ["SADD k m n"],
    there: { known: [], held: ["SADD k m o"] },
    want: ["put set n", "remove set o"],
  },
  {
    rule: "a key that another site has and this one has not was removed",
    known: [],
    held: [],
    there: { known: [], held: ["SET k a"] },
    want: ["clear"],
  },
  {
    rule: "increments that one of both lacks are no difference",
    known: ["1 INCRBY k 1", "3 INCRBY k 20"],
    held: ["SET k 126"],
    there: { known: ["2 INCRBY k 300", "3 INCRBY k 20"], held: ["SET k 420"] },
    want: ["add string 5"],
  },
  {
    rule: "increments of a field that another site alone has make it there, and not here",
    known: [],
    held: [],
    there: { known: ["2 HINCRBY k f 3"], held: ["HSET k f 3"] },
    want: [],
  },
  {
    rule: "of what another site has written since, nothing is said",
    known: [],
    held: ["SET k a"],
    there: { known: ["2 SET k b"], held: ["SET k b"] },
    want: [],
  },
  {
    rule: "of what another site has removed since, nothing is said",
    known: [],
    held: ["SADD k m"],
    there: { known: ["2 SREM k m"], held: [] },
    want: [],
  },
  {
    rule: "a time of expiry that another site has not was set",
    known: [],
    held: ["SET k a", "PEXPIREAT k 9000"],
    there: { known: [], held: ["SET k a"] },
    want: ["expire 9000"],
  },
  {
    rule: "a key that another site has not is given with its time of expiry",
    known: [],
    held: ["SADD k m", "PEXPIREAT k 9000"],
    there: { known: [], held: [] },
    want: ["clear", "put set m", "expire 9000"],
  },
  {
    rule: "scores are numbers, however an engine writes them",
    known: [],
    held: ["ZADD k 0.10 m"],
    there: { known: [], held: ["ZADD k 0.1 m"] },
    want: [],
  },
];

for (const { rule, known, held, there, want } of cases)
  test(rule, () => {
    const effects = uncapturedEffects("k", keyAt(known, held), there && keyAt(there.known, there.held));
    assert.deepEqual(effects.map(shown), want);
  });
