import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestCluster } from "../kit/world/cluster.ts";
import { basic, sendHttp } from "../kit/world/http.ts";
import { until } from "#kit/testing/until";

const PASSWORD = "correct horse";
const ADMIN = basic("admin@test", "test-password");
const PATIENCE = { withinMs: 60_000, everyMs: 100 };
await using cluster = await startTestCluster({ nodes: 3, release: "8.2.0-12" });
await cluster.create({ name: "first", memory_size: 10_000_000 });
const leader = await cluster.leader();
const [away = 0] = [1, 2, 3].filter((node) => node !== leader);

await test("a user who was deleted does nothing at a node that the Kubernetes API does not reach", async () => {
  const { body } = await send(leader, ADMIN, "POST", "/v1/users", userOf("leaver@example.org", "admin"));
  const leaver = basic("leaver@example.org", PASSWORD);
  await until("every node knows the user", async () => (await send(away, leaver, "GET", "/v1/users")).status === 200);
  cluster.api(away).cut("reject");
  assert.equal((await send(leader, ADMIN, "DELETE", `/v1/users/${String(body.uid)}`)).status, 200);
  // at first the node does not know that it may have missed something
  const writes = await send(away, leaver, "POST", "/v1/users", userOf("again@example.org", "admin"));
  assert.equal(writes.status, 503, JSON.stringify(writes.body));
  const isStale = async () => (await send(away, leaver, "GET", "/v1/users")).body.error_code === "stale";
  await until("the node says that it does not know who may log in", isStale, PATIENCE);
  for (const [method, path, sent] of [
    ["POST", "/v1/users", userOf("again@example.org", "admin")],
    ["PUT", "/v1/bdbs/1/passwords", { password: "taken" }],
    ["GET", "/v1/bdbs", undefined],
  ] as const) {
    const answer = await send(away, leaver, method, path, sent);
    assert.deepEqual([answer.status, answer.body.error_code], [503, "stale"], path);
  }
  assert.equal((await send(leader, basic("again@example.org", PASSWORD), "GET", "/v1/users")).status, 401);
});

await test("the cluster itself writes by any node, also passwords by one that the Kubernetes API does not reach", async () => {
  const written = await send(away, ADMIN, "PUT", "/v1/bdbs/1", { eviction_policy: "noeviction" });
  assert.equal(written.status, 200, JSON.stringify(written.body));
  const passwords = await send(away, ADMIN, "PUT", "/v1/bdbs/1/passwords", { password: "another one" });
  assert.equal(passwords.status, 200, JSON.stringify(passwords.body));
  cluster.api(away).mend();
});

await test("a follower passes on who asked, so that the leader decides by the role of that user", async () => {
  const member = userOf("member@example.org", "db_member");
  assert.equal((await send(leader, ADMIN, "POST", "/v1/users", member)).status, 200);
  const login = basic(member.email, PASSWORD);
  const isLetIn = async () => (await send(away, login, "GET", "/v1/bdbs")).status === 200;
  await until("the follower knows the user", isLetIn, PATIENCE);
  const changed = await send(away, login, "PUT", "/v1/bdbs/1", { memory_size: 11_000_000 });
  assert.equal(changed.status, 200, JSON.stringify(changed.body));
});

function userOf(email: string, role: string) {
  return { email, password: PASSWORD, role };
}

async function send(node: number, authorization: string, method: string, path: string, body?: object) {
  const { status, text } = await sendHttp(cluster, { node, method, path, body, headers: { authorization } });
  const read: Readonly<Record<string, unknown>> = JSON.parse(text === "" ? "{}" : text);
  return { status, body: read };
}
