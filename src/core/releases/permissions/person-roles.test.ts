import assert from "node:assert/strict";
import { test } from "node:test";
import { PERSON_RIGHTS, PERSON_ROLES } from "./people.ts";
import { personRoleObjects } from "./person-roles.ts";
import { accessText, grantRolesCommand, rolesThatGive, type Access } from "./person-grants.ts";

const LOGINS = { clusters: ["rec"], secrets: [] };
const OURS = "app.storeenterprise.io";

const asked = (verb: string, resource: string, name?: string, group = OURS): Access => ({
  verb,
  group,
  resource,
  name,
  namespace: "default",
});

test("no ready Role has a wildcard, and only login and upgrader name Secrets", () => {
  for (const role of PERSON_ROLES) {
    const text = JSON.stringify(personRoleObjects(role, LOGINS));
    assert.equal(text.includes('"*"'), false, role);
    const hasSecrets = text.includes('"secrets"');
    assert.equal(hasSecrets, role === "login" || role === "upgrader", role);
    if (hasSecrets)
      assert.match(text, /"resources":\["secrets"\],"resourceNames":\["rec","rec-node-tls"\],"verbs":\["get"\]/);
  }
});

test("a Role that names no Secret because no cluster is named has no rule for Secrets at all", () => {
  const text = JSON.stringify(personRoleObjects("upgrader", { clusters: [], secrets: [] }));
  assert.equal(text.includes('"secrets"'), false);
});

test("each right is given by some Role, and found again by what is asked", () => {
  for (const { group, resource, verbs, only, isClusterWide, roles } of PERSON_RIGHTS) {
    const name = only === undefined ? undefined : only === "loginSecrets" ? "rec" : only[0];
    const namespace = isClusterWide === true ? undefined : "default";
    for (const verb of verbs) {
      const found = rolesThatGive([{ verb, group, resource, name, namespace }], LOGINS);
      assert.deepEqual(found.left, [], `${verb} ${resource}`);
      assert.ok(
        found.roles.every((role) => PERSON_RIGHTS.some((one) => one.resource === resource && one.roles.includes(role))),
      );
      assert.ok(roles.length > 0);
    }
  }
});

const examples: { name: string; needs: Access[]; roles: string[]; left?: string[] }[] = [
  {
    name: "to look",
    needs: [asked("list", "pods", undefined, ""), asked("list", "storeenterpriseclusters")],
    roles: ["reader"],
  },
  { name: "the login", needs: [asked("get", "secrets", "rec", "")], roles: ["login"] },
  {
    name: "to upgrade",
    needs: [
      asked("list", "pods", undefined, ""),
      asked("patch", "storeenterpriseclusters", "rec"),
      asked("get", "secrets", "rec", ""),
    ],
    roles: ["upgrader"],
  },
  {
    name: "to upgrade the operator and the cluster",
    needs: [
      asked("patch", "deployments", "store-enterprise-operator", "apps"),
      asked("get", "deployments", "store-enterprise-operator", "apps"),
      asked("list", "pods", undefined, ""),
      asked("patch", "storeenterprisedatabases", "orders"),
      asked("get", "secrets", "rec-node-tls", ""),
    ],
    roles: ["upgrader", "installer"],
  },
  {
    name: "the Secret of another",
    needs: [asked("get", "secrets", "other", "")],
    roles: [],
    left: ['get secrets "other"'],
  },
  {
    name: "a worker, beside something else",
    needs: [{ verb: "patch", group: "", resource: "nodes", name: "w1" }, asked("list", "events", undefined, "")],
    roles: ["reader"],
    left: ['patch nodes "w1"'],
  },
  { name: "nothing", needs: [], roles: [] },
];
for (const { name, needs, roles, left = [] } of examples) {
  test(`who lacks ${name} is given as few Roles as it takes`, () => {
    const found = rolesThatGive(needs, LOGINS);
    assert.deepEqual([found.roles, found.left.map(accessText)], [roles, left]);
  });
}

test("names of bindings differ when their people do, whatever characters the names have", () => {
  const people = [
    { kind: "User", name: "a:b" },
    { kind: "User", name: "a=3Ab" },
    { kind: "User", name: "https://id.example.com/#7%2F" },
    { kind: "Group", name: "a" },
    { kind: "ServiceAccount", namespace: "a", name: "b" },
    { kind: "ServiceAccount", namespace: "a-b", name: "" },
  ] as const;
  const names = personRoleObjects("reader", LOGINS, people)
    .filter(({ kind }) => kind === "RoleBinding")
    .map(({ metadata }) => metadata.name);
  assert.equal(new Set(names).size, people.length);
  assert.deepEqual(
    names.filter((name) => /[/%]/.test(name)),
    [],
    "Kubernetes refuses these in the name of a binding",
  );
});

test("the line that grants quotes what it is given, and names clusters only for a Role with their Secrets", () => {
  const place = { namespace: "default", logins: LOGINS };
  assert.equal(
    grantRolesCommand(["reader"], { kind: "User", name: "o'neil@example.com" }, place),
    `storectl role reader --user 'o'\\''neil@example.com' | kubectl apply -n default -f -`,
  );
  assert.equal(
    grantRolesCommand(["upgrader"], { kind: "ServiceAccount", namespace: "ci", name: "bot" }, place),
    "storectl role upgrader --cluster rec --service-account ci:bot | kubectl apply -n default -f -",
  );
});
