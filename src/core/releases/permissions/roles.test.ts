import assert from "node:assert/strict";
import { test } from "node:test";
import { PERMISSIONS } from "./permissions.ts";
import { clusterNeeds, clusterRules, operatorNeeds, operatorRules, type PolicyRule } from "./roles.ts";

const SCOPE = { name: "rec", nodes: 3, secrets: ["rec-db-1"] };

for (const platform of ["kubernetes", "openshift"] as const) {
  test(`the operator may do everything that it grants to nodes and rigger (${platform})`, () => {
    const scope = { ...SCOPE, platform };
    const held = new Set(operatorRules(platform).flatMap(spelled));
    const granted = [...clusterRules("node", scope), ...clusterRules("rigger", scope)];
    const isHeld = (rule: PolicyRule): boolean =>
      spelled(rule).every((one) => held.has(one)) ||
      spelled({ ...rule, resourceNames: [""] }).every((one) => held.has(one));
    assert.deepEqual(
      granted.filter((rule) => !isHeld(rule)),
      [],
    );
  });
}

test("no row of the table says what another one says too, and no rule has a wildcard", () => {
  const rows = PERMISSIONS.flatMap(({ who, group, resource, verbs }) =>
    verbs.map((verb) => `${who} ${group}/${resource} ${verb}`),
  );
  assert.deepEqual(
    rows.filter((row, index) => rows.indexOf(row) !== index),
    [],
  );
  assert.equal(JSON.stringify(operatorRules("kubernetes")).includes("*"), false);
});

test("each rule is needed: rules and needs are the same list", () => {
  for (const platform of ["kubernetes", "openshift"] as const) {
    const scope = { ...SCOPE, platform };
    const own = operatorNeeds(platform).map(spelledNeed).toSorted();
    assert.deepEqual(operatorRules(platform).flatMap(spelled).toSorted(), own, platform);
    for (const who of ["node", "rigger"] as const) {
      const needs = clusterNeeds(who, scope).map(spelledNeed).toSorted();
      assert.deepEqual(clusterRules(who, scope).flatMap(spelled).toSorted(), needs, `${who} on ${platform}`);
    }
  }
});

test("what is written to objects of known names is limited to those names", () => {
  const limited = clusterRules("node", SCOPE).filter(({ resourceNames }) => resourceNames !== undefined);
  assert.deepEqual(
    limited.map(({ resourceNames, verbs }) => [resourceNames, verbs]),
    [
      [["rec-db-1"], ["get", "patch", "delete"]],
      [["rec-leader"], ["get", "update"]],
      [["rec-node-1", "rec-node-2", "rec-node-3"], ["patch"]],
    ],
  );
  const [pods] = clusterRules("rigger", SCOPE).filter(({ resourceNames }) => resourceNames !== undefined);
  assert.deepEqual(pods?.resourceNames, ["rec-0", "rec-1", "rec-2"]);
});

test("nodes use the Secrets that are named, and make none but while older ones are members", () => {
  const ofSecrets = (secrets?: readonly string[], hasOlderNodes = false) =>
    clusterRules("node", { ...SCOPE, secrets, hasOlderNodes })
      .filter(({ resources }) => resources.includes("secrets"))
      .map(({ verbs, resourceNames }) => [verbs, resourceNames]);
  const names = ["rec-db-1", "rec-user-2"];
  assert.deepEqual(ofSecrets(names), [[["get", "patch", "delete"], names]]);
  assert.deepEqual(ofSecrets(names, true), [
    [["create"], undefined],
    [["get", "patch", "delete"], names],
  ]);
  assert.deepEqual(ofSecrets(undefined, true), [[["get", "create", "patch", "delete"], undefined]]);
});

function spelled({ apiGroups, resources, resourceNames, verbs }: PolicyRule): string[] {
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) => (resourceNames ?? [""]).map((name) => `${group}/${resource} ${verb} ${name}`)),
    ),
  );
}

function spelledNeed({ group, resource, verb, name = "" }: ReturnType<typeof operatorNeeds>[number]): string {
  return `${group}/${resource} ${verb} ${name}`;
}
