import assert from "node:assert/strict";
import { test } from "node:test";
import { nearby, references } from "../../../../test/kit/facts/references.ts";
import { databaseSpec } from "../../api/database-spec.ts";
import { clusterExists, clusterIsUnchanged } from "./database-place.ts";
import type { ReviewedDatabase } from "./reviewed-database.ts";
import { causeText, objections } from "./objection.ts";

const spec = (name?: string) => databaseSpec.parse(name === undefined ? {} : { storeEnterpriseCluster: { name } });
const made = { existing: { port: 10_000, storeVersion: "7.4", shards: 1, cluster: "rec" } } as const;
const other = references({ clusters: [nearby({ name: "other" })] });
const two = references({ clusters: [nearby(), nearby({ name: "other" })] });

const cases: readonly [rule: string, reviewed: Partial<ReviewedDatabase>, says?: RegExp][] = [
  ["one that was made without a name stays where it is when there are two clusters", { ...made, references: two }],
  ["it does not move to another cluster", { ...made, spec: spec("other"), references: two }, /set it to "rec"/],
  ["it does not move to one that is not there", { ...made, spec: spec("rek") }, /is "rek" and .* in "rec"; a database/],
  ["the only cluster that there is does not get one that another has", { ...made, references: other }, /in "rec"/],
  ["a name that was no cluster's may be corrected before it is made", { before: spec("rek"), spec: spec("rec") }],
  [
    "a cluster that it is to be made in is kept",
    { before: spec("rec"), spec: spec("other"), references: two },
    /"rec"/,
  ],
];

for (const [rule, change, says] of cases) {
  test(`the place of a database: ${rule}`, () => {
    const common = { kind: "redb", name: "orders", at: "spec", before: spec(), existing: undefined } as const;
    const reviewed = { ...common, spec: spec(), references: references(), ...change };
    const found = objections([clusterExists, clusterIsUnchanged], reviewed).map(causeText);
    assert.equal(found.length, says === undefined ? 0 : 1, found.join());
    if (says !== undefined) assert.match(found[0] ?? "", says);
  });
}
