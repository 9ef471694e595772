import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { connect } from "node:tls";
import { NODE_PATHS, PORTS, clusterNames } from "../../src/core/api/names.ts";
import { Fault } from "#kit/base/fault";
import { managementClient } from "../../src/ports/management/client.ts";
import type { ManagementClientOptions } from "../../src/ports/management/client.ts";
import { RawClient } from "../kit/engines/raw-client.ts";
import { startTestCluster } from "../kit/world/cluster.ts";
import type { HttpAnswer } from "../kit/world/documented.ts";
import { basic, sendHttp } from "../kit/world/http.ts";
import { until } from "#kit/testing/until";
import { good, refused } from "./management-refusals.ts";

const ADMIN = basic("admin@test", "test-password");

await using cluster = await startTestCluster({ nodes: 1, release: "8.0.2-2" });
const serverName = clusterNames.dnsName(cluster.rec, cluster.namespace);
await cluster.create({ name: "first", memory_size: 10_000_000, redis_version: "7.4", port: 12_000 });

for (const { rule, method, path, body, status, code, says } of refused) {
  await test(`refused: ${rule}`, async () => {
    const answer = await raw(method, path, body);
    assert.equal(answer.status, status);
    const { error_code, description, message } = JSON.parse(answer.text);
    assert.equal(error_code, code);
    assert.match(description, says);
    assert.equal(message, description);
    if (status === 405) assert.match(says.source, new RegExp(String(answer.headers.allow)));
  });
}

await test("a body in another form than JSON is refused, and the right header is named", async () => {
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/xml", "nonsense"]) {
    const answer = await raw("POST", "/v1/bdbs", "name=second", { authorization: ADMIN, "content-type": type });
    assert.deepEqual([answer.status, JSON.parse(answer.text).error_code], [415, "unsupported_media_type"]);
    assert.match(JSON.parse(answer.text).description, /Content-Type: application\/json/);
  }
});

await test("a body of more than a mebibyte is refused with the limit", async () => {
  const answer = await raw("POST", "/v1/bdbs", { ...good, name: "x".repeat(1_048_576) });
  assert.deepEqual([answer.status, JSON.parse(answer.text).error_code], [413, "body_too_large"]);
  assert.match(JSON.parse(answer.text).description, /1048576 bytes/);
});

await test("what is no HTTP is answered as every other error, and ends the connection", async () => {
  const socket = connect({ host: cluster.address(1), port: PORTS.management, servername: serverName, ca: cluster.ca });
  socket.setEncoding("utf8").end("NONSENSE\r\n\r\n");
  const answer = (await socket.toArray()).join("");
  assert.match(answer, /^HTTP\/1\.1 400 /);
  assert.equal(JSON.parse(answer.slice(answer.indexOf("{"))).error_code, "bad_request");
});

await test("without credentials an answer says nothing about the body", async () => {
  for (const body of ["{", { ...good, name: "x".repeat(2_000_000) }, undefined]) {
    const answer = await raw("POST", "/v1/bdbs", body, {});
    assert.equal(answer.status, 401);
  }
});

await test("without credentials, or with wrong ones, there is a challenge and nothing else", async () => {
  for (const authorization of [undefined, "Basic Og==", basic("admin@test", "wrong"), "Bearer x"]) {
    const answer = await raw("GET", "/v1/bdbs", undefined, authorization === undefined ? {} : { authorization });
    assert.equal(answer.status, 401);
    assert.match(String(answer.headers["www-authenticate"]), /^Basic realm=/);
    assert.equal(JSON.parse(answer.text).error_code, "unauthorized");
  }
});

await test("the readiness probe needs no credentials", async () => {
  const answer = await raw("GET", "/v1/bootstrap", undefined, {});
  assert.equal(answer.status, 200);
  assert.deepEqual(JSON.parse(answer.text), { bootstrap_status: { state: "completed" } });
});

await test("databases asked for at the same moment get names, ports and engines of their own", async () => {
  const answers = await Promise.all(
    ["left", "right", "left"].map((name) => raw("POST", "/v1/bdbs", { name, memory_size: 10_000_000 })),
  );
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 200, 409]);
  const made = (await cluster.client.call("bdbs")).filter(({ name }) => name !== "first");
  assert.equal(new Set(made.map(({ port }) => port)).size, 2);
  const shards = (await cluster.client.call("shards")).filter(({ bdb_uid }) => made.some(({ uid }) => uid === bdb_uid));
  assert.equal(new Set(shards.map(({ port }) => port)).size, 2);
  const names = async (status: string): Promise<string[]> =>
    (await cluster.client.call("bdbs")).filter((bdb) => bdb.status === status).map(({ name }) => name);
  await until("both serve", async () => (await names("active")).length === 3);
  for (const { uid } of made) await cluster.client.call("deleteBdb", { params: { uid } });
  await until("both are gone", async () => (await cluster.client.call("bdbs")).length === 1);
});

