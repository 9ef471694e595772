import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterSpec } from "../../api/cluster-spec.ts";
import { referencedCluster } from "./references.ts";

const license = { licenseState: "Valid", shardsLimit: 8, shardsUsage: "2/4" } as const;

test("a cluster is seen with the shards that its licence status counts, not with those of the text for people", () => {
  const { shards } = referencedCluster("rec", clusterSpec.parse({}), { licenseStatus: { ...license, shardsUsed: 3 } });
  assert.deepEqual(shards, { used: 3, limit: 8 });
});

test("a cluster whose status is of an older operator is seen with the shards of the text", () => {
  const { shards } = referencedCluster("rec", clusterSpec.parse({}), { licenseStatus: license });
  assert.deepEqual(shards, { used: 2, limit: 4 });
});
