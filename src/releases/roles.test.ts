import assert from "node:assert/strict";
import { test } from "node:test";
import { PERMISSIONS } from "./permissions.ts";
import { clusterNeeds, clusterRules, OPERATOR_RULES, operatorNeeds, type PolicyRule } from "./roles.ts";

const SCOPE = { name: "rec", nodes: 3 };

test("the operator may do everything that it grants to nodes and rigger", () => {
  const held = new Set(OPERATOR_RULES.flatMap(spelled));
  const rules = [...clusterRules("node", SCOPE), ...clusterRules("rigger", SCOPE)];
  const granted = rules.map(({ resourceNames: _, ...rule }) => rule).flatMap(spelled);
  assert.deepEqual(
    granted.filter((permission) => !held.has(permission)),
    [],
  );
});

test("no row of the table says what another one says too, and no rule has a wildcard", () => {
  const rows = PERMISSIONS.flatMap(({ who, group, resource, verbs }) =>
    verbs.map((verb) => `${who} ${group}/${resource} ${verb}`),
  );
  assert.deepEqual(
    rows.filter((row, index) => rows.indexOf(row) !== index),
    [],
  );
  assert.equal(JSON.stringify(OPERATOR_RULES).includes("*"), false);
});

test("each rule is needed: rules and needs are the same list", () => {
  assert.deepEqual(OPERATOR_RULES.flatMap(spelled).toSorted(), operatorNeeds().map(spelledNeed).toSorted());
  for (const who of ["node", "rigger"] as const) {
    const needs = clusterNeeds(who, SCOPE).map(spelledNeed).toSorted();
    assert.deepEqual(clusterRules(who, SCOPE).flatMap(spelled).toSorted(), needs, who);
  }
});

test("what is written to objects of known names is limited to those names", () => {
  const limited = clusterRules("node", SCOPE).filter(({ resourceNames }) => resourceNames !== undefined);
  assert.deepEqual(
    limited.map(({ resourceNames, verbs }) => [resourceNames, verbs]),
    [
      [["rec-leader"], ["get", "update"]],
      [["rec-node-1", "rec-node-2", "rec-node-3"], ["patch"]],
    ],
  );
  const [pods] = clusterRules("rigger", SCOPE).filter(({ resourceNames }) => resourceNames !== undefined);
  assert.deepEqual(pods?.resourceNames, ["rec-0", "rec-1", "rec-2"]);
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
