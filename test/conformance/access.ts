import assert from "node:assert/strict";
import type { ApiClient } from "#kubernetes/testing/api-client";
import type { Rule, RuleContext, RuleSet } from "./rule-set.ts";

const RBAC = "rbac.authorization.k8s.io";

/** Who may do what: authentication, RBAC, access reviews, impersonation, escalation. */
export const access: RuleSet = {
  title: "access",
  prepare: async (context) => {
    const { at, send } = context;
    for (const name of ["reader", "stranger"])
      await send("POST", at("serviceaccounts"), { body: { metadata: { name } } });
    const rules = [
      { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list", "watch"] },
      { apiGroups: [""], resources: ["secrets"], resourceNames: ["mine"], verbs: ["get"] },
      { apiGroups: ["apps"], resources: ["deployments/scale"], verbs: ["*"] },
    ];
    await send("POST", at(`${RBAC}/v1/roles`), { body: { metadata: { name: "reader" }, rules } });
    await send("POST", at(`${RBAC}/v1/rolebindings`), { body: binding(context, "reader", "Role", "reader", "reader") });
  },
  rules: [credentialRules, bindingRules, reviewRules, escalationRules],
};

function credentialRules(rule: Rule): void {
  rule("without credentials, or with wrong ones, everything but health and version is closed", async (context) => {
    const [header, payload] = (await tokenOf(context, "reader")).split(".");
    const forged = `${header}.${payload}.${Buffer.from("forged").toString("base64url")}`;
    for (const token of ["nonsense", forged]) {
      const answer = await context.as(token).send("GET", context.at("configmaps"));
      assert.deepEqual([answer.code, answer.body.reason, answer.body.message], [401, "Unauthorized", "Unauthorized"]);
    }
    assert.match(String((await context.as(undefined).send("GET", context.at("configmaps"))).code), /^40[13]$/);
    for (const path of ["/healthz", "/livez", "/readyz", "/version"]) {
      assert.equal((await context.as(undefined).send("GET", path)).code, 200, path);
    }
  });

  const rights: readonly [what: string, method: string, path: (context: RuleContext) => string, code: number][] = [
    ["a role allows its verbs", "GET", ({ at }) => at("configmaps", "kube-root-ca.crt"), 200],
    ["a role allows lists", "GET", ({ at }) => at("configmaps"), 200],
    ["a role allows no other verb", "DELETE", ({ at }) => at("configmaps", "kube-root-ca.crt"), 403],
    ["a role ends at its namespace", "GET", () => "/api/v1/namespaces/kube-system/configmaps", 403],
    ["a role of a namespace does not reach across all", "GET", () => "/api/v1/configmaps", 403],
    ["a named object is allowed by its name", "GET", ({ at }) => at("secrets", "mine"), 404],
    ["another name is not", "GET", ({ at }) => at("secrets", "other"), 403],
    ["a list is not covered by a name", "GET", ({ at }) => at("secrets"), 403],
    ["a list of that one name is", "GET", ({ at }) => `${at("secrets")}?fieldSelector=metadata.name%3Dmine`, 403],
    ["a subresource is allowed on its own", "GET", ({ at }) => at("apps/v1/deployments", "d/scale"), 404],
    ["a right to a subresource is none to the object", "GET", ({ at }) => at("apps/v1/deployments", "d"), 403],
    ["every known user may see what is served", "GET", () => "/apis", 200],
    ["an unserved resource is forbidden before it is missing", "GET", ({ at }) => at("apps/v1/nothing"), 403],
  ];
  for (const [what, method, path, code] of rights) {
    rule(`${what}: ${method} is ${code}`, async (context) => {
      assert.equal((await (await reader(context)).send(method, path(context))).code, code);
    });
  }
}

function bindingRules(rule: Rule): void {
  rule("a refusal says who may not do what and where", async (context) => {
    const { namespace, at } = context;
    const client = await reader(context);
    const who = `User "system:serviceaccount:${namespace}:reader" cannot`;
    const { body } = await client.send("DELETE", at("configmaps", "x"));
    assert.deepEqual([body.reason, body.details], ["Forbidden", { name: "x", kind: "configmaps" }]);
    assert.equal(
      body.message,
      `configmaps "x" is forbidden: ${who} delete resource "configmaps" in API group "" in the namespace "${namespace}"`,
    );
    const wide = await client.send("GET", "/apis/apps/v1/deployments");
    assert.equal(
      wide.body.message,
      `deployments.apps is forbidden: ${who} list resource "deployments" in API group "apps" at the cluster scope`,
    );
    const path = await client.send("GET", "/metrics");
    assert.equal(path.body.message, `forbidden: ${who} get path "/metrics"`);
  });

  rule("a ClusterRole bound in a namespace counts there alone", async (context) => {
    const { at, send, as } = context;
    await send("POST", at(`${RBAC}/v1/rolebindings`), {
      body: binding(context, "viewer", "ClusterRole", "view", "stranger"),
    });
    const stranger = as(await tokenOf(context, "stranger"));
    assert.equal((await stranger.send("GET", at("pods"))).code, 200);
    assert.equal((await stranger.send("GET", "/api/v1/namespaces/default/pods")).code, 403);
  });
}

function reviewRules(rule: Rule): void {
  rule("access reviews answer for oneself and for others", async (context) => {
    const { namespace } = context;
    const client = await reader(context);
    const ask = async (from: ApiClient, kind: string, spec: object): Promise<boolean> =>
      (await from.send("POST", `/apis/authorization.k8s.io/v1/${kind}`, { body: { spec } })).body.status.allowed;
    const list = { verb: "list", resource: "configmaps", namespace };
    const own = "selfsubjectaccessreviews";
    assert.equal(await ask(client, own, { resourceAttributes: list }), true);
    assert.equal(await ask(client, own, { resourceAttributes: { ...list, verb: "delete" } }), false);
    assert.equal(await ask(client, own, { nonResourceAttributes: { verb: "get", path: "/apis" } }), true);
    const user = `system:serviceaccount:${namespace}:reader`;
    assert.equal(await ask(context, "subjectaccessreviews", { user, resourceAttributes: list }), true);
    const empty = await context.send("POST", `/apis/authorization.k8s.io/v1/${own}`, { body: { spec: {} } });
    assert.deepEqual([empty.code, empty.body.reason], [422, "Invalid"]);
    const rules = await client.send("POST", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", {
      body: { spec: { namespace } },
    });
    const found = rules.body.status.resourceRules.find(({ resources }: { resources: string[] }) =>
      resources.includes("configmaps"),
    );
    assert.deepEqual([found.verbs, rules.body.status.incomplete], [["get", "list", "watch"], false]);
  });

  rule("the administrator may impersonate another user, others may not", async (context) => {
    const { at, send, namespace } = context;
    const headers = { "impersonate-user": `system:serviceaccount:${namespace}:reader` };
    assert.equal((await send("GET", at("configmaps"), { headers })).code, 200);
    assert.equal((await send("GET", "/api/v1/nodes", { headers })).code, 403);
    const admin = { "impersonate-user": "me", "impersonate-group": "system:masters" };
    assert.equal((await (await reader(context)).send("GET", "/api/v1/nodes", { headers: admin })).code, 403);
  });
}

