import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { RawClient } from "../kit/engines/raw-client.ts";
import { parseExposition, valueOf } from "../kit/metrics/parse-exposition.ts";
import { messageOf } from "#kit/base/fault";
import { until } from "#kit/testing/until";
import { startTestCluster } from "../kit/world/cluster.ts";
import { basic, sendHttp } from "../kit/world/http.ts";
import { PublicClient, type Described } from "./public-client.ts";

const PATIENCE = { withinMs: 30_000, everyMs: 50 };

/** Operations of such APIs that this one does not have, and methods that a path does not have. */
const NOT_OFFERED: readonly (readonly [string, string, RegExp])[] = [
  ["PUT", "/v1/bdbs/1/actions/rebalance", /^404 not_offered/],
  ["POST", "/v1/shards/1/actions/failover", /^404 not_offered: .*maintenance_on/],
  ["GET", "/v1/cluster/check", /^404 not_offered: .*storectl preflight/],
  ["POST", "/v1/bdbs?dry_run=1", /^404 not_offered: the parameter dry_run/],
  ["DELETE", "/v1/roles/1", /^405 method_not_allowed/],
  ["PUT", "/v1/shards", /^405 method_not_allowed: .*GET, HEAD/],
];

await using cluster = await startTestCluster({ nodes: 2, release: "8.2.0-12" });
const client = new PublicClient(async (method, path, body) => {
  const headers = { authorization: basic("admin@test", "test-password") };
  const { status = 0, text } = await sendHttp(cluster, { method, path, body, headers });
  return { status, body: JSON.parse(text) };
});
const plain = { type: "redis", sharding: false, shards_count: 1, oss_cluster: false, proxy_policy: "all-nodes" };
const wanted = { ...plain, name: "shop", memory_size: 20_000_000, replication: true, default_user: true };
const made = await client.change("POST", "/v1/bdbs", wanted);
const database = `/v1/bdbs/${text(made["uid"])}`;
let seen: Described = {};
const isActive = async (): Promise<boolean> => (seen = await client.get(database))["status"] === "active";
await until("the database is active", isActive, PATIENCE).catch((error: unknown) => {
  const logs = [1, 2].map((node) => cluster.log(node).slice(-3_000)).join("\n");
  throw new Error(`${messageOf(error)}: ${JSON.stringify(seen)}\n${logs}`, { cause: error });
});

await test("databases are listed and changed, and an action says when a change is over", async () => {
  assert.deepEqual(
    (await client.list("/v1/bdbs?fields=uid,name")).map((bdb) => bdb),
    [{ uid: made["uid"], name: "shop" }],
  );
  const kept = { data_persistence: "aof", aof_policy: "appendfsync-always" };
  const changed = await client.change("PUT", database, { type: "redis", eviction_policy: "noeviction", ...kept });
  assert.equal(changed["status"], "active-change-pending");
  const action = `/v1/actions/${text(changed["action_uid"])}`;
  await until("it is done", async () => (await client.get(action))["status"] === "completed", PATIENCE);
  const { eviction_policy, data_persistence } = await client.get(database);
  assert.deepEqual([eviction_policy, data_persistence], ["noeviction", "aofAlways"]);
  assert.match(await client.refused("PUT", database, { rack_aware: true }), /^400 .*rack_aware: is always false here/);
  for (const path of ["/v1/actions", "/v2/actions", `/v1/actions/bdb/${text(made["uid"])}`])
    assert.ok((await client.list(path)).some(({ action_uid }) => action_uid === changed["action_uid"]));
  assert.equal((await client.get(`${database}/actions/update_bdb`))["action_uid"], changed["action_uid"]);
});

await test("shards are objects of their own, named by the databases and nodes that have them", async () => {
  let shards: readonly Described[] = [];
  const areFine = async (): Promise<boolean> =>
    (shards = await client.list("/v1/shards")).every((one) => one["detailed_status"] === "ok");
  await until("the shards are fine after the change", areFine, PATIENCE);
  assert.deepEqual(shards.map(({ role }) => role).toSorted(), ["master", "slave"]);
  const uids = shards.map(({ uid }) => Number(uid)).toSorted();
  assert.deepEqual(numbers(await client.get(database), "shard_list"), uids);
  assert.deepEqual(await client.list(`${database}/shards`), shards);
  const onNodes = (await client.list("/v1/nodes")).flatMap((node) => numbers(node, "shard_list"));
  assert.deepEqual(onNodes.toSorted(), uids);
  for (const { uid, bdb_uid, node_uid, status, detailed_status } of shards) {
    assert.deepEqual([bdb_uid, status, detailed_status], [made["uid"], "active", "ok"]);
    assert.equal((await client.get(`/v1/shards/${text(uid)}`))["node_uid"], node_uid);
  }
  assert.match(await client.refused("GET", "/v1/shards/999"), /^404 shard_not_exist: there is no shard 999/);
});

