import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "@redis/client";
import { Redis } from "ioredis";
import { RawClient } from "../kit/engines/raw-client.ts";
import { assertWithin } from "#kit/testing/assert-within";
import { until } from "#kit/testing/until";
import { startTestCluster } from "../kit/world/cluster.ts";
import { nodeOf, primaryOf } from "../kit/world/shards.ts";

const PATIENCE = { withinMs: 30_000, everyMs: 50 };
const EVENTS = "notify-keyspace-events";

await using cluster = await startTestCluster();
const { uid, port } = await cluster.create({
  name: "listens",
  memory_size: 50_000_000,
  replication: true,
  redis_version: "7.2",
  engine_parameters: "slowlog-max-len=9",
});
const params = { uid };
const at = (node: number): { readonly host: string; readonly port: number } => ({ host: cluster.address(node), port });
const read = () => cluster.client.call("bdb", { params });

await test("a stock client switches events on at its start, and gets them; others at other nodes too", async () => {
  const springs = createClient({ socket: at(1) });
  await springs.connect();
  assert.equal(await springs.configSet(EVENTS, "Ex"), "OK");
  assert.deepEqual(await springs.configGet(EVENTS), { [EVENTS]: "xE" });
  await springs.close();
  await expectExpiry(2);
  const [one, three] = [await RawClient.connect(at(1)), await RawClient.connect(at(3))];
  assert.equal(await three.ask("CONFIG", "SET", "lua-time-limit", 4000), "OK");
  assert.deepEqual(await three.ask("CONFIG", "GET", "lua-time-limit"), ["lua-time-limit", "4000"]);
  await until("every node has it", async () =>
    String(await one.ask("CONFIG", "GET", "lua-time-limit")).endsWith(",4000"),
  );
  for (const client of [one, three]) client.close();
  assert.equal((await read()).client_parameters, `lua-time-limit=4000 ${EVENTS}=xE`);
});

await test("the record is written once, whatever number of clients set the same at all nodes", async () => {
  const answers = [1, 2, 3].flatMap((node) =>
    Array.from({ length: 20 }, async () => {
      const client = await RawClient.connect(at(node));
      const answer = await client.ask("CONFIG", "SET", "slowlog-log-slower-than", "123");
      client.close();
      return answer;
    }),
  );
  const before = await revision();
  assert.deepEqual([...new Set(await Promise.all(answers))], ["OK"]);
  assert.ok((await revision()) - before <= 1);
});

await test("it stays when the primary moves, when it is killed, and at another version", async () => {
  const left = nodeOf(primaryOf(await cluster.shards(uid)));
  await cluster.client.call("maintenanceOn", { params: { uid: left }, body: {} });
  await until("the primary has moved", async () => nodeOf(primaryOf(await cluster.shards(uid))) !== left, PATIENCE);
  await expectExpiry();
  await cluster.client.call("maintenanceOff", { params: { uid: left } });
  await settled();
  const { epoch } = await read();
  process.kill(await cluster.enginePid(primaryOf(await cluster.shards(uid))), "SIGKILL");
  await until("another one serves", async () => (await read()).epoch > epoch, PATIENCE);
  await expectExpiry();
  await settled();
  await cluster.client.call("upgradeBdb", { params, body: { store_version: "8.0" } });
  await until("the upgrade is over", async () => (await read()).redis_version === "8.0", PATIENCE);
  await expectExpiry();
});

await test("it stays when the only engine of a database is killed", async () => {
  const single = await cluster.create({ name: "single", memory_size: 20_000_000 });
  using client = disposable(new Redis({ ...at(1), port: single.port }));
  assert.equal(await client.config("SET", EVENTS, "Kg"), "OK");
  const [shard] = await cluster.shards(single.uid);
  assert.ok(shard);
  const pid = await cluster.enginePid(shard);
  process.kill(pid, "SIGKILL");
  await until("another one runs", async () => (await cluster.enginePid(shard)) !== pid, PATIENCE);
  await client.get("key"); // waits until it serves
  assert.deepEqual(await client.config("GET", EVENTS), [EVENTS, "gK"]);
});

