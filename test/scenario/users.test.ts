import assert from "node:assert/strict";
import { test } from "node:test";
import type { UserRecord } from "../../src/ports/management/records.ts";
import { routes } from "../../src/ports/management/routes.ts";
import { clusterNames } from "../../src/core/api/names.ts";
import { ConfigMaps } from "#kit/kube/builtin";
import { connect } from "#kit/kube/client";
import { loadKubeConfig } from "#kit/kube/config";
import { changeObject } from "#kit/kube/records";
import { startTestCluster } from "../kit/world/cluster.ts";
import { basic, sendHttp } from "../kit/world/http.ts";
import { until } from "#kit/testing/until";

const PASSWORD = "correct horse";
await using cluster = await startTestCluster({ nodes: 2, release: "8.2.0-12" });
await cluster.create({ name: "first", memory_size: 10_000_000 });

await test("a user is let in by every node with what the role allows, and nothing shows the password", async () => {
  const made = await letIn("viewer@example.org", "db_viewer");
  assert.deepEqual(made, {
    uid: made.uid,
    email: "viewer@example.org",
    name: "viewer@example.org",
    role: "db_viewer",
    role_uids: [5],
  });
  for (const node of [1, 2]) {
    await received(200, () => asUser(made, "GET", "/v1/bdbs", undefined, node));
    const refused = await asUser(made, "PUT", "/v1/bdbs/1", { eviction_policy: "noeviction" }, node);
    assert.deepEqual([refused.status, refused.body.error_code], [403, "insufficient_permissions"]);
    assert.match(String(refused.body.description), /role db_viewer: it takes the permission update_bdb.*db_member/);
  }
  const wrong = await asUser(made, "GET", "/v1/bdbs", undefined, 1, "wrong horse");
  assert.equal(wrong.status, 401);
});

await test("requests between nodes are refused to users", async () => {
  const admin = await letIn("boss@example.org", "admin");
  await received(200, () => asUser(admin, "GET", "/v1/users"));
  const refused = await asUser(admin, "GET", "/v1/local/instances");
  assert.deepEqual([refused.status, refused.body.error_code], [403, "insufficient_permissions"]);
});

await test("another password and another role hold at every node as soon as it reads them", async () => {
  const user = await letIn("member@example.org", "db_member");
  await received(200, () => asUser(user, "PUT", "/v1/bdbs/1", {}, 2));
  await asAdmin("PUT", `/v1/users/${user.uid}`, { password: "battery staple", role: "db_viewer" });
  for (const node of [1, 2]) {
    await received(401, () => asUser(user, "GET", "/v1/bdbs", undefined, node));
    assert.equal((await asUser(user, "GET", "/v1/bdbs", undefined, node, "battery staple")).status, 200);
    assert.equal((await asUser(user, "PUT", "/v1/bdbs/1", {}, node, "battery staple")).status, 403);
  }
});

await test("a deleted user is refused, and the uid is unknown", async () => {
  const user = await letIn("leaver@example.org", "cluster_member");
  assert.equal((await asAdmin("DELETE", `/v1/users/${user.uid}`)).status, 200);
  for (const node of [1, 2]) await received(401, () => asUser(user, "GET", "/v1/bdbs", undefined, node));
  assert.equal((await asAdmin("GET", `/v1/users/${user.uid}`)).status, 404);
});

await test("a user without a role is refused at every operation that needs credentials", async () => {
  const user = await letIn("nothing@example.org", "none");
  await received(403, () => asUser(user, "GET", "/v1/bdbs"));
  for (const { method, path, auth } of Object.values(routes).filter((route) => route.auth !== "none")) {
    const answer = await asUser(user, method, path.replace(/:\w+/g, "1"));
    assert.deepEqual([answer.status, answer.body.error_code], [403, "insufficient_permissions"], `${path} (${auth})`);
  }
});

await test("a user who may read sees all that roles of viewers are for", async () => {
  const user = await letIn("reader@example.org", "cluster_viewer");
  await received(200, () => asUser(user, "GET", "/v1/bdbs"));
  const readable = Object.values(routes).filter(
    ({ method, path, auth }) => method === "GET" && !path.includes(":") && auth !== "cluster",
  );
  for (const { path, auth } of readable) {
    // not every answer is JSON: metrics are text
    const headers = { authorization: basic(user.email, PASSWORD) };
    const { status } = await sendHttp(cluster, { method: "GET", path, headers });
    assert.equal(status, auth === "view_all_users_info" ? 403 : 200, path);
  }
});

await test("a user_manager makes no administrators and touches none", async () => {
  const manager = await letIn("people@example.org", "user_manager");
  await received(200, () => asUser(manager, "GET", "/v1/users"));
  const made = await asUser(manager, "POST", "/v1/users", { email: "a@b.org", password: PASSWORD, role: "admin" });
  assert.deepEqual([made.status, made.body.error_code], [403, "insufficient_permissions"]);
  const { body } = await asAdmin("POST", "/v1/users", { email: "root@b.org", password: PASSWORD, role: "admin" });
  for (const [method, change] of [["PUT", { password: "taken over!" }], ["DELETE"]] as const) {
    await received(403, () => asUser(manager, method, `/v1/users/${body.uid}`, change));
  }
  const raised = await asUser(manager, "PUT", `/v1/users/${manager.uid}`, { role: "admin" });
  assert.equal(raised.status, 403);
});

const refusals = [
  ["a malformed address", { email: "none", password: PASSWORD, role: "none" }, 400, /^email: /],
  ["a short password", { email: "x@y.org", password: "short", role: "none" }, 400, /^password: .*8/],
  ["a role that there is not", { email: "x@y.org", password: PASSWORD, role: "king" }, 400, /^role: .*db_viewer/],
  ["a field that there is not", { email: "x@y.org", password: PASSWORD, role: "none", uid: 7 }, 400, /"uid"/],
  ["the address of the administrator", { email: "admin@test", password: PASSWORD, role: "none" }, 400, /^email: /],
] as const;

