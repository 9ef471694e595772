import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterStatus } from "./cluster-status.ts";
import type { DatabaseStatus } from "./database-status.ts";
import { shardsOfLicense, versionOfDatabase } from "./older-status.ts";

const databases: readonly (readonly [what: string, status: DatabaseStatus, version: string | undefined])[] = [
  ["the field says the version", { storeVersion: "8.0", version: "7.4 (redis 7.4.3)" }, "8.0"],
  ["an older status: the version is before the engine", { version: "7.4 (redis 7.4.3)" }, "7.4"],
  ["an older status with a stand-in", { version: "8.2 (stand-in: redis 8.0.6)" }, "8.2"],
  ["an older status without an engine", { version: "7.2" }, "7.2"],
  ["a status without a version", { status: "pending" }, undefined],
  ["an empty version", { version: "" }, undefined],
];

for (const [what, status, version] of databases)
  test(`versionOfDatabase: ${what}`, () => {
    assert.equal(versionOfDatabase(status), version);
  });

type License = Omit<NonNullable<ClusterStatus["licenseStatus"]>, "licenseState">;
const licenses: readonly (readonly [what: string, license: License, shards: ReturnType<typeof shardsOfLicense>])[] = [
  ["the numbers count, not the text", { shardsUsed: 3, shardsLimit: 8, shardsUsage: "2/4" }, { used: 3, limit: 8 }],
  ["zero is a number", { shardsUsed: 0, shardsLimit: 4, shardsUsage: "2/4" }, { used: 0, limit: 4 }],
  ["an older status: the text counts", { shardsUsage: "2/4" }, { used: 2, limit: 4 }],
  ["an older status with the limit as a number", { shardsLimit: 4, shardsUsage: "2/4" }, { used: 2, limit: 4 }],
  ["a text of another form says nothing", { shardsUsage: "two of four" }, undefined],
  ["a status without shards", {}, undefined],
];

for (const [what, license, shards] of licenses)
  test(`shardsOfLicense: ${what}`, () => {
    assert.deepEqual(shardsOfLicense({ licenseStatus: { licenseState: "Valid", ...license } }), shards);
  });

test("shardsOfLicense: a cluster without a status", () => {
  assert.equal(shardsOfLicense(undefined), undefined);
});
