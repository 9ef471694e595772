import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterNameFor, type OfCluster } from "./database-home.ts";

const named = { storeEnterpriseCluster: { name: "other" } };

const cases: readonly [rule: string, redb: OfCluster, clusters: readonly string[], name: string | undefined][] = [
  ["the only cluster is taken without a name", { spec: {} }, ["rec"], "rec"],
  ["of two clusters none is taken without a name", { spec: {} }, ["rec", "other"], undefined],
  ["without a cluster there is none", { spec: {} }, [], undefined],
  ["the cluster that is named counts, also before it is there", { spec: named }, ["rec"], "other"],
  ["what was taken before stays", { spec: {}, status: { cluster: "rec" } }, ["rec", "other"], "rec"],
  ["what was taken before gives way when it is gone", { spec: {}, status: { cluster: "gone" } }, ["rec"], "rec"],
  ["a name counts more than what was taken before", { spec: named, status: { cluster: "rec" } }, ["rec"], "other"],
  [
    "a database that was made stays where it is, whatever is named",
    { spec: named, status: { cluster: "rec", databaseUID: "1" } },
    ["rec", "other"],
    "rec",
  ],
  [
    "one that was just asked for is where it was asked for",
    { spec: named, status: { cluster: "rec", creating: true } },
    ["rec", "other"],
    "rec",
  ],
  ["it does so while its cluster is away", { spec: {}, status: { cluster: "rec", databaseUID: "1" } }, ["new"], "rec"],
];

for (const [rule, redb, clusters, name] of cases) {
  test(`the cluster of a database: ${rule}`, () => {
    assert.equal(clusterNameFor(redb, clusters), name);
  });
}
