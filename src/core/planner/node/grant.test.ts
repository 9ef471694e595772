import assert from "node:assert/strict";
import { test } from "node:test";
import { GRANT_MS, LATE_MS, LONG_AGO, NODE_LEASE_MS, evaluateGrant, mayAcknowledge } from "./grant.ts";
import type { NodeGrant } from "./grant.ts";

const NOW = 100_000;

interface OwnCase {
  readonly rule: string;
  readonly now?: number;
  readonly renewedAt?: number;
  readonly vouchedAt?: number;
  readonly unbrokenAt?: number;
  readonly grantedUntil?: number;
  readonly is: NodeGrant["kind"];
}

const OWN: readonly OwnCase[] = [
  {
    rule: "a node that renews its lease may acknowledge",
    renewedAt: 99_000,
    grantedUntil: 102_000,
    is: "granted",
  },
  {
    rule: "a late renewal has no effect while the grant lasts",
    renewedAt: 96_100,
    grantedUntil: 100_100,
    is: "granted",
  },
  {
    rule: "without a renewal for the length of a grant it is cut off",
    renewedAt: 96_000,
    grantedUntil: 100_000,
    is: "cut-off",
  },
  {
    rule: "with the API away for every node, the promises of all others count as a renewal",
    renewedAt: 10_000,
    vouchedAt: 99_500,
    grantedUntil: 101_000,
    is: "granted",
  },
  { rule: "promises count no longer than a renewal", renewedAt: 10_000, vouchedAt: 95_900, is: "cut-off" },
  {
    rule: "a node that was out and renews again reads the records first",
    renewedAt: 99_900,
    grantedUntil: 99_000,
    is: "catch-up",
  },
  { rule: "a node that has just started reads the records first", renewedAt: 99_900, is: "catch-up" },
  {
    rule: "promises alone do not end the catch-up of a node that was out: it may have been succeeded before them",
    vouchedAt: 99_900,
    grantedUntil: 99_000,
    is: "catch-up",
  },
  {
    rule: "promises of those that consented to nothing since its last grant do: none can have succeeded it",
    vouchedAt: 99_900,
    unbrokenAt: 99_900,
    grantedUntil: 99_000,
    is: "granted",
  },
  {
    rule: "these too count no longer than a renewal",
    vouchedAt: 99_900,
    unbrokenAt: 95_900,
    grantedUntil: 99_000,
    is: "catch-up",
  },
  {
    rule: "a machine that slept was out: its uptime went on",
    now: 130_000,
    renewedAt: 99_900,
    grantedUntil: 103_900,
    is: "cut-off",
  },
];

for (const { rule, is, ...given } of OWN)
  test(rule, () => {
    const facts = {
      now: NOW,
      renewedAt: LONG_AGO,
      vouchedAt: LONG_AGO,
      unbrokenAt: LONG_AGO,
      grantedUntil: LONG_AGO,
      ...given,
    };
    assert.equal(evaluateGrant(facts).kind, is);
  });

test("a grant ends before the lease does, counted from when the renewal was sent", () => {
  const facts = { now: NOW, renewedAt: 99_000, vouchedAt: 98_000, unbrokenAt: LONG_AGO, grantedUntil: 102_000 };
  assert.deepEqual(evaluateGrant(facts), { kind: "granted", until: 99_000 + GRANT_MS });
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
