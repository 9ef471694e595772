import assert from "node:assert/strict";
import { test } from "node:test";
import { globalConfiguration } from "../../api/database-spec.ts";
import type { ActiveActiveRecord } from "../../api/records.ts";
import { linkedDatabaseAct, parseSite, type LinkedFacts } from "./linked.ts";
import { numberSites } from "./numbers.ts";

const older: ActiveActiveRecord = {
  guid: "a",
  name: "carts",
  version: "8.0",
  participants: [{ name: "east" }, { name: "west" }],
  configuration: globalConfiguration.parse({}),
  edit: { count: 1, author: "east" },
};
const record = numberSites(older);
const spec = { ...record.configuration, storeEnterpriseCluster: { name: "rec" }, storeVersion: "8.0" };
const evicting = { ...record, configuration: globalConfiguration.parse({ evictionPolicy: "allkeys-lru" }) };

const fewer = record.participants.map((one) => (one.name === "west" ? { ...one, shardCount: 2 } : one));

const cases: readonly (readonly [rule: string, change: Partial<LinkedFacts>, does: object | undefined])[] = [
  ["a database is made as the site that it is", {}, { kind: "make-database", spec, site: "a/2" }],
  ["one that is its site is left alone", { database: { spec, site: "a/2" } }, undefined],
  [
    "one that a release before 0.4.0 made becomes its site",
    { database: { spec, site: undefined } },
    { kind: "write-database", spec, site: "a/2" },
  ],
  [
    "one that has joined again gets its new number",
    { database: { spec, site: "a/1" } },
    { kind: "write-database", spec, site: "a/2" },
  ],
  [
    "it says how many slices the database has, and has as many shards as the participant says",
    { record: { ...record, configuration: { ...record.configuration, shardCount: 6 }, participants: fewer } },
    { kind: "make-database", spec: { ...spec, shardCount: 2 }, site: "a/2/6" },
  ],
  ["nothing is a site while a node does not know links", { record: older }, { kind: "make-database", spec }],
  [
    "one that evicts any key becomes no site",
    { record: evicting },
    { kind: "make-database", spec: { ...spec, evictionPolicy: "allkeys-lru" } },
  ],
];

for (const [rule, change, does] of cases) {
  test(`database of a site: ${rule}`, () => {
    const facts = { cluster: "rec", record, self: "west", database: undefined, mayUpgrade: true, ...change };
    assert.deepEqual(linkedDatabaseAct(facts), does);
  });
}

test("database of a site: its annotation is read as it is written, and other text is none", () => {
  assert.deepEqual(parseSite("5d0c-a_b/12"), { guid: "5d0c-a_b", site: 12 });
  assert.deepEqual(parseSite("5d0c-a_b/12/6"), { guid: "5d0c-a_b", site: 12, slices: 6 });
  assert.deepEqual(["", "a", "a/", "a/x", "/1"].map(parseSite), Array(5).fill(undefined));
});
