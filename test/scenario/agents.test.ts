import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { BdbRecord } from "../../src/management/records.ts";
import { startTestCluster } from "../kit/cluster.ts";
import type { TestCluster } from "../kit/cluster.ts";
import { startLedger } from "../kit/load-ledger.ts";
import type { Ledger, LedgerReport } from "../kit/load-ledger.ts";
import { startService } from "../kit/service.ts";
import type { TestService } from "../kit/service.ts";
import { until } from "../kit/until.ts";

const PASSWORD = "s3cret";
const PATIENCE = { withinMs: 30_000, everyMs: 25 };

let cluster: TestCluster;
before(async () => {
  cluster = await startTestCluster();
});
after(() => cluster[Symbol.asyncDispose]());

test("a node is left and taken back under load: no failed request, no lost write, leadership moves too", async () => {
  await using world = await startLoadedDatabase("left");
  const { node_uid: node } = primaryOf(await world.read());
  await moveLeadershipTo(node);
  await call("maintenanceOn", node);
  await call("maintenanceOn", node);
  await until(
    "the node is left",
    async () => (await actionOf(node, "maintenance_on")).status === "completed",
    PATIENCE,
  );
  assert.notEqual(primaryOf(await world.read()).node_uid, node);
  assert.notEqual(await cluster.leader(), node);
  const left = await cluster.client.call("node", { params: { uid: node } });
  assert.deepEqual([left.maintenance, left.accepts_clients, left.status], [true, false, "active"]);

  await call("maintenanceOff", node);
  await until("the node takes clients again", () => isInService(node), PATIENCE);
  assertNothingFailed(await world.finish());
});

test("a database moves to a newer version under load: no failed request, no lost write", async () => {
  await using world = await startLoadedDatabase("newer");
  const { action_uid } = await cluster.client.call("upgradeBdb", {
    params: { uid: world.uid },
    body: { store_version: "8.0" },
  });
  await until("the upgrade is over", async () => (await world.read()).redis_version === "8.0", PATIENCE);
  const end = await world.read();
  assert.equal(end.status, "active");
  assert.deepEqual(
    end.shard_list.map(({ redis_version, in_sync }) => [redis_version, in_sync]),
    [
      ["8.0", true],
      ["8.0", true],
    ],
  );
  const action = await cluster.client.call("action", { params: { uid: action_uid } });
  assert.deepEqual([action.status, action.progress], ["completed", 100]);
  assertNothingFailed(await world.finish());
});

test("the leader is killed in the middle of an upgrade: another one finishes it", async () => {
  await using world = await startLoadedDatabase("orphan");
  const leader = await cluster.leader();
  world.avoid(leader);
  await call("maintenanceOn", leader);
  await call("maintenanceOff", leader);
  await until("a leader without clients", () => isInService(leader), PATIENCE);
  await world.settled();
  const victim = await cluster.leader();
  await cluster.client.call("upgradeBdb", { params: { uid: world.uid }, body: { store_version: "8.0" } });
  await until("it has begun", async () => (await world.read()).shard_list.length > 2, { ...PATIENCE, everyMs: 2 });
  await cluster.kill(victim);
  await cluster.start(victim);
  await until("the upgrade is over", async () => (await world.read()).redis_version === "8.0", PATIENCE);
  const { lost } = await world.finish();
  assert.equal(lost, 0);
});

test("a primary's engine is killed: a replica serves, the engine is back as replica, what may be lost is told", async () => {
  await using world = await startLoadedDatabase("crash");
  const before = await world.read();
  await until("what was written has been copied", async () => primaryOf(await world.read()).offset > 0, PATIENCE);
  const instance = primaryOf(before);
  process.kill(await cluster.enginePid(instance.node_uid, world.uid, instance.uid), "SIGKILL");
  await until("another one serves", async () => (await world.read()).epoch > before.epoch, PATIENCE);
  await world.settled();
  const healed = await world.read();
  assert.notEqual(primaryOf(healed).uid, instance.uid);
  assert.equal(healed.loss_reports.length, 1);
  assert.match(healed.loss_reports[0] ?? "", /node \d took over "crash"/);
});

