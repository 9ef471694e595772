import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { connect } from "node:tls";
import { NODE_PATHS } from "../../src/core/api/names.ts";
import { callEngine, type EngineOptions } from "../../src/ports/resp/engine-client.ts";
import type { EngineTls } from "../../src/ports/resp/engine-tls.ts";
import { listOf, textOf } from "../../src/ports/resp/reply.ts";
import { startService } from "../kit/engines/service.ts";
import { startLedger, type Ledger } from "../kit/load/load-ledger.ts";
import { steps } from "../kit/scenario/step.ts";
import { clientTls, secured } from "../kit/tls/secured-endpoint.ts";
import { startTestCluster } from "../kit/world/cluster.ts";
import { enginesOf } from "../kit/world/engine-access.ts";
import { filledDatabase, KEYS, type FilledDatabase } from "../kit/world/filled-database.ts";
import { nodeOf, primaryOf } from "../kit/world/shards.ts";
import { until } from "#kit/testing/until";

// TLS between the proxies, agents and engines of a cluster: switched on and off, and through all moves, under load.

const PATIENCE = { withinMs: 40_000, everyMs: 25 };
const NODES = [1, 2, 3];

await using cluster = await startTestCluster();

interface Scene {
  readonly database: FilledDatabase;
  readonly ledger: Ledger;
}

/** So many keys take a moment to copy, in which clients connect. */
const MANY = 400_000;

await test("a database with TLS is upgraded, moves and has its certificate renewed, and no request fails", async () => {
  const body = { name: "secure", replication: true, durability: "sync", ...secured("secure") } as const;
  await using database = await filledDatabase(cluster, body);
  await requireTls(database);
  const node = nodeOf(primaryOf(await cluster.shards(database.uid)));
  await using load = await loadOf(database, clientTls("secure"), node);
  await steps(
    { database, ledger: load.ledger },
    {
      "an upgrade goes on with TLS": upgrade,
      "so does a move of its primary to another node": (scene: Scene) => evacuate(scene, node),
      "a renewed certificate is shown without a restart": renew,
      "no request has failed, and nothing is lost": finish,
    },
  );
});

await test("the engines of a running database are given TLS, and lose it again, and no request fails meanwhile", async () => {
  await using database = await filledDatabase(cluster, { name: "turned", replication: true, memory_size: 300_000_000 });
  await populate(database);
  for (const tls_mode of ["enabled", "disabled"] as const) {
    const isOn = tls_mode === "enabled";
    const body = isOn ? secured("turned") : { tls_mode };
    await cluster.client.call("updateBdb", { params: { uid: database.uid }, body });
    const tls = isOn ? clientTls("turned") : undefined;
    await until("clients are served so", () => isServed(database, tls), PATIENCE);
    await using load = await loadOf(database, tls);
    const before = primaryOf(await cluster.shards(database.uid));
    assert.equal(before.tls === true, !isOn, "the primary has not moved yet");
    await database.active();
    await underWay(load.ledger);
    if (isOn) await requireTls(database);
    else for (const engine of await enginesOf(cluster, database.uid)) assert.equal(engine.tls, undefined);
    await finish(load);
  }
});

await test("a switch to TLS goes on where it was when the node that leads it is killed", async () => {
  await using database = await filledDatabase(cluster, { name: "killed", replication: true, durability: "sync" });
  const body = secured("killed");
  await cluster.client.call("updateBdb", { params: { uid: database.uid }, body });
  for (const many of [1, 2]) {
    const have = async (): Promise<number> =>
      (await cluster.shards(database.uid)).filter(({ tls }) => tls === true).length;
    await until(`engines with TLS: ${many}`, async () => (await have()) >= many, PATIENCE);
    const leader = await cluster.leader();
    await cluster.kill(leader);
    await cluster.start(leader);
  }
  await database.active();
  await requireTls(database);
  assert.equal(Number(await database.keys()), KEYS);
});

await test("a primary with TLS that crashes is succeeded, and no acknowledged write is lost", async () => {
  const body = { name: "crashed", replication: true, durability: "sync", ...secured("crashed") } as const;
  await using database = await filledDatabase(cluster, body);
  await database.copied();
  await using load = await loadOf(database, clientTls("crashed"));
  await underWay(load.ledger);
  const primary = primaryOf(await cluster.shards(database.uid));
  process.kill(await cluster.enginePid(primary), "SIGKILL");
  const isSucceeded = async (): Promise<boolean> => primaryOf(await cluster.shards(database.uid)).uid !== primary.uid;
  await until("another one is primary", isSucceeded, PATIENCE);
  await database.copied();
  await underWay(load.ledger);
  await requireTls(database);
  const { lost, complaints } = await load.ledger.stop();
  assert.equal(lost, 0, complaints.join("; "));
});

