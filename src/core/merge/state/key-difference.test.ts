import assert from "node:assert/strict";
import { test } from "node:test";
import { keyAt, shown, type Known } from "../../../../test/kit/merge/key-at.ts";
import { healingEffects } from "./healing-effects.ts";
import { differenceOf } from "./key-difference.ts";

/** A site: what it knows, and what its engine holds. */
interface At {
  readonly known?: Known;
  readonly held?: Known;
}

interface Case {
  readonly rule: string;
  readonly here: At;
  readonly there: At;
  /** What is known of the key; or what each site writes again. */
  readonly want: "none" | "unknown" | { readonly here: readonly string[]; readonly there: readonly string[] };
}

const cases: readonly Case[] = [
  { rule: "a key that no site has is no difference", here: {}, there: {}, want: "none" },
  { rule: "the same value is no difference", here: { held: ["SET k a"] }, there: { held: ["SET k a"] }, want: "none" },
  {
    rule: "of two values each site gives its own, so that the later one stays",
    here: { held: ["SET k a"] },
    there: { held: ["SET k b"] },
    want: { here: ["put string a"], there: ["put string b"] },
  },
  {
    rule: "a key that one site lacks comes from the other one, with its time",
    here: { held: ["SADD k m", "PEXPIREAT k 90000"] },
    there: {},
    want: { here: ["put set m", "expire 90000"], there: [] },
  },
  {
    rule: "each site gives the members that the other one lacks, and nothing else",
    here: { held: ["SADD k both one"] },
    there: { held: ["SADD k both two"] },
    want: { here: ["put set one"], there: ["put set two"] },
  },
  {
    rule: "fields that hold the same are left alone",
    here: { held: ["HSET k f 1 g 2"] },
    there: { held: ["HSET k f 1 g 3"] },
    want: { here: ["put hash g=2"], there: ["put hash g=3"] },
  },
  {
    rule: "scores are numbers, however an engine writes them",
    here: { held: ["ZADD k 0.10 m"] },
    there: { held: ["ZADD k 0.1 m"] },
    want: "none",
  },
  {
    rule: "sums of fractions may differ in the last digit",
    here: { held: ["ZADD k 10.1 m"] },
    there: { held: ["ZADD k 10.100000000000001 m"] },
    want: "none",
  },
  {
    rule: "infinite scores are the same",
    here: { held: ["ZADD k inf m"] },
    there: { held: ["ZADD k inf m"] },
    want: "none",
  },
  {
    rule: "an infinite score is another one than a number",
    here: { held: ["ZADD k inf m"] },
    there: { held: ["ZADD k 5 m"] },
    want: { here: ["put zset m=inf"], there: ["put zset m=5"] },
  },
  {
    rule: "a list is given as a whole",
    here: { held: ["RPUSH k a b"] },
    there: { held: ["RPUSH k a"] },
    want: { here: ["put list a,b"], there: ["put list a"] },
  },
  {
    rule: "of two types each site gives the whole key",
    here: { held: ["SET k a"] },
    there: { held: ["SADD k m"] },
    want: { here: ["clear", "put string a"], there: ["clear", "put set m"] },
  },
  {
    rule: "the site with the later time gives it",
    here: { held: ["SET k a", "PEXPIREAT k 90000"] },
    there: { held: ["SET k a", "PEXPIREAT k 80000"] },
    want: { here: ["expire 90000"], there: [] },
  },
  {
    rule: "no time is later than any",
    here: { held: ["SET k a"] },
    there: { held: ["SET k a", "PEXPIREAT k 80000"] },
    want: { here: ["expire undefined"], there: [] },
  },
  {
    rule: "of two strings that expire each site gives its value with the later time: a time counts for the string that it was set for",
    here: { held: ["SET k a", "PEXPIREAT k 90000"] },
    there: { held: ["SET k b", "PEXPIREAT k 80000"] },
    want: { here: ["put string a", "expire 90000"], there: ["put string b", "expire 90000"] },
  },
  {
    rule: "the same where both expire at once",
    here: { held: ["SET k a", "PEXPIREAT k 90000"] },
    there: { held: ["SET k b", "PEXPIREAT k 90000"] },
    want: { here: ["put string a", "expire 90000"], there: ["put string b", "expire 90000"] },
  },
  {
    rule: "and where one of them does not expire",
    here: { held: ["SET k a"] },
    there: { held: ["SET k b", "PEXPIREAT k 90000"] },
    want: { here: ["put string a", "expire undefined"], there: ["put string b", "expire undefined"] },
  },
  {
    rule: "a key whose time is near may be gone at one site first",
    here: { held: ["SET k a", "PEXPIREAT k 9000"] },
    there: {},
    want: "unknown",
  },
  {
    rule: "the same where the time is known, and the engine has lost the key",
    here: { known: ["1 SET k a", "1 PEXPIREAT k 9000"] },
    there: { known: ["1 SET k a", "1 PEXPIREAT k 9000"] },
    want: "unknown",
  },
  {
    rule: "an operation that only one site has had is no difference yet",
    here: { known: ["1 SET k a"], held: ["SET k a"] },
    there: { held: ["SET k b"] },
    want: "unknown",
  },
  {
    rule: "after the same operations sites hold the same",
    here: { known: ["1 SET k a"], held: ["SET k a"] },
    there: { known: ["1 SET k a"], held: ["SET k b"] },
    want: { here: ["put string a"], there: ["put string b"] },
  },
];

for (const { rule, here, there, want } of cases)
  test(rule, () => {
    const [own, other] = [keyAt(here.known ?? [], here.held ?? []), keyAt(there.known ?? [], there.held ?? [])];
    const found = differenceOf(own, other, 0);
    const back = differenceOf(other, own, 0);
    if (typeof found === "string" || typeof back === "string") {
      assert.deepEqual([found, back], [want, want]);
      return;
    }
    const healed = {
      here: healingEffects("k", own.held, other.held, found).map(shown),
      there: healingEffects("k", other.held, own.held, back).map(shown),
    };
    assert.deepEqual(healed, want);
  });

test("what PFCOUNT has found is no part of a HyperLogLog", () => {
  const counted = (cache: string, rest: string) => keyAt([], [`SET k HYLL\x01\x00\x00\x00${cache}${rest}`]);
  assert.equal(differenceOf(counted("12345678", "registers"), counted("87654321", "registers"), 0), "none");
  assert.notEqual(differenceOf(counted("12345678", "registers"), counted("12345678", "Registers"), 0), "none");
});
