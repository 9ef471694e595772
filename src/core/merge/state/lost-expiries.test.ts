import assert from "node:assert/strict";
import { test } from "node:test";
import { LostExpiries, type KeyLook } from "./lost-expiries.ts";

interface Case {
  readonly rule: string;
  /** What passes at once, each. `own`: the site did it for another one. */
  readonly units: readonly (readonly [by: "client" | "own", ...commands: readonly string[]])[];
  readonly mayExpire?: boolean;
  /** The time of expiry of the key was to be set with what the site did. */
  readonly isTimed?: boolean;
  readonly isRepeated?: boolean;
  readonly isBeingTimed?: boolean;
  readonly look: KeyLook;
  /** Undefined: there is nothing to look at. */
  readonly want: "lost" | "kept" | undefined;
}

const GONE: KeyLook = { until: -2, size: 0 };
const never = (size: number): KeyLook => ({ until: -1, size });

const cases: readonly Case[] = [
  {
    rule: "a key that is gone after a removal has lost its time of expiry",
    units: [["client", "SREM k m"]],
    look: GONE,
    want: "lost",
  },
  {
    rule: "so has one that the site itself has emptied for another one",
    units: [["own", "HDEL k f"]],
    look: GONE,
    want: "lost",
  },
  {
    rule: "where nothing else is known of it, the other one looks",
    units: [["own", "HDEL k f"]],
    isRepeated: true,
    look: GONE,
    want: undefined,
  },
  {
    rule: "one that has no more elements than came since may be another one",
    units: [
      ["client", "ZREM k m"],
      ["own", "ZADD k 1 n 2 o"],
    ],
    look: never(2),
    want: "lost",
  },
  {
    rule: "so may one that a transaction has emptied and filled",
    units: [["client", "HDEL k f", "HSET k g 1"]],
    look: never(1),
    want: "lost",
  },
  {
    rule: "one that has more elements than came since was never empty",
    units: [
      ["client", "SREM k m"],
      ["client", "SADD k n"],
    ],
    look: never(2),
    want: "kept",
  },
  {
    rule: "one that expires has lost nothing",
    units: [
      ["client", "SREM k m"],
      ["client", "SADD k n"],
    ],
    look: { until: 9_000, size: 1 },
    want: "kept",
  },
  {
    rule: "one that is known not to expire has nothing to lose",
    units: [["client", "SREM k m"]],
    mayExpire: false,
    look: GONE,
    want: undefined,
  },
  {
    rule: "a member that is moved away is removed from the set where it was",
    units: [["client", "SMOVE k other m"]],
    look: GONE,
    want: "lost",
  },
  {
    rule: "a member that is moved there has come",
    units: [
      ["client", "SREM k m"],
      ["client", "SMOVE other k n"],
    ],
    look: never(1),
    want: "lost",
  },
  {
    rule: "a time of expiry of another site is lost where the engine had no such key to set it on",
    units: [["own", "DEL other"]],
    isTimed: true,
    look: { until: -2, size: undefined },
    want: "lost",
  },
  {
    rule: "so it is where the key is made right after that",
    units: [["own", "SADD k m"]],
    isTimed: true,
    look: never(1),
    want: "lost",
  },
  {
    rule: "it is not lost where it was set",
    units: [["own", "SADD k m", "PEXPIREAT k 9000"]],
    isTimed: true,
    look: GONE,
    want: undefined,
  },
  {
    rule: "what clients do is not looked at for that",
    units: [["client", "SADD k m"]],
    isTimed: true,
    look: GONE,
    want: undefined,
  },
  {
    rule: "a time that is being written again is not lost",
    units: [["own", "SET k v"]],
    isTimed: true,
    isBeingTimed: true,
    look: never(0),
    want: "kept",
  },
  { rule: "an addition loses nothing", units: [["client", "SADD k m"]], look: never(1), want: undefined },
];

for (const {
  rule,
  units,
  mayExpire = true,
  isTimed = false,
  isRepeated = false,
  isBeingTimed = false,
  look,
  want,
} of cases) {
  test(`a lost time of expiry: ${rule}`, () => {
    const expiries = new LostExpiries({
      mayExpire: () => mayExpire,
      timedBy: () => (isTimed ? ["k"] : []),
      isRepeated: () => isRepeated,
      isBeingTimed: () => isBeingTimed,
    });
    const suspected = units.flatMap(([by, ...commands]) =>
      expiries.pass(
        commands.map((command) => command.split(" ")),
        by === "own" ? "2:1" : undefined,
      ),
    );
    assert.equal(suspected.includes("k"), want !== undefined);
    assert.equal(expiries.isLost("k", look), want === "lost");
  });
}

test("a lost time of expiry: a key that was looked at is suspected again by the next removal", () => {
  const expiries = new LostExpiries({
    mayExpire: () => true,
    timedBy: () => [],
    isRepeated: () => false,
    isBeingTimed: () => false,
  });
  const removal = [["SREM", "k", "m"]];
  assert.deepEqual([expiries.pass(removal, undefined), expiries.pass(removal, undefined)], [["k"], []]);
  assert.equal(expiries.isLost("k", { until: 9_000, size: 1 }), false);
  assert.deepEqual(expiries.pass(removal, undefined), ["k"]);
});
