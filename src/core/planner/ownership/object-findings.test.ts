import assert from "node:assert/strict";
import { test } from "node:test";
import { objectFindings, type FoundObject } from "./object-findings.ts";

const made = { name: "rec", uid: "u-1", isMade: true };
const fresh = { ...made, isMade: false };
const owner = (uid: string, name = "rec") => ({
  ownerReferences: [{ apiVersion: "app.storeenterprise.io/v1", kind: "StoreEnterpriseCluster", name, uid }],
});
const ofApplication = { ownerReferences: [{ apiVersion: "apps/v1", kind: "Deployment", name: "shop", uid: "u-9" }] };
const label = (cluster: string) => ({ labels: { "storeenterprise.io/cluster": cluster } });
const given = { annotations: { "storeenterprise.io/given-to": "u-1" } };

type Said = readonly string[];
const cases: readonly (readonly [what: string, marks: Partial<FoundObject>, ofNew: Said, ofMade: Said])[] = [
  ["the owner is this very cluster", owner("u-1"), [], []],
  ["its owner has given it", given, [], []],
  [
    "the owner is a former cluster of the name",
    { ...owner("u-0"), ...label("rec") },
    ["ObjectNotOurs"],
    ["ObjectNotOurs"],
  ],
  ["the owner is another cluster", owner("u-2", "other"), ["ObjectNotOurs"], ["ObjectNotOurs"]],
  ["the label is another cluster's", label("other"), ["ObjectNotOurs"], ["ObjectNotOurs"]],
  ["the owner is an application", ofApplication, ["ObjectNotOurs"], ["ObjectNotOurs"]],
  ["it has the label alone", label("rec"), ["ObjectNotOurs"], []],
  ["nothing says whose it is", {}, ["ObjectNotOurs"], ["ObjectNotOurs"]],
  ["nothing says whose a Secret is", { kind: "Secret" }, ["ObjectNotOurs"], ["SecretNotMarked"]],
];

for (const [what, marks, ofNew, ofMade] of cases)
  test(`an object of a cluster's name: ${what}`, () => {
    const object = { kind: "Role", name: "rec-services-rigger", ...marks };
    const ids = (cluster: typeof made) => objectFindings(cluster, [object]).map(({ id }) => id);
    assert.deepEqual([ids(fresh), ids(made)], [ofNew, ofMade]);
  });

test("objects that have no mark are given by one command, and those of others by none", () => {
  const unmarked = ["Role", "Secret"].map((kind) => ({ kind, name: "rec" }));
  const [before, ...more] = objectFindings(fresh, unmarked);
  const command = "kubectl annotate role/rec secret/rec --overwrite storeenterprise.io/given-to=u-1";
  assert.equal(before?.remedy, `delete it, or give it to the cluster: ${command}`);
  assert.deepEqual(more, []);
  const [another] = objectFindings(fresh, [{ kind: "Secret", name: "rec", ...owner("u-2", "other") }]);
  assert.match(another?.evidence ?? "", /the Secret "rec" is there, and belongs to StoreEnterpriseCluster other/);
  assert.doesNotMatch(another?.remedy ?? "", /annotate/);
});
