import assert from "node:assert/strict";
import { test } from "node:test";
import { startClients } from "../../src/programs/demo/load/clients.ts";
import type { LoadResult } from "../../src/programs/demo/load/clients.ts";
import type { BdbRecord, ShardInstanceRecord } from "../../src/ports/management/records.ts";
import { startTestCluster } from "../kit/world/cluster.ts";
import { nodeOf, primaryOf } from "../kit/world/shards.ts";
import { startService } from "../kit/engines/service.ts";
import type { TestService } from "../kit/engines/service.ts";
import { callEngine } from "../../src/ports/resp/engine-client.ts";
import { until } from "#kit/testing/until";

const PASSWORD = "s3cret";
const PATIENCE = { withinMs: 30_000, everyMs: 25 };
const CONNECTIONS = 12;
const NO_LOSS = { lostWrites: 0, incrementDrift: 0, staleReads: 0 };

await using cluster = await startTestCluster();

await test("a node goes into maintenance and back under load: no failed request, no lost write", async () => {
  await using world = await startLoadedDatabase("left");
  const node = nodeOf(primaryOf(await world.shards()));
  await leave(node);
  await hasLeft(world, node);
  // a node says in its next report that it takes no clients
  const isShown = async (): Promise<boolean> => {
    const left = await cluster.client.call("node", { params: { uid: node } });
    return left.maintenance && !left.accepts_clients && left.status === "active";
  };
  await until("it is shown", isShown, PATIENCE);
  await takeBack(node);
  assertNothingFailed(await world.finish());
});

await test("leadership leaves with its node, and a second request has no effect", async () => {
  const leader = await cluster.leader();
  const first = await call("maintenanceOn", leader);
  const second = await call("maintenanceOn", leader);
  assert.equal(first.action_uid, second.action_uid);
  await leave(leader);
  await until("another node leads", async () => ![0, leader].includes(await cluster.leader()), PATIENCE);
  await takeBack(leader);
});

await test("a database moves to a newer version under load: no failed request, no lost write", async () => {
  await using world = await startLoadedDatabase("newer");
  const { action_uid } = await cluster.client.call("upgradeBdb", {
    params: { uid: world.uid },
    body: { store_version: "8.0" },
  });
  await until("the upgrade is over", async () => (await world.read()).redis_version === "8.0", PATIENCE);
  await world.settled();
  assert.deepEqual(
    (await world.shards()).map(({ redis_version }) => redis_version),
    ["8.0", "8.0"],
  );
  await completed(action_uid);
  assert.equal((await cluster.client.call("action", { params: { uid: action_uid } })).progress, 100);
  assertNothingFailed(await world.finish());
});

await test("the leader is killed in the middle of an upgrade: another one finishes it", async () => {
  await using world = await startLoadedDatabase("orphan");
  const leader = await cluster.leader();
  await cluster.client.call("upgradeBdb", { params: { uid: world.uid }, body: { store_version: "8.0" } });
  await until("it has begun", async () => (await world.read()).shard_list.length > 2, { ...PATIENCE, everyMs: 2 });
  await cluster.kill(leader);
  await cluster.start(leader);
  await until("the upgrade is over", async () => (await world.read()).redis_version === "8.0", PATIENCE);
  await world.settled();
  assert.equal((await world.finish()).ledger.lostWrites, 0);
});

await test("a primary's engine is killed: a replica serves, the engine is back as replica, what may be lost is reported", async () => {
  await using world = await startLoadedDatabase("crash");
  const before = await world.read();
  await until("what was written has been copied", async () => primaryOf(await world.shards()).offset > 0, PATIENCE);
  const primary = primaryOf(await world.shards());
  process.kill(await cluster.enginePid(primary), "SIGKILL");
  await until("another one serves", async () => (await world.read()).epoch > before.epoch, PATIENCE);
  await world.settled();
  const healed = await world.read();
  assert.notEqual(primaryOf(await world.shards()).uid, primary.uid);
  assert.equal(healed.loss_reports.length, 1);
  assert.match(healed.loss_reports[0] ?? "", /node \d took over "crash"/);
});

await test("the primary is killed while the node of its replica is away: a stand-in serves, and has all but what was on its way", async () => {
  await using world = await startLoadedDatabase("twice", 20);
  const away = (await world.shards()).filter(({ role }) => role === "slave").map(nodeOf)[0] ?? 0;
  await leave(away);
  await cluster.kill(away);
  const alone = await world.read();
  const isWhole = async (): Promise<boolean> => {
    const shards = await world.shards();
    return shards.length === 2 && shards.every((shard) => shard.in_sync && nodeOf(shard) !== away);
  };
  await until("the stand-in has all", isWhole, PATIENCE);
  process.kill(await cluster.enginePid(primaryOf(await world.shards())), "SIGKILL");
  await until("the stand-in serves", async () => (await world.read()).epoch > alone.epoch, PATIENCE);
  await cluster.start(away);
  await takeBack(away);
  await world.settled();
  const { ledger } = await world.finish();
  assert.ok(ledger.acknowledgedWrites > 0);
  // an engine that is killed between its answers and its replicas takes at most one write of each client with it
  assert.ok(ledger.lostWrites <= CONNECTIONS, `${ledger.lostWrites} acknowledged writes are lost`);
});

await test("an agent that gets SIGTERM leaves first; when it is back the node is in service again", async () => {
  await using world = await startLoadedDatabase("stopped");
  const node = nodeOf(primaryOf(await world.shards()));
  await cluster.stop(node);
  await hasLeft(world, node);
  await cluster.start(node);
  await until("the node is in service", () => isInService(node), PATIENCE);
  await world.settled();
  assertNothingFailed(await world.finish());
});