await test("nodes, proxies, endpoints and modules are listed, and one of each by its uid", async () => {
  for (const path of ["/v1/nodes", "/v1/proxies", "/v1/endpoints", "/v1/roles", "/v1/redis_acls", "/v1/users"]) {
    const all = await client.list(path);
    assert.ok(all.length > 0, path);
    for (const one of all) assert.deepEqual((await client.get(`${path}/${text(one["uid"])}`))["uid"], one["uid"]);
  }
  for (const { uid } of await client.list("/v1/modules")) await client.get(`/v1/modules/${text(uid)}`);
  const [endpoint] = await client.list(`${database}/endpoints`);
  assert.deepEqual([endpoint?.["port"], endpoint?.["bdb_uid"]], [made["port"], made["uid"]]);
});

await test("users are added, changed and removed, and their roles are in the list of roles", async () => {
  const body = { email: "a@example.org", password: "correct horse", role: "db_viewer", name: "A" };
  const user = await client.change("POST", "/v1/users", body);
  const path = `/v1/users/${text(user["uid"])}`;
  await client.change("PUT", path, { role: "db_member" });
  const roles = await client.list("/v1/roles");
  const own = roles.find(({ uid }) => numbers(user, "role_uids").includes(Number(uid)));
  assert.equal(own?.["management"], "db_viewer");
  assert.equal((await client.get(path))["role"], "db_member");
  await client.change("DELETE", path);
  assert.match(await client.refused("GET", path), /^404 user_not_exist/);
});

await test("availability is that of the primary and of the node that is asked", async () => {
  const local = `/v1/local${database.slice(3)}/endpoint/availability`;
  for (const path of [`${database}/availability`, local]) await client.get(path);
  assert.match(await client.refused("GET", `${local}?extend_check=lag`), /^404 not_offered: extend_check/);
  assert.match(await client.refused("GET", "/v1/bdbs/9/availability"), /^404 db_not_exist/);
  await client.change("POST", "/v1/nodes/1/actions/maintenance_on");
  await until("node 1 is left", async () => (await client.refused("GET", local)).startsWith("503 "), PATIENCE);
  assert.match(
    await client.refused("GET", local),
    /db_unavailable: "shop" is not available: node 1 accepts no clients/,
  );
  await client.get(`${database}/availability`);
  assert.ok(["active", "inactive"].includes(text((await client.get("/v1/local/node/master_healthcheck"))["status"])));
  await client.change("POST", "/v1/nodes/1/actions/maintenance_off");
  await until("node 1 is back", async () => (await client.refused("GET", local)).startsWith("200 "), PATIENCE);
});

await test("stats are what engines and proxies count", async () => {
  const port = Number(made["port"]);
  const connections = await Promise.all([1, 2].map((node) => RawClient.connect({ host: cluster.address(node), port })));
  for (const [index, connection] of connections.entries())
    assert.equal(await connection.ask("SET", `k${index}`, "v"), "OK");
  const last = `/v1/bdbs/stats/last/${text(made["uid"])}`;
  let stats: Described = {};
  // engines are asked again and again, not at each request
  const counts = async (): Promise<boolean> =>
    (stats = (await client.get(last))[text(made["uid"])] as Described)["no_of_keys"] === 2 && stats["conns"] === 2;
  await until("both keys and both connections are counted", counts, PATIENCE);
  assert.ok(Number(stats["used_memory"]) > 0);
  const countsAll = async () => (await client.get("/v1/cluster/stats/last"))["conns"] === 2;
  await until("the cluster has counted the connections too", countsAll, PATIENCE);
  assert.equal((await client.list("/v1/shards/stats")).length, 2);
  for (const kind of ["nodes", "bdbs", "shards"]) {
    for (const { uid } of await client.list(`/v1/${kind}/stats`)) {
      assert.equal((await client.get(`/v1/${kind}/stats/${text(uid)}`))["uid"], uid);
      assert.ok(text(uid) in (await client.get(`/v1/${kind}/stats/last`)));
    }
    assert.match(await client.refused("GET", `/v1/${kind}/stats/99`), /^404 /);
  }
  assert.match(await client.refused("GET", "/v1/cluster/stats?interval=1hour"), /^404 not_offered: .*no history/);
  for (const connection of connections) connection.close();
});

