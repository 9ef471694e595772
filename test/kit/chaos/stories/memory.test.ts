import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeStory } from "./judge.ts";
import { EVICTION_POLICIES, type EvictionPolicy } from "./memory.ts";
import type { Answer, Answered, Step } from "./story.ts";

const OOM: Answer = { kind: "error", text: "OOM command not allowed when used memory > 'maxmemory'." };

type Asked = readonly [command: string, reply: Answered | Answer];

function wrongIn(rows: readonly Asked[], eviction: EvictionPolicy | undefined): string | undefined {
  const steps = rows.map(([command, given], at): Step => {
    const answer: Answer =
      given !== null && typeof given === "object" && "kind" in given ? given : { kind: "reply", reply: given };
    return { command: command.split(" "), begin: at * 1e9, end: at * 1e9 + 1e6, answer };
  });
  const around = { changes: [], isCalm: true, losesNothing: true, timesHoldUntil: Number.POSITIVE_INFINITY };
  return judgeStory({ name: "full", steps }, { ...around, eviction }).wrong;
}

const NONE = ["noeviction"] as const;
const VOLATILE = EVICTION_POLICIES.filter((policy) => policy.startsWith("volatile-"));
const ALL = EVICTION_POLICIES.filter((policy) => policy.startsWith("allkeys-"));

/** What is answered, and the policies with which it is right; with the others, and where memory is not full, it is wrong. */
const RIGHT_WITH: Readonly<Record<string, readonly [rows: readonly Asked[], policies: readonly EvictionPolicy[]]>> = {
  "a key without a time is gone": [
    [
      ["SET a 1", "OK"],
      ["GET a", null],
    ],
    ALL,
  ],
  "a key with a time is gone before it": [
    [
      ["SET a 1 PX 3600000", "OK"],
      ["EXISTS a", 0],
    ],
    [...ALL, ...VOLATILE],
  ],
  "a key that got a time is gone before it": [
    [
      ["SET a 1", "OK"],
      ["PEXPIRE a 3600000", 1],
      ["GET a", null],
    ],
    [...ALL, ...VOLATILE],
  ],
  "a key whose time was taken away is gone": [
    [
      ["SET a 1 PX 3600000", "OK"],
      ["PERSIST a", 1],
      ["GET a", null],
    ],
    ALL,
  ],
  "a write is refused, and changes nothing": [
    [
      ["SET a 1", "OK"],
      ["SET a 2", OOM],
      ["APPEND a 2", OOM],
      ["GET a", "1"],
    ],
    [...NONE, ...VOLATILE],
  ],
};

for (const [rule, [rows, policies]] of Object.entries(RIGHT_WITH))
  test(`full memory: ${rule}`, () => {
    for (const policy of [...EVICTION_POLICIES, undefined]) {
      const isRight = policies.some((one) => one === policy);
      assert.equal(wrongIn(rows, policy) === undefined, isRight, `${policy}: ${wrongIn(rows, policy)}`);
    }
  });

/** Wrong with every policy. */
const WRONG: Readonly<Record<string, readonly Asked[]>> = {
  "a read is refused": [["GET a", OOM]],
  "a deletion is refused": [["DEL a", OOM]],
  "a write that was refused is executed": [
    ["SET a 1", "OK"],
    ["SET a 2", OOM],
    ["GET a", "2"],
  ],
  "a key has an old value": [
    ["SET a 1", "OK"],
    ["SET a 2", "OK"],
    ["GET a", "1"],
  ],
  "a key that was gone comes back": [
    ["SET a 1 PX 3600000", "OK"],
    ["GET a", null],
    ["GET a", "1"],
  ],
  "a counter that was gone goes on": [
    ["SET a 1 PX 3600000", "OK"],
    ["STRLEN a", 0],
    ["INCRBY a 1", 2],
  ],
};

for (const [rule, rows] of Object.entries(WRONG))
  test(`full memory: ${rule}, and no policy allows it`, () => {
    for (const policy of EVICTION_POLICIES) assert.ok(wrongIn(rows, policy), policy);
  });
