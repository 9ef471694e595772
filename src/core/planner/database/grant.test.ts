import assert from "node:assert/strict";
import { test } from "node:test";
import { LONG_AGO } from "../../base/instant.ts";
import type { Instant } from "../../base/instant.ts";
import { GRANT_MS, LATE_MS, NODE_LEASE_MS, evaluateGrant, mayAcknowledge } from "./grant.ts";
import type { NodeGrant } from "./grant.ts";

const at = (steadyMs: number, wallMs = steadyMs): Instant => ({ steadyMs, wallMs });
const NOW = at(100_000);

interface OwnCase {
  readonly rule: string;
  readonly now?: Instant;
  readonly renewedAt?: Instant;
  readonly vouchedAt?: Instant;
  readonly grantedUntil?: Instant;
  readonly is: NodeGrant["kind"];
}

const OWN: readonly OwnCase[] = [
  {
    rule: "a node that renews its lease may acknowledge",
    renewedAt: at(99_000),
    grantedUntil: at(102_000),
    is: "granted",
  },
  {
    rule: "a late renewal has no effect while the grant lasts",
    renewedAt: at(96_100),
    grantedUntil: at(100_100),
    is: "granted",
  },
  {
    rule: "without a renewal for the length of a grant it is cut off",
    renewedAt: at(96_000),
    grantedUntil: at(100_000),
    is: "cut-off",
  },
  {
    rule: "with the API away for every node, the promises of all others count as a renewal",
    renewedAt: at(10_000),
    vouchedAt: at(99_500),
    grantedUntil: at(101_000),
    is: "granted",
  },
  { rule: "promises count no longer than a renewal", renewedAt: at(10_000), vouchedAt: at(95_900), is: "cut-off" },
  {
    rule: "a node that was out and renews again reads the records first",
    renewedAt: at(99_900),
    grantedUntil: at(99_000),
    is: "catch-up",
  },
  { rule: "a node that has just started reads the records first", renewedAt: at(99_900), is: "catch-up" },
  {
    rule: "promises do not end the catch-up of a node that was out; the API does",
    vouchedAt: at(99_900),
    grantedUntil: at(99_000),
    is: "catch-up",
  },
  {
    rule: "a machine that slept was out, although its steady clock stood still",
    now: at(100_000, 130_000),
    renewedAt: at(99_900),
    grantedUntil: at(103_900),
    is: "cut-off",
  },
  {
    rule: "a wall clock that is set back makes no lease longer",
    now: at(100_000, 40_000),
    renewedAt: at(95_000),
    grantedUntil: at(99_000),
    is: "cut-off",
  },
];

for (const { rule, is, ...given } of OWN)
  test(rule, () => {
    const facts = { now: NOW, renewedAt: LONG_AGO, vouchedAt: LONG_AGO, grantedUntil: LONG_AGO, ...given };
    assert.equal(evaluateGrant(facts).kind, is);
  });

test("a grant ends before the lease does, counted from when the renewal was sent", () => {
  const facts = { now: NOW, renewedAt: at(99_000), vouchedAt: at(98_000), grantedUntil: at(102_000) };
  assert.deepEqual(evaluateGrant(facts), { kind: "granted", until: at(99_000 + GRANT_MS) });
  assert.ok(GRANT_MS + 1_000 < NODE_LEASE_MS && LATE_MS < GRANT_MS);
});

for (const [rule, facts, expected] of [
  ["a node may acknowledge while its lease lasts", { silentForMs: 5_999 }, true],
  ["a node may not acknowledge after its lease", { silentForMs: 6_000 }, false],
  ["a node that gave its lease up may not acknowledge", { gaveUp: true, silentForMs: 0 }, false],
  [
    "a promise binds the node that gave it for the length of a lease",
    { silentForMs: 60_000, promisedForMs: 5_999 },
    true,
  ],
  ["a promise ends with the length of a lease", { silentForMs: 60_000, promisedForMs: 6_000 }, false],
] as const)
  test(rule, () => {
    assert.equal(mayAcknowledge({ gaveUp: false, promisedForMs: Number.POSITIVE_INFINITY, ...facts }), expected);
  });