await test("the trial licence counts shards, and the refusal has its limit in numbers", async () => {
  const { shards_limit, shards_usage, cluster_name, expired } = await cluster.client.call("license");
  assert.deepEqual([shards_limit, shards_usage, cluster_name, expired], [4, 1, serverName, false]);
  const more = [];
  for (const name of ["a", "b", "c"]) more.push(await cluster.create({ name, memory_size: 10_000_000 }));
  const answer = await raw("POST", "/v1/bdbs", { name: "d", memory_size: 10_000_000 });
  assert.equal(answer.status, 406);
  assert.match(JSON.parse(answer.text).description, /allows 4 shards.*4 are in use.*needs 1 more/);
  for (const { uid } of more) await cluster.client.call("deleteBdb", { params: { uid } });
  await until("they are gone", async () => (await cluster.client.call("bdbs")).length === 1, { everyMs: 25 });
});

await test("a change is taken, shown as pending, and done", async () => {
  const changed = await cluster.client.call("updateBdb", {
    params: { uid: 1 },
    body: { eviction_policy: "noeviction" },
  });
  assert.equal(changed.status, "active-change-pending");
  await until(
    "it is active",
    async () => (await cluster.client.call("bdb", { params: { uid: 1 } })).status === "active",
  );
  const actions = await cluster.client.call("actions");
  const action = actions.find(({ action_uid }) => action_uid === changed.action_uid);
  assert.deepEqual([action?.name, action?.status, action?.object_name], ["update_bdb", "completed", "bdb:1"]);
});

await test("a limit of connections is applied by running endpoints, and cuts no client", async () => {
  const at = { host: cluster.address(1), port: 12_000 };
  const limitTo = async (max_connections: number): Promise<void> => {
    await cluster.client.call("updateBdb", { params: { uid: 1 }, body: { max_connections } });
    await until("the change is done", async () => {
      const bdb = await cluster.client.call("bdb", { params: { uid: 1 } });
      return bdb.status === "active" && bdb.max_connections === max_connections;
    });
  };
  const answered = async (): Promise<unknown> => {
    const client = await RawClient.connect(at);
    const answer = await client.ask("PING");
    client.close();
    return answer;
  };
  const [first, second] = [await RawClient.connect(at), await RawClient.connect(at)];
  for (const client of [first, second]) assert.equal(await client.ask("PING"), "PONG");
  await limitTo(1);
  await until("a third is refused", async () => (await answered()) === "-ERR max number of clients reached");
  for (const client of [first, second]) assert.equal(await client.ask("SET", "k", "v"), "OK");
  await limitTo(0);
  await until("a third is served", async () => (await answered()) === "PONG");
  for (const client of [first, second]) {
    assert.equal(await client.ask("GET", "k"), "v");
    client.close();
  }
});

await test("the policy `major` of cluster or database keeps a database from minor versions, and gives a new one the newest major", async () => {
  const upgrade = async (uid: number): Promise<string> => {
    const answer = await raw("POST", `/v1/bdbs/${uid}/upgrade`, { store_version: "8.2" });
    assert.deepEqual([answer.status, JSON.parse(answer.text).error_code], [406, "invalid_version"], answer.text);
    return JSON.parse(answer.text).description;
  };
  const policy = (redis_upgrade_policy: "major" | "latest") =>
    cluster.client.call("updateClusterPolicy", { body: { redis_upgrade_policy } });
  assert.deepEqual(await cluster.client.call("clusterPolicy"), {
    redis_upgrade_policy: "latest",
    set_aside_retention_days: 7,
  });
  await policy("major");
  assert.deepEqual(await cluster.client.call("clusterPolicy"), {
    redis_upgrade_policy: "major",
    set_aside_retention_days: 7,
  });
  const plain = await cluster.create({ name: "plain", memory_size: 10_000_000 });
  assert.equal(plain.redis_version, "8.0");
  assert.match(
    await upgrade(plain.uid),
    /^8\.2 is a minor version, and only 7\.2, 8\.0 are allowed: the upgrade policy of cluster rec is "major": kubectl patch rec rec /,
  );
  const already = await raw("POST", `/v1/bdbs/${plain.uid}/upgrade`, {});
  assert.deepEqual([already.status, JSON.parse(already.text).redis_version], [200, "8.0"]);
  await policy("latest");
  const own = await cluster.create({ name: "own", memory_size: 10_000_000, redis_upgrade_policy: "major" });
  assert.equal(own.redis_version, "8.0");
  const refusal =
    /the upgrade policy of database "own" is "major": kubectl patch redb own .*; or where it has no object: curl -X PUT .*\/v1\/bdbs\/\d+/;
  assert.match(await upgrade(own.uid), refusal);
  await cluster.client.call("updateBdb", { params: { uid: own.uid }, body: { redis_upgrade_policy: "latest" } });
  for (const { uid } of [plain, own]) {
    await until(
      "it is settled",
      async () => (await cluster.client.call("bdb", { params: { uid } })).status === "active",
    );
    const answer = await raw("POST", `/v1/bdbs/${uid}/upgrade`, {});
    assert.equal(answer.status, 200, answer.text);
    const isRaised = async (): Promise<boolean> =>
      (await cluster.client.call("bdb", { params: { uid } })).redis_version === "8.2";
    await until("the newest version is the default again", isRaised, { withinMs: 30_000 });
    await cluster.client.call("deleteBdb", { params: { uid } });
  }
  await until("they are gone", async () => (await cluster.client.call("bdbs")).length === 1, { everyMs: 25 });
});

