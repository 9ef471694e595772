import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { isFault } from "../base/fault.ts";
import { rawApi, type ApiClient, type RawApi } from "../../test/kit/api-client.ts";
import { refusals } from "./faults.ts";

let api: RawApi;
let reader: ApiClient;
const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const MAPS = "/api/v1/namespaces/default/configmaps";

before(async () => {
  api = await rawApi();
  for (const name of ["reader", "nobody"]) {
    await api.send("POST", "/api/v1/namespaces/default/serviceaccounts", { body: { metadata: { name } } });
  }
  const rules = [
    { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list", "watch"] },
    { apiGroups: [""], resources: ["secrets"], resourceNames: ["mine"], verbs: ["get"] },
    { apiGroups: ["apps"], resources: ["deployments/scale"], verbs: ["*"] },
  ];
  await api.send("POST", `${RBAC}/namespaces/default/roles`, { body: { metadata: { name: "reader" }, rules } });
  const binding = {
    metadata: { name: "reader" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" },
    subjects: [{ kind: "ServiceAccount", name: "reader", namespace: "default" }],
  };
  await api.send("POST", `${RBAC}/namespaces/default/rolebindings`, { body: binding });
  reader = api.as(api.server.serviceAccountToken("default", "reader"));
});
after(() => api[Symbol.asyncDispose]());

test("without credentials, or with wrong ones, everything but health and version is 401", async () => {
  const [header, payload] = api.server.serviceAccountToken("default", "reader").split(".");
  const forged = `${header}.${payload}.${Buffer.from("forged").toString("base64url")}`;
  for (const token of [undefined, "nonsense", forged]) {
    const answer = await api.as(token).send("GET", MAPS);
    assert.deepEqual([answer.code, answer.body.reason], [401, "Unauthorized"]);
    for (const path of ["/healthz", "/livez", "/readyz", "/version"]) {
      assert.equal((await api.as(token).send("GET", path)).code, 200, path);
    }
  }
});

const rights: readonly [rule: string, method: string, path: string, code: number][] = [
  ["a role allows its verbs", "GET", `${MAPS}/kube-root-ca.crt`, 200],
  ["a role allows lists", "GET", MAPS, 200],
  ["a role allows no other verb", "DELETE", `${MAPS}/kube-root-ca.crt`, 403],
  ["a role ends at its namespace", "GET", MAPS.replace("default", "kube-system"), 403],
  ["a role of a namespace does not reach across all", "GET", "/api/v1/configmaps", 403],
  ["a named object is allowed by its name", "GET", "/api/v1/namespaces/default/secrets/mine", 404],
  ["another name is not", "GET", "/api/v1/namespaces/default/secrets/other", 403],
  ["a list is not covered by a name", "GET", "/api/v1/namespaces/default/secrets", 403],
  ["a subresource is allowed by itself", "GET", "/apis/apps/v1/namespaces/default/deployments/d/scale", 404],
  ["a right to a subresource is none to the object", "GET", "/apis/apps/v1/namespaces/default/deployments/d", 403],
  ["everybody who is known may see what is served", "GET", "/apis", 200],
];
for (const [rule, method, path, code] of rights) {
  test(`${rule}: ${method} is ${code}`, async () => {
    assert.equal((await reader.send(method, path)).code, code);
  });
}

test("a refusal says who may not do what and where", async () => {
  const { body } = await reader.send("DELETE", `${MAPS}/x`);
  assert.equal(body.reason, "Forbidden");
  assert.equal(
    body.message,
    'configmaps "x" is forbidden: User "system:serviceaccount:default:reader" cannot delete resource "configmaps" in API group "" in the namespace "default"',
  );
});

test("a ClusterRole bound in a namespace counts there alone", async () => {
  const binding = {
    metadata: { name: "viewer" },
    roleRef: { kind: "ClusterRole", name: "view" },
    subjects: [{ kind: "ServiceAccount", name: "nobody", namespace: "default" }],
  };
  await api.send("POST", `${RBAC}/namespaces/kube-public/rolebindings`, { body: binding });
  const nobody = api.as(api.server.serviceAccountToken("default", "nobody"));
  assert.equal((await nobody.send("GET", "/api/v1/namespaces/kube-public/pods")).code, 200);
  assert.equal((await nobody.send("GET", "/api/v1/namespaces/default/pods")).code, 403);
});

test("a token ends with its service account, even when one of the same name comes back", async () => {
  const accounts = "/api/v1/namespaces/default/serviceaccounts";
  await api.send("POST", accounts, { body: { metadata: { name: "brief" } } });
  const client = api.as(api.server.serviceAccountToken("default", "brief"));
  assert.equal((await client.send("GET", "/apis")).code, 200);
  await api.send("DELETE", `${accounts}/brief`);
  assert.equal((await client.send("GET", "/apis")).code, 401);
  await api.send("POST", accounts, { body: { metadata: { name: "brief" } } });
  assert.equal((await client.send("GET", "/apis")).code, 401);
});

test("a token for an account that is not there is a fault", () => {
  assert.throws(
    () => api.server.serviceAccountToken("default", "absent"),
    (error) => isFault(error, refusals.notFound),
  );
});

test("server-side apply of what does not exist needs the right to create it", async () => {
  const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["patch"] }];
  await api.send("POST", `${RBAC}/namespaces/default/roles`, { body: { metadata: { name: "patcher" }, rules } });
  const binding = {
    metadata: { name: "patcher" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "patcher" },
    subjects: [{ kind: "ServiceAccount", name: "patcher", namespace: "default" }],
  };
  await api.send("POST", `${RBAC}/namespaces/default/rolebindings`, { body: binding });
  await api.send("POST", "/api/v1/namespaces/default/serviceaccounts", { body: { metadata: { name: "patcher" } } });
  const patcher = api.as(api.server.serviceAccountToken("default", "patcher"));
  const apply = (name: string): Promise<{ code: number; body: { message?: string } }> =>
    patcher.send("PATCH", `${MAPS}/${name}?fieldManager=test&force=true`, {
      headers: { "content-type": "application/apply-patch+yaml" },
      body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { a: "1" } },
    });
  const refused = await apply("not-there");
  assert.equal(refused.code, 403);
  assert.match(refused.body.message ?? "", /cannot create resource "configmaps"/);
  assert.equal((await apply("kube-root-ca.crt")).code, 200);
});

