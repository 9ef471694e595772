import assert from "node:assert/strict";
import { test } from "node:test";
import { NODE_LEASE_MS } from "../../../core/planner/node/grant.ts";
import { Pledges, consentTag } from "./pledges.ts";

const LEASE = NODE_LEASE_MS;

for (const [rule, steps] of [
  [
    "a process that has just started says nothing",
    [
      ["consent", 0, false],
      ["promise", LEASE - 1, false],
    ],
  ],
  [
    "a promise is no consent, for the length of a lease",
    [
      ["promise", LEASE, true],
      ["consent", 2 * LEASE - 1, false],
    ],
  ],
  [
    "after the length of a lease it consents",
    [
      ["promise", LEASE, true],
      ["consent", 2 * LEASE, true],
    ],
  ],
  [
    "each promise counts anew",
    [
      ["promise", LEASE, true],
      ["promise", LEASE + 9, true],
      ["consent", 2 * LEASE, false],
    ],
  ],
  [
    "consent is no promise, for the length of a lease",
    [
      ["consent", LEASE, true],
      ["promise", 2 * LEASE - 1, false],
    ],
  ],
  [
    "after the length of a lease it promises again",
    [
      ["consent", LEASE, true],
      ["promise", 2 * LEASE, true],
    ],
  ],
  [
    "a refusal changes nothing",
    [
      ["promise", LEASE, true],
      ["consent", LEASE + 9, false],
      ["promise", LEASE + 9, true],
    ],
  ],
] as const)
  test(rule, () => {
    let now = 0;
    const pledges = new Pledges(() => now);
    for (const [what, at, expected] of steps) {
      now = at;
      assert.equal(pledges[what](2), expected, `${what} at ${at} ms`);
    }
  });

test("a tag changes with each consent to a take-over from its node, and with the process, and with nothing else", () => {
  let now = 0;
  const pledges = new Pledges(() => now);
  const tags = (): readonly string[] => [2, 3].map((node) => consentTag(pledges.consents(), node));
  const [first, other] = tags();
  assert.equal(pledges.consent(2), false);
  now = LEASE;
  assert.equal(pledges.promise(3), true);
  assert.deepEqual(tags(), [first, other], "a refusal and a promise are no consent");
  assert.equal(pledges.consent(2), true);
  const [second] = tags();
  assert.notEqual(second, first);
  assert.equal(tags()[1], other);
  assert.equal(pledges.consent(2), true);
  assert.notEqual(tags()[0], second);
  assert.notEqual(consentTag(new Pledges(() => now).consents(), 3), other);
});

test("what is said about one node does not concern another", () => {
  let now = 0;
  const pledges = new Pledges(() => now);
  now = LEASE;
  assert.deepEqual(
    [pledges.promise(2), pledges.consent(3), pledges.consent(2), pledges.promise(3)],
    [true, true, false, false],
  );
  assert.deepEqual([pledges.promisedForMs(2), pledges.promisedForMs(3)], [0, Number.POSITIVE_INFINITY]);
});