await test("a change while another one runs is refused as busy", async () => {
  const upgraded = await raw("POST", "/v1/bdbs/1/upgrade", { store_version: "8.0" });
  assert.equal(upgraded.status, 200, upgraded.text);
  const [changed, again] = await Promise.all([
    raw("PUT", "/v1/bdbs/1", { eviction_policy: "volatile-ttl" }),
    raw("POST", "/v1/bdbs/1/upgrade", { store_version: "8.2" }),
  ]);
  for (const answer of [changed, again]) {
    assert.deepEqual([answer.status, JSON.parse(answer.text).error_code], [409, "busy"]);
    assert.match(JSON.parse(answer.text).description, /upgrade_bdb runs/);
  }
  await until(
    "it is active",
    async () => (await cluster.client.call("bdb", { params: { uid: 1 } })).status === "active",
  );
});

await test("the client goes on to the next address when one refuses", async () => {
  const client = clientWith({ addresses: () => ["127.1.1.1", cluster.address(1)] });
  assert.equal((await client.call("nodes")).length, 1);
  await client.close();
});

await test("the client trusts no other name and no other authority", async () => {
  const client = clientWith({ serverName: "other.default.svc.cluster.local" });
  await assert.rejects(client.call("nodes"), isCode("MANAGEMENT_UNREACHABLE"));
  await client.close();
});

await test("the client distinguishes refusals by their code", async () => {
  const wrong = clientWith({ password: "wrong" });
  await assert.rejects(wrong.call("nodes"), isCode("MANAGEMENT_UNAUTHORIZED"));
  await wrong.close();
  await assert.rejects(cluster.client.call("bdb", { params: { uid: 99 } }), isCode("MANAGEMENT_NOT_FOUND"));
  await assert.rejects(
    cluster.client.call("createBdb", { body: { ...good, name: "first" } }),
    isCode("MANAGEMENT_CONFLICT"),
  );
  await assert.rejects(
    cluster.client.call("createBdb", { body: { ...good, shards_count: 2, sharding: false } }),
    (error) => {
      assert.ok(error instanceof Fault);
      assert.equal(error.code, "MANAGEMENT_REFUSED");
      assert.equal(error.details.error_code, "invalid_sharding");
      return true;
    },
  );
});

await test("a renewed certificate is served without a restart", async () => {
  const before = await fingerprint();
  const { "tls.crt": certificate, "tls.key": key } = cluster.newNodeTls();
  writeFileSync(join(cluster.root(1), NODE_PATHS.tls, "tls.crt"), certificate);
  writeFileSync(join(cluster.root(1), NODE_PATHS.tls, "tls.key"), key);
  await until("the new certificate is served", async () => (await fingerprint()) !== before, { everyMs: 100 });
  assert.equal((await cluster.client.call("nodes")).length, 1);
});

function raw(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = { authorization: ADMIN },
): Promise<HttpAnswer> {
  return sendHttp(cluster, { method, path, body, headers });
}

function clientWith(over: Partial<ManagementClientOptions>) {
  return managementClient({
    addresses: () => [cluster.address(1)],
    port: PORTS.management,
    serverName,
    ca: cluster.ca,
    username: "admin@test",
    password: "test-password",
    timeoutMs: 5_000,
    ...over,
  });
}

function isCode(code: string): (error: unknown) => boolean {
  return (error) => error instanceof Fault && error.code === code;
}

function fingerprint(): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(
      { host: cluster.address(1), port: PORTS.management, servername: serverName, ca: cluster.ca },
      () => {
        resolve(socket.getPeerCertificate().fingerprint256);
        socket.destroy();
      },
    );
    socket.on("error", reject);
  });
}