test("an agent that is told to stop leaves first; when it is back the node is in service again", async () => {
  await using world = await startLoadedDatabase("stopped");
  const { node_uid: node } = primaryOf(await world.read());
  await cluster.stop(node);
  assert.notEqual(primaryOf(await world.read()).node_uid, node);
  await cluster.start(node);
  await until("the node is in service", () => isInService(node), PATIENCE);
  await world.settled();
  assertNothingFailed(await world.finish());
});

test("a database without replica moves by a surge replica, and is deleted with its data", async () => {
  const { uid } = await cluster.create({ name: "single", memory_size: 20_000_000, redis_version: "7.2" });
  await cluster.client.call("upgradeBdb", { params: { uid }, body: { store_version: "8.0" } });
  const read = (): Promise<BdbRecord> => cluster.client.call("bdb", { params: { uid } });
  await until("the upgrade is over", async () => (await read()).redis_version === "8.0", PATIENCE);
  assert.equal((await read()).shard_list.length, 1);
  const { action_uid } = await cluster.client.call("deleteBdb", { params: { uid } });
  await until("it is gone", async () => !(await cluster.client.call("bdbs")).some((bdb) => bdb.uid === uid), PATIENCE);
  const action = await cluster.client.call("action", { params: { uid: action_uid } });
  assert.equal(action.status, "completed");
});

interface LoadedDatabase extends AsyncDisposable {
  readonly uid: number;
  read(): Promise<BdbRecord>;
  /** New clients are not sent to this node. */
  avoid(node: number): void;
  /** Waits until it is active and every replica is in sync. */
  settled(): Promise<void>;
  finish(): Promise<LedgerReport>;
}

async function startLoadedDatabase(name: string): Promise<LoadedDatabase> {
  const created = await cluster.create({
    name,
    memory_size: 50_000_000,
    replication: true,
    redis_version: "7.2",
    authentication_redis_pass: PASSWORD,
  });
  const { uid } = created;
  let avoided = 0;
  const targets = async (): Promise<readonly string[]> =>
    (await cluster.client.call("nodes"))
      .filter((node) => node.accepts_clients && !node.maintenance && node.uid !== avoided)
      .map(({ addr }) => addr);
  const service: TestService = await startService(created.port, targets);
  const ledger: Ledger = await startLedger({
    host: service.host,
    port: service.port,
    password: PASSWORD,
    connections: 12,
    pauseMs: 2,
  });
  let report: Promise<LedgerReport> | undefined;
  const finish = (): Promise<LedgerReport> => (report ??= ledger.stop());
  const read = (): Promise<BdbRecord> => cluster.client.call("bdb", { params: { uid } });
  return {
    uid,
    read,
    finish,
    avoid: (node) => {
      avoided = node;
    },
    settled: () =>
      until(
        `${name} is whole`,
        async () => {
          const { status, shard_list } = await read();
          return status === "active" && shard_list.length === 2 && shard_list.every(({ in_sync }) => in_sync);
        },
        PATIENCE,
      ),
    async [Symbol.asyncDispose]() {
      await finish();
      await service[Symbol.asyncDispose]();
      await cluster.client.call("deleteBdb", { params: { uid } });
    },
  };
}

function primaryOf({ shard_list }: BdbRecord) {
  const found = shard_list.find(({ role }) => role === "primary");
  assert.ok(found);
  return found;
}

async function moveLeadershipTo(node: number): Promise<void> {
  for (const other of [1, 2, 3].filter((uid) => uid !== node)) {
    if ((await cluster.leader()) === node) return;
    await call("maintenanceOn", other);
    await until("left", async () => (await actionOf(other, "maintenance_on")).status === "completed", PATIENCE);
  }
  for (const other of [1, 2, 3]) await call("maintenanceOff", other);
  await until("all in service", async () => (await Promise.all([1, 2, 3].map(isInService))).every(Boolean), PATIENCE);
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

function assertNothingFailed({ failed, lost, requests, complaints }: LedgerReport): void {
  assert.ok(requests > 0);
  assert.deepEqual({ failed, lost, complaints }, { failed: 0, lost: 0, complaints: [] });
}
