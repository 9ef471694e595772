import assert from "node:assert/strict";
import { test } from "node:test";
import type { LicenseTerms } from "../../api/license.ts";
import { evaluateLicense, trialTerms } from "./evaluate.ts";

const name = "rec.default.svc.cluster.local";
const terms: LicenseTerms = {
  cluster_name: name,
  owner: "Team Orders",
  activation_date: "2026-01-01T00:00:00Z",
  expiration_date: "2027-01-01T00:00:00Z",
  shards_limit: 10,
  features: [],
};
const facts = { clusterName: name, now: new Date("2026-06-01T00:00:00Z"), shardsInUse: 10 };

const cases = [
  { rule: "within its dates and its shards in force", change: {}, state: "Valid", reason: /^$/ },
  { rule: "for another cluster", change: { cluster_name: "x.y" }, state: "Invalid", reason: /for the cluster x\.y/ },
  {
    rule: "before it begins",
    change: { activation_date: "2026-06-02T00:00:00Z" },
    state: "Invalid",
    reason: /begins on/,
  },
  {
    rule: "at its end",
    change: { expiration_date: "2026-06-01T00:00:00Z" },
    state: "Expired",
    reason: /expired on 2026-06-01/,
  },
  { rule: "with more shards in use", change: { shards_limit: 9 }, state: "Invalid", reason: /allows 9 shards and 10/ },
] as const;

for (const { rule, change, state, reason } of cases) {
  test(`a licence ${rule} is ${state}`, () => {
    const verdict = evaluateLicense({ ...terms, ...change }, facts);
    assert.equal(verdict.state, state);
    assert.match(verdict.reason, reason);
  });
}

test("the trial is 30 days from the creation of the cluster, for 4 shards", () => {
  const trial = trialTerms(name, "2026-06-01T10:00:00.500Z");
  assert.deepEqual(
    [trial.activation_date, trial.expiration_date, trial.shards_limit],
    ["2026-06-01T10:00:00Z", "2026-07-01T10:00:00Z", 4],
  );
});