await test("the definition has the last word, and takes back what it does not name any more", async () => {
  using client = disposable(new Redis(at(1)));
  assert.deepEqual(await client.config("GET", "slowlog-max-len"), ["slowlog-max-len", "9"]);
  await assert.rejects(
    client.config("SET", "slowlog-max-len", "10"),
    /PROXY_PARAMETER_DEFINED.*kubectl edit redb listens/,
  );
  await settled();
  await cluster.client.call("updateBdb", { params, body: { engine_parameters: `${EVENTS}=KEA` } });
  const shows = async (value: string) => (await client.config("GET", EVENTS))?.toString() === `${EVENTS},${value}`;
  await until("the definition counts", () => shows("AKE"), PATIENCE);
  assert.equal(await client.config("SET", EVENTS, "KEA"), "OK");
  await settled();
  await cluster.client.call("updateBdb", { params, body: { engine_parameters: "" } });
  await until("what the client has set counts again", () => shows("xE"), PATIENCE);
  assert.equal(await client.config("SET", EVENTS, ""), "OK");
  assert.doesNotMatch((await read()).client_parameters ?? "", /notify/);
});

await test("the management API sets them as a client does, and takes no other", async () => {
  const set = (parameters: string) => cluster.client.call("setClientParameters", { params, body: { parameters } });
  assert.match((await set("notify-keyspace-events=KEA")).client_parameters, /notify-keyspace-events=AKE/);
  await assert.rejects(set("maxmemory=1"), /not `name=value` of parameters that can be set/);
  const keeps = /"parameters of clients are kept".*"notify-keyspace-events=xE"/;
  assert.match(cluster.log(1), keeps, "the log of the node has what its clients have set");
});

await test("while the Kubernetes API is away nothing is set, and a client gets the reason in time", async () => {
  const client = await RawClient.connect(at(2));
  for (const node of [1, 2, 3]) cluster.api(node).cut("drop");
  const since = performance.now();
  const answer = String(await client.ask("CONFIG", "SET", "lfu-log-factor", 20));
  assertWithin(6_000, performance.now() - since, "an answer");
  assert.match(answer, /^-ERR store: (AGENT|PROXY)_[A-Z_]+: .*lfu-log-factor/);
  assert.doesNotMatch(answer, /https:|127\./, "no address of the cluster");
  assert.deepEqual(await client.ask("CONFIG", "GET", "lfu-log-factor"), ["lfu-log-factor", "10"]);
  for (const node of [1, 2, 3]) cluster.api(node).mend();
  await until(
    "it can be set again",
    async () => (await client.ask("CONFIG", "SET", "lfu-log-factor", 20)) === "OK",
    PATIENCE,
  );
  client.close();
});

/** A key expires, and a stock client gets the event, through each of some nodes. */
async function expectExpiry(...nodes: readonly number[]): Promise<void> {
  for (const node of nodes.length === 0 ? [1, 2, 3] : nodes) {
    using listener = disposable(new Redis(at(node)));
    using client = disposable(new Redis(at(node)));
    const expired = new Promise((resolve) => listener.on("pmessage", (_pattern, _channel, key) => resolve(key)));
    await listener.psubscribe("__keyevent@*__:expired");
    await client.set("short", "1", "PX", 20);
    assert.equal(await expired, "short");
  }
}

async function settled(): Promise<void> {
  await until(
    "the database is whole",
    async () => {
      const shards = await cluster.shards(uid);
      return (await read()).status === "active" && shards.length === 2 && shards.every(({ in_sync }) => in_sync);
    },
    PATIENCE,
  );
}

/** How often what clients have set was written. */
async function revision(): Promise<number> {
  const body = { parameters: "lfu-decay-time=1" }; // its default: nothing changes
  return (await cluster.client.call("setClientParameters", { params, body })).revision;
}

function disposable(client: Redis): Redis & Disposable {
  return Object.assign(client, { [Symbol.dispose]: () => client.disconnect() });
}