function escalationRules(rule: Rule): void {
  rule("an account grants no more than it has", async (context) => {
    const { at, send } = context;
    const roles = at(`${RBAC}/v1/roles`);
    const bindings = at(`${RBAC}/v1/rolebindings`);
    const rules = [{ apiGroups: [RBAC], resources: ["roles", "rolebindings"], verbs: ["create", "update"] }];
    await send("POST", roles, { body: { metadata: { name: "granter" }, rules } });
    await send("POST", bindings, { body: binding(context, "granter", "Role", "granter", "reader") });
    const client = await reader(context);
    const grant = (name: string, verbs: readonly string[]) =>
      client.send("POST", roles, {
        body: { metadata: { name }, rules: [{ apiGroups: [""], resources: ["configmaps"], verbs }] },
      });
    assert.equal((await grant("own", ["get"])).code, 201);
    const refused = await grant("more", ["get", "delete"]);
    assert.equal(refused.code, 403);
    assert.match(
      refused.body.message,
      /is attempting to grant RBAC permissions not currently held:\n\{APIGroups:\[""\], Resources:\["configmaps"\], Verbs:\["delete"\]\}/,
    );
    const bind = (name: string) =>
      client.send("POST", bindings, { body: binding(context, name, "ClusterRole", name, "reader") });
    assert.equal((await bind("cluster-admin")).code, 403);
    assert.equal((await bind("system:basic-user")).code, 201);
  });

  rule("a binding keeps the role that it was made for", async ({ at, send }) => {
    const path = at(`${RBAC}/v1/rolebindings`, "reader");
    const { body } = await send("GET", path);
    const answer = await send("PUT", path, { body: { ...body, roleRef: { ...body.roleRef, name: "other" } } });
    assert.equal(answer.code, 422);
    assert.match(answer.body.message, /roleRef: Invalid value: .*: cannot change roleRef/);
  });
}

async function reader(context: RuleContext): Promise<ApiClient> {
  return context.as(await tokenOf(context, "reader"));
}

async function tokenOf({ at, send }: RuleContext, account: string): Promise<string> {
  return (await send("POST", at("serviceaccounts", `${account}/token`), { body: {} })).body.status.token;
}

function binding({ namespace }: RuleContext, name: string, kind: string, role: string, account: string): object {
  const roleRef = { apiGroup: RBAC, kind, name: role };
  return { metadata: { name }, roleRef, subjects: [{ kind: "ServiceAccount", name: account, namespace }] };
}
