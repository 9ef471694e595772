import assert from "node:assert/strict";
import { test } from "node:test";
import { nearby } from "../../../../test/kit/facts/references.ts";
import { clusterSpec } from "../../api/cluster-spec.ts";
import { CLUSTER_NAME_RULES } from "./cluster.ts";
import { objections } from "./objection.ts";

const first = { name: "first", cluster: "rec", port: 10_000, secret: "redb-first" };
const references = {
  clusters: [nearby(), nearby({ name: "second-ca", account: "runner" })],
  databases: [first],
  remoteClusters: [{ name: "b", recName: "rec", recNamespace: "far" }],
};

function said(name: string, spec: object, nodes = 0): readonly (readonly [field: string, message: string])[] {
  const facts = { name, spec: clusterSpec.parse(spec), before: undefined, nodes, references };
  const more = { tags: [], askedSize: undefined, growthRefusal: undefined };
  return objections(CLUSTER_NAME_RULES, { ...facts, ...more }).map(({ field, finding }) => [field, finding.evidence]);
}

for (const name of [
  ...[
    "rec-ca",
    "rec-node-tls",
    "rec-services-rigger",
    "rec-cluster",
    "rec-leader",
    "rec-db-5",
    "rec-node-1",
    "rec-user-c0ffee",
  ],
  ...["second", "redb-first", "store-enterprise-b", "store-enterprise-operator", "admission", "admission-tls"],
])
  test(`a new cluster is not named ${name}, as an object of something else is`, () => {
    assert.deepEqual(
      said(name, {}).map(([field]) => field),
      ["metadata.name"],
    );
    assert.deepEqual(said(name, {}, 3), [], "one that has nodes keeps its name");
  });

for (const name of ["rec", "rec-2", "recca", "rec-ca-2", "rec-db", "rec-db-5x", "redb-other", "other"])
  test(`a new cluster may be named ${name}`, () => {
    assert.deepEqual(said(name, {}), []);
  });

for (const [account, holder] of [
  ["store-enterprise-operator", /that of the operator/],
  ["rec-services-rigger", /the services rigger of StoreEnterpriseCluster rec/],
  ["mine-services-rigger", /the services rigger of StoreEnterpriseCluster mine/],
  ["rec", /StoreEnterpriseCluster rec/],
  ["runner", /StoreEnterpriseCluster second-ca/],
] as const)
  test(`nodes do not run as ${account}, whether the account is made or not`, () => {
    for (const createServiceAccount of [true, false]) {
      const [[field, message] = [], ...more] = said("mine", { serviceAccountName: account, createServiceAccount });
      assert.equal(field, "spec.serviceAccountName");
      assert.match(message ?? "", holder);
      assert.deepEqual(more, []);
    }
  });

const https = (credentialsSecret: string) => ({ url: "https://modules.example.com/wand.zip", credentialsSecret });
for (const secret of ["mine", "mine-ca", "rec", "rec-db-1", "redb-first", "store-enterprise-b", "admission-tls"])
  test(`a cluster reads no login of a module in the Secret ${secret}, which is something else's`, () => {
    const spec = { userDefinedModules: [{ name: "wand", source: { https: https(secret) } }] };
    assert.deepEqual(
      said("mine", spec).map(([field]) => field),
      ["spec.userDefinedModules[0].source.https.credentialsSecret"],
    );
  });

test("a cluster may name its own account, the Secret of its name, and Secrets of its user", () => {
  const modules = [{ name: "wand", source: { https: https("module-login") } }];
  const named = { clusterCredentialSecretName: "mine", licenseSecretName: "paid", userDefinedModules: modules };
  assert.deepEqual(said("mine", { ...named, serviceAccountName: "mine" }), []);
  assert.deepEqual(said("mine", { ...named, serviceAccountName: "my-runner" }), []);
});
