import assert from "node:assert/strict";
import { test } from "node:test";
import { KnownScores } from "./known-scores.ts";
import type { Effect } from "./operation.ts";

const SIX = "a 1 b 2 c 2 d 3 e inf f -inf";

/** What a command changes in a set with these members; "unknown" when that cannot be said. */
const CASES: readonly (readonly [members: string, command: string, changes: string])[] = [
  [SIX, "ZPOPMIN k", "f-"],
  [SIX, "ZPOPMIN k 2", "f- a-"],
  [SIX, "zpopmax k 2", "d- e-"],
  [SIX, "ZPOPMAX k 9", "f- a- b- c- d- e-"],
  [SIX, "ZREMRANGEBYRANK k 1 2", "a- b-"],
  [SIX, "ZREMRANGEBYRANK k -2 -1", "d- e-"],
  [SIX, "ZREMRANGEBYRANK k 4 1", ""],
  [SIX, "ZREMRANGEBYSCORE k 1 2", "a- b- c-"],
  [SIX, "ZREMRANGEBYSCORE k (1 (3", "b- c-"],
  [SIX, "ZREMRANGEBYSCORE k -inf +inf", "f- a- b- c- d- e-"],
  [SIX, "ZREMRANGEBYSCORE k 0x1 2", "unknown"],
  [SIX, "ZREMRANGEBYLEX k - +", "unknown"],
  ["a 0 b 0 c 0 d 0", "ZREMRANGEBYLEX k [b (d", "b- c-"],
  ["a 0 b 0 c 0 d 0", "ZREMRANGEBYLEX k - [b", "a- b-"],
  ["a 0 b 0 c 0 d 0", "ZREMRANGEBYLEX k (c +", "d-"],
  [SIX, "ZADD k 1 a 5 b", "b5"],
  [SIX, "ZADD k NX 9 a 5 n", "n5"],
  [SIX, "ZADD k XX CH 9 a 5 n", "a9"],
  [SIX, "ZADD k GT 2 a 1 b 7 n", "a2 n7"],
  [SIX, "ZADD k XX LT 0 a 9 b 7 n", "a0"],
  [SIX, "ZADD k 7 NX 8 NX", "NX8"],
  [SIX, "ZADD k GT INCR 2 d", "d5"],
  [SIX, "ZINCRBY k 0.1 b", "b2.1"],
  [SIX, "ZREM k a n", "a-"],
  [SIX, "ZADD k nan a", "unknown"],
];

for (const [members, command, changes] of CASES)
  test(`${command} of ${members}: ${changes}`, () => {
    const known = knowing(members);
    assert.equal(shown(known, command), changes);
    assert.equal(known.has("k"), changes !== "unknown");
  });

test("what is popped is the lowest of what is there by then", () => {
  const known = knowing("a 1 b 2");
  for (const command of ["ZADD k 0 n", "ZINCRBY k 5 a", "PEXPIREAT k 9000", "SADD other a"]) shown(known, command);
  assert.equal(shown(known, "ZPOPMIN k 2"), "n- b-");
  assert.equal(shown(known, "ZPOPMIN k 2"), "a-");
  assert.equal(shown(known, "ZADD k 3 z"), "z3");
  assert.equal(shown(known, "ZPOPMIN k"), "z-");
});

for (const command of ["DEL other k", "UNLINK k"])
  test(`nothing is in a set after ${command}, and later members are known`, () => {
    const known = knowing("a 1");
    for (const each of [command, "ZADD k 2 b"]) shown(known, each);
    assert.equal(shown(known, "ZPOPMIN k 2"), "b-");
  });

for (const command of ["RENAME k other", "ZUNIONSTORE k 1 other", "SET k v", "FLUSHALL"])
  test(`nothing is known of a set after ${command}`, () => {
    const known = knowing("a 1");
    shown(known, command);
    assert.equal(shown(known, "ZPOPMIN k"), "unknown");
  });

test("a key of another type is not known", () => {
  const known = new KnownScores();
  known.learn("k", [{ kind: "put", type: "set", key: "k", element: "a", value: "" }]);
  assert.equal(known.has("k"), false);
});

test("of too many members those of the set are forgotten that was not used for the longest time", () => {
  const known = new KnownScores(25);
  for (const key of ["a", "b"]) known.learn(key, effectsOf("m 1"));
  shown(known, "ZADD a 2 m");
  known.learn("c", effectsOf("m 1 n 2"));
  assert.deepEqual(
    ["a", "b", "c"].map((key) => known.has(key)),
    [true, false, true],
  );
});

test("thousands of members stay in order", () => {
  const known = new KnownScores();
  known.learn("k", []);
  const scores = Array.from({ length: 3_000 }, (_, index) => (index * 7_919) % 3_001);
  for (const score of scores) shown(known, `ZADD k ${score} m${score}`);
  for (const score of scores.filter((each) => each % 2 === 0)) shown(known, `ZREM k m${score}`);
  const odd = scores.filter((score) => score % 2 === 1).toSorted((a, b) => a - b);
  assert.equal(shown(known, "ZPOPMIN k 9999"), odd.map((score) => `m${score}-`).join(" "));
});

function knowing(members: string): KnownScores {
  const known = new KnownScores();
  known.learn("k", effectsOf(members));
  return known;
}

function effectsOf(members: string): readonly Effect[] {
  return [...members.matchAll(/(\S+) (\S+)/g)].map(([, element = "", value = ""]) => ({
    kind: "put",
    type: "zset",
    key: "k",
    element,
    value,
  }));
}

function shown(known: KnownScores, command: string): string {
  const changes = known.pass(command.split(" "));
  return changes?.map(({ member, score }) => `${member}${score ?? "-"}`).join(" ") ?? "unknown";
}