test("TokenRequest gives a token that counts as the account until it expires", async () => {
  const path = "/api/v1/namespaces/default/serviceaccounts/reader/token";
  const { code, body } = await api.send("POST", path, { body: { spec: { expirationSeconds: 1200 } } });
  assert.equal(code, 201);
  const left = Date.parse(body.status.expirationTimestamp) - Date.now();
  assert.ok(left > 1_100_000 && left <= 1_200_000);
  const client = api.as(body.status.token);
  const review = await client.send("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", { body: {} });
  assert.equal(review.body.status.userInfo.username, "system:serviceaccount:default:reader");
  const foreign = await api.send("POST", path, { body: { spec: { audiences: ["elsewhere"] } } });
  assert.equal((await api.as(foreign.body.status.token).send("GET", "/apis")).code, 401);
});

test("TokenReview tells whose a token is", async () => {
  const token = api.server.serviceAccountToken("default", "reader");
  const review = async (spec: object): Promise<Record<string, unknown>> =>
    (await api.send("POST", "/apis/authentication.k8s.io/v1/tokenreviews", { body: { spec } })).body.status;
  assert.equal((await review({ token })).authenticated, true);
  assert.equal((await review({ token: "x.y.z" })).authenticated, false);
});

test("access reviews answer for oneself and for others", async () => {
  const ask = async (client: ApiClient, kind: string, spec: object): Promise<boolean> => {
    const { body } = await client.send("POST", `/apis/authorization.k8s.io/v1/${kind}`, { body: { spec } });
    return body.status.allowed;
  };
  const list = { verb: "list", resource: "configmaps", namespace: "default" };
  const own = "selfsubjectaccessreviews";
  assert.equal(await ask(reader, own, { resourceAttributes: list }), true);
  assert.equal(await ask(reader, own, { resourceAttributes: { ...list, verb: "delete" } }), false);
  assert.equal(await ask(reader, own, { nonResourceAttributes: { verb: "get", path: "/apis" } }), true);
  const user = "system:serviceaccount:default:reader";
  assert.equal(await ask(api, "subjectaccessreviews", { user, resourceAttributes: list }), true);
  const rules = await reader.send("POST", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", {
    body: { spec: { namespace: "default" } },
  });
  assert.ok(
    rules.body.status.resourceRules.some(({ resources }: { resources: string[] }) => resources[0] === "configmaps"),
  );
});

test("the administrator may act as somebody else, others may not", async () => {
  const headers = { "impersonate-user": "system:serviceaccount:default:reader" };
  assert.equal((await api.send("GET", MAPS, { headers })).code, 200);
  assert.equal((await api.send("GET", "/api/v1/nodes", { headers })).code, 403);
  const admin = { "impersonate-user": "me", "impersonate-group": "system:masters" };
  assert.equal((await reader.send("GET", "/api/v1/nodes", { headers: admin })).code, 403);
});

test("nobody grants more than he has", async () => {
  const roles = `${RBAC}/namespaces/default/roles`;
  const rules = [
    { apiGroups: ["rbac.authorization.k8s.io"], resources: ["roles", "rolebindings"], verbs: ["create", "update"] },
  ];
  await api.send("POST", roles, { body: { metadata: { name: "granter" }, rules } });
  const subjects = [{ kind: "ServiceAccount", name: "reader", namespace: "default" }];
  const bindings = `${RBAC}/namespaces/default/rolebindings`;
  await api.send("POST", bindings, {
    body: { metadata: { name: "granter" }, roleRef: { kind: "Role", name: "granter" }, subjects },
  });

  const own = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get"] }];
  assert.equal((await reader.send("POST", roles, { body: { metadata: { name: "own" }, rules: own } })).code, 201);
  const more = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get", "delete"] }];
  const refused = await reader.send("POST", roles, { body: { metadata: { name: "more" }, rules: more } });
  assert.equal(refused.code, 403);
  assert.match(refused.body.message, /attempting to grant RBAC permissions not currently held:\n\{apiGroups:\[""\]/);
  const bind = (name: string): Promise<{ code: number }> =>
    reader.send("POST", bindings, { body: { metadata: { name }, roleRef: { kind: "ClusterRole", name }, subjects } });
  assert.equal((await bind("cluster-admin")).code, 403);
  assert.equal((await bind("system:basic-user")).code, 201);
});