for (const [rule, body, status, says] of refusals) {
  await test(`a user with ${rule} is refused`, async () => {
    const answer = await asAdmin("POST", "/v1/users", body);
    assert.equal(answer.status, status);
    assert.match(String(answer.body.description), says);
  });
}

await test("an address is given once, in whatever case", async () => {
  await letIn("once@example.org", "none");
  const again = await asAdmin("POST", "/v1/users", { email: "Once@Example.org", password: PASSWORD, role: "none" });
  assert.deepEqual([again.status, again.body.error_code], [409, "email_already_exists"]);
});

await test("the cluster's own administrator is listed first and changed in its Secret alone", async () => {
  const { body } = await asAdmin("GET", "/v1/users/1");
  assert.deepEqual(body, { uid: 1, email: "admin@test", name: "admin@test", role: "admin", role_uids: [1] });
  for (const method of ["PUT", "DELETE"]) {
    const answer = await asAdmin(method, "/v1/users/1", method === "PUT" ? { role: "none" } : undefined);
    assert.deepEqual([answer.status, answer.body.error_code], [406, "cannot_change_cluster_admin"]);
  }
});

await test("each write and each failed login leaves one line in the log of the node that was asked, without any password", async () => {
  const linesOf = (node: number, msg: string): Readonly<Record<string, unknown>>[] =>
    cluster
      .log(node)
      .split("\n")
      .filter((line) => line.includes(msg))
      .map((line) => JSON.parse(line));
  const writer = await letIn("writer@example.org", "db_member");
  await received(200, () => asUser(writer, "GET", "/v1/bdbs", undefined, 2));
  const earlier = linesOf(2, "a login failed").length;
  await asUser(writer, "PUT", "/v1/bdbs/1", {}, 2);
  await asUser(writer, "POST", "/v1/users", { email: "z@y.org", password: PASSWORD, role: "none" }, 2);
  await asUser(writer, "GET", "/v1/bdbs", undefined, 2, "a wrong guess");
  await until("it is written", async () => linesOf(2, "a login failed").length === earlier + 1);
  assert.equal(linesOf(2, "a login failed").at(-1)?.["user"], writer.email);
  const who = { user: writer.email, role: "db_member" };
  const seen = linesOf(2, "a management write")
    .filter(({ user }) => user === writer.email)
    .map(({ user, role, method, path, status }) => ({
      user,
      role,
      method,
      path,
      status,
    }));
  assert.deepEqual(seen, [
    { ...who, method: "PUT", path: "/v1/bdbs/1", status: 200 },
    { ...who, method: "POST", path: "/v1/users", status: 403 },
  ]);
  assert.equal(linesOf(1, writer.email).length, 0, "the leader has no second line");
  for (const node of [1, 2]) assert.doesNotMatch(cluster.log(node), /correct horse|a wrong guess|test-password/);
});

await test("a record that is nearly full takes no more users, gets shorter, and the cluster goes on writing in it", async () => {
  const leaver = await letIn("large@example.org", "none");
  await using stack = new AsyncDisposableStack();
  const kube = stack.adopt(connect(loadKubeConfig({ KUBECONFIG: cluster.kubeconfig })), (client) => client.close());
  const ref = { name: clusterNames.clusterRecord(cluster.rec), namespace: cluster.namespace };
  const fill = (license: string) =>
    changeObject(kube, ConfigMaps, ref, (map) => {
      const record = JSON.stringify({ ...JSON.parse(map.data?.record ?? ""), license });
      return { ...map, data: { ...map.data, record } };
    });
  await fill("x".repeat(720_000));
  const more = { email: "more@example.org", password: PASSWORD, role: "none" };
  await received(507, () => asAdmin("POST", "/v1/users", more));
  const { body } = await asAdmin("POST", "/v1/users", more);
  assert.equal(body.error_code, "record_full");
  assert.match(String(body.description), /^the record of the cluster would have 72\d{4} bytes, and 716800 are allowed/);
  assert.equal((await asAdmin("DELETE", `/v1/users/${leaver.uid}`)).status, 200);
  const report = { operator_version: "8.2.0-12" };
  await cluster.client.call("updateCluster", { body: report });
  await fill("");
  await received(200, () => asAdmin("POST", "/v1/users", more));
});

async function letIn(email: string, role: string): Promise<UserRecord> {
  const answer = await asAdmin("POST", "/v1/users", { email, password: PASSWORD, role });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return { uid: Number(answer.body.uid), email, name: email, role: "none", ...answer.body };
}

interface UserAnswer {
  readonly status: number | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Nodes learn from the API server what the leader has written. */
async function received(status: number, asked: () => Promise<UserAnswer>): Promise<void> {
  await until(`the answer is ${status}`, async () => (await asked()).status === status, { everyMs: 25 });
}

function asAdmin(method: string, path: string, body?: object): Promise<UserAnswer> {
  return ask("admin@test", "test-password", { method, path, body });
}

function asUser(
  { email }: UserRecord,
  method: string,
  path: string,
  body?: object,
  node = 1,
  password = PASSWORD,
): Promise<UserAnswer> {
  return ask(email, password, { method, path, body, node });
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: object | undefined;
  readonly node?: number;
}

async function ask(username: string, password: string, asked: Asked): Promise<UserAnswer> {
  const { status, text } = await sendHttp(cluster, { ...asked, headers: { authorization: basic(username, password) } });
  return { status, body: JSON.parse(text) };
}