await test("the address of a database leads to the nodes that its policy names", async () => {
  const nodesOfPrimary = async (): Promise<readonly unknown[]> =>
    (await cluster.shards(Number(made["uid"]))).filter(({ role }) => role === "master").map(({ node_uid }) => node_uid);
  const leadsTo = async (policy: string, nodes: () => Promise<readonly unknown[]>): Promise<void> => {
    await until("changes are accepted", isActive, PATIENCE);
    await client.change("PUT", database, { proxy_policy: policy });
    // a primary may be on its way back from the tests before
    const isSo = async (): Promise<boolean> => {
      const [endpoint] = await client.list(`${database}/endpoints`);
      const addresses = (await nodes()).map((node) => cluster.address(Number(node)));
      return endpoint?.["proxy_policy"] === policy && isDeepStrictEqual(endpoint["addr"], addresses);
    };
    await until(`the address follows ${policy}`, isSo, PATIENCE);
  };
  await leadsTo("single", nodesOfPrimary);
  await leadsTo("all-master-shards", nodesOfPrimary);
  await leadsTo("all-nodes", () => Promise.resolve([1, 2]));
});

await test("a node shows Prometheus what it counts and measures, to who may see measurements", async () => {
  const scrape = (node: number, name: string) =>
    sendHttp(cluster, {
      method: "GET",
      path: "/metrics",
      node,
      headers: { authorization: basic(name, "a-password-1") },
    });
  for (const role of ["db_viewer", "none"])
    await client.change("POST", "/v1/users", { email: `${role}@test.example`, password: "a-password-1", role });
  assert.equal((await sendHttp(cluster, { method: "GET", path: "/metrics" })).status, 401);
  assert.equal((await scrape(1, "none@test.example")).status, 403);
  const own = { bdb: text(made["uid"]), database: "shop" };
  const look = async () => {
    const last = (await client.get("/v1/nodes/stats/last"))["2"] as Described;
    const { headers, text: page } = await scrape(2, "db_viewer@test.example");
    return { stats: last, headers, page, all: parseExposition(page) };
  };
  let seen = await look();
  const agree = async (): Promise<boolean> => {
    const { all, stats } = (seen = await look());
    return valueOf(all, "store_endpoint_requests_total", own) === stats["requests_total"];
  };
  await until("both have counted all requests", agree, PATIENCE);
  const { stats, headers, page, all } = seen;
  assert.match(String(headers["content-type"]), /^text\/plain; version=0\.0\.4/);
  assert.doesNotMatch(page, /password|BEGIN|\d+\.\d+\.\d+\.\d+/);
  assert.equal(valueOf(all, "store_proxy_up"), 1);
  const requests = valueOf(all, "store_endpoint_requests_total", own);
  assert.ok(requests > 0);
  assert.equal(requests, stats["requests_total"]);
  assert.equal(valueOf(all, "store_endpoint_received_bytes_total", own), stats["ingress_bytes_total"]);
  // node 1 was in maintenance
  assert.ok(valueOf(all, "store_endpoint_moves_total", { ...own, kind: "switchover" }) > 0);
  assert.ok(valueOf(all, "store_endpoint_hold_seconds_count", { ...own, cause: "switchover" }) > 0);
  assert.ok(valueOf(all, "store_endpoint_hold_seconds_sum", { ...own, cause: "switchover" }) > 0);
  assert.ok(valueOf(all, "store_shard_memory_bytes", own) > 0);
  assert.equal(valueOf(all, "store_shard_limit_bytes", own), 20_000_000);
});

await test("events are those that the records hold, ordered and counted as asked for", async () => {
  const all = await client.list("/v1/logs");
  assert.ok(all.some(({ type, name }) => type === "bdb_created" && name === "shop"));
  assert.deepEqual(await client.list("/v1/logs?order=desc&limit=1"), all.slice(-1));
  assert.deepEqual(await client.list("/v1/logs?etime=2001-01-01T00:00:00Z"), []);
  assert.match(await client.refused("GET", "/v1/logs?stime=x"), /^400 bad_request: stime/);
});

await test("the API describes itself, and what it does not have is refused as that", async () => {
  const document = await client.get("/v1/openapi.json");
  assert.equal(document["openapi"], "3.1.0");
  assert.ok(Object.keys(document["paths"] as object).includes("/v1/bdbs/{uid}/shards"));
  assert.deepEqual(Object.keys((await client.get("/v1/jsonschema?object=bdb"))["properties"] as object).slice(0, 2), [
    "uid",
    "name",
  ]);
  for (const [method, path, says] of NOT_OFFERED)
    assert.match(await client.refused(method, path, ["POST", "PUT"].includes(method) ? {} : undefined), says);
});

function text(value: unknown): string {
  return String(value);
}

function numbers(object: Described, member: string): readonly number[] {
  const list = object[member];
  assert.ok(Array.isArray(list), `${member} is no list`);
  return list.map(Number).toSorted();
}