/** Clients at all nodes but one: a node in maintenance ends its clients, and these do not connect again before they send. */
async function loadOf(database: FilledDatabase, tls: EngineTls | undefined, but = 0) {
  const { port } = await database.seen().then((seen) => seen ?? { port: 0 });
  await using stack = new AsyncDisposableStack();
  const hosts = NODES.filter((uid) => uid !== but).map((uid) => cluster.address(uid));
  const service = stack.use(await startService(port, () => Promise.resolve(hosts)));
  const secure = tls === undefined ? {} : { tls };
  const ledger = stack.use(await startLedger({ ...service, ...secure, connections: 8 }));
  const owned = stack.move();
  return { ledger, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** At every node. */
async function isServed(database: FilledDatabase, tls: EngineTls | undefined): Promise<boolean> {
  const { port } = (await database.seen()) ?? { port: 0 };
  const answers = await Promise.all(
    NODES.map((uid) =>
      callEngine({ host: cluster.address(uid), port, tls, timeoutMs: 1_000 }, "PING").then(
        () => true,
        () => false, // it is served in the former way still
      ),
    ),
  );
  return answers.every(Boolean);
}

async function populate({ uid }: FilledDatabase): Promise<void> {
  const primary = primaryOf(await cluster.shards(uid));
  const engine = (await enginesOf(cluster, uid)).find(
    ({ host, port }) => host === cluster.address(nodeOf(primary)) && port === primary.port,
  );
  assert.ok(engine !== undefined);
  await callEngine({ ...engine, timeoutMs: 30_000 }, "DEBUG", "POPULATE", MANY);
}

async function upgrade({ database, ledger }: Scene): Promise<void> {
  const params = { uid: database.uid };
  await cluster.client.call("upgradeBdb", { params, body: { store_version: "8.0" } });
  await until("it is upgraded", async () => (await database.active()).redis_version === "8.0", PATIENCE);
  await underWay(ledger);
  await requireTls(database);
}

async function evacuate({ database, ledger }: Scene, uid: number): Promise<void> {
  await cluster.client.call("maintenanceOn", { params: { uid }, body: {} });
  const isLeft = async (): Promise<boolean> => nodeOf(primaryOf(await cluster.shards(database.uid))) !== uid;
  await until("the primary has left the node", isLeft, PATIENCE);
  await cluster.client.call("maintenanceOff", { params: { uid } });
  await underWay(ledger);
}

async function renew({ database, ledger }: Scene): Promise<void> {
  const pids = await pidsOf(database);
  const renewed = cluster.newNodeTls();
  for (const uid of NODES)
    for (const [name, text] of Object.entries(renewed))
      writeFileSync(join(cluster.root(uid), NODE_PATHS.tls, name), text);
  const { serialNumber } = new X509Certificate(renewed["engine.crt"]);
  const isShown = async (): Promise<boolean> =>
    (await Promise.all((await enginesOf(cluster, database.uid)).map(shownBy))).every((one) => one === serialNumber);
  await until("each engine shows it", isShown, PATIENCE);
  assert.deepEqual(await pidsOf(database), pids, "no engine was started anew");
  await underWay(ledger);
}

async function finish({ ledger }: Pick<Scene, "ledger">): Promise<void> {
  const { failed, lost, requests, complaints } = await ledger.stop();
  assert.deepEqual([failed, lost], [0, 0], complaints.join("; "));
  assert.ok(requests > 200);
}

/** Clients get answers. */
async function underWay(ledger: Ledger): Promise<void> {
  const before = ledger.requests();
  await until("clients are at work", () => ledger.requests() > before + 200, PATIENCE);
}

/** Each engine listens with TLS alone, and its link to the primary is TLS. */
async function requireTls(database: FilledDatabase): Promise<void> {
  const engines = await enginesOf(cluster, database.uid);
  assert.equal(engines.length, 2);
  for (const engine of engines) {
    await assert.rejects(callEngine({ ...engine, tls: undefined }, "PING"), { code: "RESP_CLOSED" });
    const shown = listOf(await callEngine(engine, "CONFIG", "GET", "port", "tls-port", "tls-auth-clients")).map(textOf);
    const settings = Object.fromEntries(shown.flatMap((name, at) => (at % 2 === 0 ? [[name, shown[at + 1]]] : [])));
    assert.deepEqual(settings, { port: "0", "tls-port": String(engine.port), "tls-auth-clients": "yes" });
  }
}

async function pidsOf({ uid }: FilledDatabase): Promise<readonly number[]> {
  return Promise.all((await cluster.shards(uid)).map((shard) => cluster.enginePid(shard)));
}

/** The serial number of the certificate that an engine shows. */
async function shownBy({ host, port }: EngineOptions): Promise<string> {
  const socket = connect({ host, port, ...cluster.engineTls.options });
  try {
    await new Promise((resolve, reject) => socket.once("secureConnect", resolve).once("error", reject));
    return socket.getPeerCertificate().serialNumber;
  } finally {
    socket.destroy();
  }
}
