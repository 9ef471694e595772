import assert from "node:assert/strict";
import { test } from "node:test";
import { NEW } from "../../../test/kit/facts/cluster-view.ts";
import { clusterSpec } from "../../core/api/cluster-spec.ts";
import type { DatabaseStatus } from "../../core/api/database-status.ts";
import { KINDS } from "../../core/api/kinds.ts";
import { API_GROUP } from "../../core/api/names.ts";
import type { NamespaceObjects } from "../../mechanisms/observe/kubernetes/references.ts";
import { readQuestion } from "./review.ts";
import { validate } from "./validate.ts";

interface Case {
  readonly name: string;
  readonly status: DatabaseStatus;
  readonly from: string;
  readonly to: string;
  /** Ids of the objections. */
  readonly denied: readonly string[];
}

const MAJOR = "UpgradePolicyMajor";
const cases: readonly Case[] = [
  {
    name: "policy major refuses a minor version",
    status: { storeVersion: "7.2", version: "7.2 (redis 7.2.5)" },
    from: "7.2",
    to: "7.4",
    denied: [MAJOR],
  },
  {
    name: "policy major refuses a minor version while the status is of an older operator",
    status: { version: "7.2 (redis 7.2.5)" },
    from: "7.2",
    to: "7.4",
    denied: [MAJOR],
  },
  {
    name: "a stand-in in a status of an older operator counts as the version that it stands in for",
    status: { version: "8.0 (stand-in: redis 7.0.15)" },
    from: "8.0",
    to: "8.2",
    denied: [MAJOR],
  },
  {
    name: "policy major lets a major version in while the status is of an older operator",
    status: { version: "7.4 (redis 7.4.3)" },
    from: "7.4",
    to: "8.0",
    denied: [],
  },
  {
    name: "a downgrade is refused while the status is of an older operator",
    status: { version: "8.0 (redis 8.0.2)" },
    from: "8.0",
    to: "7.2",
    denied: ["DowngradeRefused"],
  },
];

for (const { name, status, from, to, denied } of cases) {
  test(`validate: ${name}`, () => {
    const found = validate(versionChange(status, from, to), namespaceWithMajor(), NEW);
    assert.deepEqual(
      found.denials.map(({ finding }) => finding.id),
      denied,
    );
  });
}

/** A user changes `spec.storeVersion` of the database "db", which the cluster "rec" has. */
function versionChange(status: DatabaseStatus, from: string, to: string) {
  const object = (storeVersion: string) => ({
    metadata: { name: "db" },
    spec: { storeVersion },
    status: { databaseUID: "1", cluster: "rec", ...status },
  });
  const request = {
    uid: "u-1",
    kind: { group: API_GROUP, kind: KINDS.database.kind },
    namespace: "default",
    name: "db",
    operation: "UPDATE",
    object: object(to),
    oldObject: object(from),
  };
  return readQuestion(JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request })).request;
}

/** The namespace holds the cluster "rec", whose databases stay at major versions. */
function namespaceWithMajor(): NamespaceObjects {
  const rec = {
    apiVersion: `${API_GROUP}/v1`,
    kind: KINDS.cluster.kind,
    metadata: { name: "rec", uid: "r", resourceVersion: "1" },
    spec: clusterSpec.parse({ storeUpgradePolicy: "major" }),
  };
  return { clusters: [rec], databases: [], activeActives: [], remoteClusters: [] };
}

test("an object for Kubernetes that lies deeper than programs can go is refused, with the field", () => {
  let deep: object = {};
  for (let level = 0; level < 40; level++) deep = { deep };
  const read = clusterSpec.safeParse({ podAntiAffinity: deep });
  assert.deepEqual(
    read.error?.issues.map(({ path, message }) => [path, message]),
    [[["podAntiAffinity"], "must be at most 32 levels deep"]],
  );
  assert.equal(clusterSpec.safeParse({ podAntiAffinity: { preferred: [{ weight: 1 }] } }).success, true);
});
