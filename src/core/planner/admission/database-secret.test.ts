import assert from "node:assert/strict";
import { test } from "node:test";
import { references } from "../../../../test/kit/facts/references.ts";
import { databaseSpec } from "../../api/database-spec.ts";
import { secretIsItsOwn } from "./database-secret.ts";

const first = { name: "first", cluster: undefined, port: 12_000, secret: "redb-first" };
const reviewed = {
  kind: "redb",
  name: "orders",
  at: "spec",
  before: undefined,
  existing: undefined,
  references: references({ databases: [first] }),
} as const;
const there = { port: 10_000, storeVersion: "8.2", shards: 1, cluster: "rec" } as const;
const naming = (databaseSecretName: string) => databaseSpec.parse({ databaseSecretName });

const accepted = [
  { rule: "a Secret of the database's own", spec: naming("mine") },
  { rule: "a spec that names none", spec: databaseSpec.parse({}) },
  { rule: "a Secret that the database had before", spec: naming("redb-first"), before: naming("redb-first") },
  { rule: "a Secret that a database which is there has at rest", spec: naming("rec"), existing: there },
  { rule: "a name that only looks like one of a cluster's", spec: naming("rec-db-login") },
];
for (const { rule, spec, before, existing } of accepted) {
  test(`the Secret of a database: ${rule} is accepted`, () => {
    assert.deepEqual(secretIsItsOwn({ ...reviewed, spec, before, existing }), []);
  });
}

const refused = [
  ["redb-first", "StoreEnterpriseDatabase first"],
  ...["rec", "rec-ca", "rec-node-tls", "rec-db-1", "rec-user-x"].map((name) => [name, "StoreEnterpriseCluster rec"]),
] as const;
for (const [name = "", owner = ""] of refused) {
  test(`the Secret of a database: ${name} is refused, for it is another's`, () => {
    const [objection, ...more] = secretIsItsOwn({ ...reviewed, spec: naming(name) });
    assert.equal(objection?.field, "spec.databaseSecretName");
    assert.equal(
      objection.finding.evidence,
      `spec.databaseSecretName: Forbidden: the Secret "${name}" is used by ${owner}`,
    );
    assert.match(objection.finding.remedy, /redb-orders: kubectl edit redb orders/);
    assert.deepEqual(more, []);
  });
}