await test("a database without replica moves by a surge replica, and is deleted with its data", async () => {
  const { uid } = await cluster.create({ name: "single", memory_size: 20_000_000, redis_version: "7.2" });
  await cluster.client.call("upgradeBdb", { params: { uid }, body: { store_version: "8.0" } });
  const read = (): Promise<BdbRecord> => cluster.client.call("bdb", { params: { uid } });
  await until("the upgrade is over", async () => (await read()).redis_version === "8.0", PATIENCE);
  await until("the former one is gone", async () => (await read()).shard_list.length === 1, PATIENCE);
  const { action_uid } = await cluster.client.call("deleteBdb", { params: { uid } });
  await until("it is gone", async () => !(await cluster.client.call("bdbs")).some((bdb) => bdb.uid === uid), PATIENCE);
  await completed(action_uid);
});

await test("the password changes under load: sessions stay, both are taken for a while, and then every engine has the new one", async () => {
  await using world = await startLoadedDatabase("secret");
  await cluster.client.call("updateBdb", { params: { uid: world.uid }, body: { authentication_redis_pass: "n3w" } });
  await world.settled();
  const { port } = await world.read();
  const at = (host: string, port: number, password: string) =>
    callEngine({ host, port, password, timeoutMs: 2_000 }, "PING");
  for (const node of [1, 2, 3]) {
    await until(
      "the endpoint takes it",
      () =>
        at(cluster.address(node), port, "n3w").then(
          () => true,
          () => false,
        ),
      PATIENCE,
    );
    assert.equal(await at(cluster.address(node), port, PASSWORD), "PONG", "who has not learnt it yet comes in");
  }
  const moved = nodeOf(primaryOf(await world.shards()));
  await leave(moved);
  await takeBack(moved);
  await world.settled();
  assertNothingFailed(await world.finish());
});

interface LoadedDatabase extends AsyncDisposable {
  readonly uid: number;
  read(): Promise<BdbRecord>;
  shards(): Promise<readonly ShardInstanceRecord[]>;
  /** Waits until it is active and every replica is in sync. */
  settled(): Promise<void>;
  finish(): Promise<LoadResult>;
}

async function startLoadedDatabase(name: string, gapMs = 2): Promise<LoadedDatabase> {
  const created = await cluster.create({
    name,
    memory_size: 50_000_000,
    replication: true,
    redis_version: "7.2",
    authentication_redis_pass: PASSWORD,
  });
  const { uid } = created;
  const targets = async (): Promise<readonly string[]> =>
    (await cluster.client.call("nodes"))
      .filter((node) => node.accepts_clients && !node.maintenance)
      .map(({ addr }) => addr);
  const service: TestService = await startService(created.port, targets);
  const { host, port } = service;
  const load = await startClients({ host, port, password: PASSWORD, connections: CONNECTIONS, gapMs });
  let report: Promise<LoadResult> | undefined;
  const finish = (): Promise<LoadResult> => (report ??= load.finish());
  const read = (): Promise<BdbRecord> => cluster.client.call("bdb", { params: { uid } });
  const shards = () => cluster.shards(uid);
  return {
    uid,
    read,
    shards,
    finish,
    settled: () =>
      until(
        `${name} is whole`,
        async () => {
          const all = await shards();
          return (await read()).status === "active" && all.length === 2 && all.every(({ in_sync }) => in_sync);
        },
        PATIENCE,
      ),
    async [Symbol.asyncDispose]() {
      if (report === undefined) load.abort(); // the test has failed
      await service[Symbol.asyncDispose]();
      await cluster.client.call("deleteBdb", { params: { uid } });
    },
  };
}

async function leave(node: number): Promise<void> {
  await call("maintenanceOn", node);
  await until(
    "the node is left",
    async () => (await actionOf(node, "maintenance_on")).status === "completed",
    PATIENCE,
  );
}

/** What one node knows of a move another one may read a moment later. */
async function hasLeft({ shards }: LoadedDatabase, node: number): Promise<void> {
  await until("the primary is elsewhere", async () => nodeOf(primaryOf(await shards())) !== node, PATIENCE);
}

async function completed(action: string): Promise<void> {
  const isCompleted = async (): Promise<boolean> =>
    (await cluster.client.call("action", { params: { uid: action } })).status === "completed";
  await until("the action is completed", isCompleted, PATIENCE);
}

async function takeBack(node: number): Promise<void> {
  await call("maintenanceOff", node);
  await until("the node takes clients again", () => isInService(node), PATIENCE);
}

async function call(route: "maintenanceOn" | "maintenanceOff", node: number) {
  const params = { uid: node };
  return route === "maintenanceOn"
    ? cluster.client.call(route, { params, body: { demote_node: true } })
    : cluster.client.call(route, { params });
}

function actionOf(node: number, action: string) {
  return cluster.client.call("nodeAction", { params: { uid: node, action } });
}

async function isInService(node: number): Promise<boolean> {
  const { status, maintenance, accepts_clients } = await cluster.client.call("node", { params: { uid: node } });
  return status === "active" && !maintenance && accepts_clients;
}

function assertNothingFailed({ phases, ledger, failures }: LoadResult): void {
  const failed = phases.reduce((sum, phase) => sum + phase.failed, 0);
  assert.ok(ledger.acknowledgedWrites > 0);
  assert.deepEqual({ failed, ...lossesOf(ledger) }, { failed: 0, ...NO_LOSS }, failures.join("; "));
}

function lossesOf({ lostWrites, incrementDrift, staleReads }: LoadResult["ledger"]): typeof NO_LOSS {
  return { lostWrites, incrementDrift, staleReads };
}
