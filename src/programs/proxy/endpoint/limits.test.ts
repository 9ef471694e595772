import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { test } from "node:test";
import { atEngine } from "../../../../test/kit/engines/at-engine.ts";
import { startEngine } from "../../../../test/kit/engines/engine.ts";
import { done, endpointFor } from "../../../../test/kit/engines/proxy.ts";
import { RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import { suspend } from "../../../../test/kit/engines/suspend.ts";
import { settingsWith } from "../../../../test/kit/facts/settings.ts";
import { until } from "#kit/testing/until";
import { authorityNamed, endpointCertificate } from "../../../../test/kit/tls/certificates.ts";
import { endpointSettings } from "../../../core/api/settings/effects.ts";
import { jsonLog, silentLog, type Log } from "#kit/base/log";
import { systemClock } from "#kit/reconcile/system-clock";
import type { EndpointConfig } from "../../../ports/management/proxy-control.ts";
import { MemoryBudget } from "../limits/memory-budget.ts";
import { EngineTls } from "../../../ports/resp/engine-tls.ts";
import { ArenaPool } from "../upstream/arena.ts";
import { PeerWatch } from "../upstream/peer-watch.ts";
import { Endpoint } from "./endpoint.ts";
import { ConnectionBudget, IDLE_BYTES, type ConnectionRoom } from "../limits/connection-budget.ts";
import { LIMITS } from "../limits/limits.ts";
import { REQUEST_LIMITS } from "../protocol/request-limits.ts";
import { readWorker } from "../limits/proxy-worker.ts";
import { heldLease } from "../../../../test/kit/time/lease.ts";
import { assertWithin } from "#kit/testing/assert-within";

test("when no more pinned connections are allowed, commands that need one are refused, and others served", async () => {
  await using opened = await openEndpoint();
  const { endpoint, address } = opened;
  const client = await RawClient.connect(address);
  endpoint.parts.counters.pins += LIMITS.pins;
  for (const args of [["SUBSCRIBE", "x"], ["MULTI"], ["BLPOP", "q", "0"], ["SCAN", "0"]])
    assert.match(String(await client.ask(...args)), /^-ERR store: too many clients/);
  assert.equal(await client.ask("SET", "k", "v".repeat(2 * REQUEST_LIMITS.collectedBytes)), "OK");
  endpoint.parts.counters.pins -= LIMITS.pins;
  assert.equal(await client.ask("MULTI"), "OK");
  client.close();
});

test("one client above the limit gets an error, and the others are served", async () => {
  await using served = await Served.start();
  const clients: Socket[] = [];
  for (let i = 0; i < LIMITS.clients; i += BATCH) {
    const batch = Array.from({ length: BATCH }, () => connect({ ...served.endpoint.listen }));
    await Promise.all(batch.map((socket) => once(socket, "connect")));
    clients.push(...batch);
  }
  await until("all are there", async () => (await served.proxy.stats()).clients === LIMITS.clients);
  const last = await served.client();
  assert.equal(await last.ask("PING"), "-ERR max number of clients reached");
  assert.equal(await last.read(), undefined);
  const [first] = clients;
  assert.ok(first);
  first.write("PING\r\n");
  assert.equal(String((await once(first, "data"))[0]), "+PONG\r\n");
  for (const socket of clients) socket.destroy();
  await until("all are gone", async () => (await served.proxy.stats()).clients === 0);
  assert.equal(await (await served.client()).ask("PING"), "PONG");
});

test("connections take what the container has for them, one above is refused with a line in the log, and one that ends makes room", async () => {
  const { lines, log } = notedLog();
  await using opened = await openEndpoint({ files: Number.POSITIVE_INFINITY, bytes: 8 * IDLE_BYTES.plain }, log);
  const clients: RawClient[] = [];
  const connectOne = async (): Promise<unknown> => {
    const client = await RawClient.connect(opened.address);
    clients.push(client);
    return client.ask("PING");
  };
  // two of eight are kept for another endpoint
  for (let i = 0; i < 6; i += 1) assert.equal(await connectOne(), "PONG");
  assert.equal(await connectOne(), "-ERR max number of clients reached");
  assert.equal(await connectOne(), "-ERR max number of clients reached");
  assert.equal(lines.filter((line) => line.includes("no room is left for connections")).length, 1);
  clients[0]?.close();
  await until("there is room", () => opened.endpoint.connections < 6);
  assert.equal(await connectOne(), "PONG");
  for (const client of clients) client.close();
});

test("with TLS a connection counts for more, and one above what there is room for is closed before its handshake", async () => {
  const { lines, log } = notedLog();
  const authority = authorityNamed("limits");
  const settings = endpointSettings(settingsWith({ tlsMode: "enabled" }));
  const secured = { settings, certificate: endpointCertificate(authority, "db") };
  await using opened = await openEndpoint({ files: 10_000, bytes: 8 * IDLE_BYTES.tls }, log, secured);
  const trusting = { ca: authority.certificate, servername: "db" };
  const clients: RawClient[] = [];
  for (let i = 0; i < 6; i += 1) clients.push(await RawClient.connectTls(opened.address, trusting));
  for (const client of clients) assert.equal(await client.ask("PING"), "PONG");
  const before = opened.endpoint.connections;
  await assert.rejects(RawClient.connectTls(opened.address, trusting));
  assert.equal(lines.filter((line) => line.includes("no room is left for connections")).length, 1);
  assert.equal(opened.endpoint.connections, before);
  for (const client of clients) assert.equal(await client.ask("PING"), "PONG", "who is in stays in");
  for (const client of clients) client.close();
});

test("a WAIT for a stopped replica ends in time, and does not delay a hold", async () => {
  await using served = await Served.start();
  const [timed, patient] = await served.clients(2);
  await timed?.ask("SET", "k", 1);
  using replica = await suspend(served.replica);
  const startedAt = performance.now();
  assert.equal(await timed?.ask("WAIT", 1, 200), 0);
  const elapsedMs = performance.now() - startedAt;
  assert.ok(elapsedMs > 150, `${elapsedMs} ms`);
  assertWithin(5_000, elapsedMs, "WAIT ends");
  await patient?.ask("SET", "k", 2);
  patient?.send("WAIT", 1, 0);
  await until("it waits", async () => /blocked_clients:1/.test(String(await served.primary.call("INFO", "clients"))));
  await done(served.hold({ drainMs: 1000 }));
  await done(served.abort());
  assert.equal(patient?.unread.length, 0);
  replica.resume();
  assert.equal(await patient?.read(), 1);
});

test("sessions at an engine that hangs reach the next primary in time, and only those with an unknown outcome are cut", async () => {
  await using served = await Served.start({ holdMs: 3_000 });
  const [reader, popper, queued, uncertain, reading] = await served.clients(5);
  reader?.send("XREAD", "BLOCK", 0, "STREAMS", "stream", "0");
  popper?.send("BLPOP", "queue", 0);
  await queued?.ask("MULTI");
  await queued?.ask("SET", "queued", 1);
  await until("two block", async () => /blocked_clients:2/.test(String(await served.primary.call("INFO", "clients"))));
  await served.replica.call("REPLICAOF", "NO", "ONE");
  using _hanging = await suspend(served.primary);
  await atEngine(served.proxy, 2, () => {
    uncertain?.send("INCR", "counter");
    reading?.send("GET", "counter");
  });
  const target = { host: served.replica.host, port: served.replica.port };
  await done(served.proxy.send({ op: "release", bdb: 1, epoch: ++served.epoch, target }));
  assert.deepEqual(await queued?.ask("EXEC"), ["OK"]);
  assert.equal(await uncertain?.read(), undefined);
  assert.equal(await reading?.read(), null);
  // it may have been given an element that never arrived
  assert.equal(await popper?.read(), undefined);
  await served.replica.call("XADD", "stream", "1-1", "f", "v");
  assert.deepEqual(await reader?.read(), [["stream", [["1-1", ["f", "v"]]]]]);
});

/** A log, and what is written into it. */
function notedLog() {
  const lines: string[] = [];
  const log = jsonLog(
    (line) => lines.push(line),
    () => systemClock.now(),
  );
  return { lines, log };
}

const BATCH = 500;
const UNBOUNDED = { files: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY };

/** An endpoint in this process, so that its counters can be set. */
async function openEndpoint(
  room: ConnectionRoom = UNBOUNDED,
  log: Log = silentLog,
  more: Partial<EndpointConfig> = {},
) {
  const engine = await startEngine();
  const config = endpointFor(engine, more);
  const askAgent = () => Promise.resolve([]);
  const keepParameters = () => Promise.resolve({ revision: 0 });
  const context = {
    clock: systemClock,
    log,
    arenas: new ArenaPool(),
    memory: new MemoryBudget(LIMITS.allHeldBytes),
    scriptMemory: new MemoryBudget(LIMITS.allScriptBytes),
    peers: new PeerWatch(systemClock),
    connections: new ConnectionBudget(room),
    lease: heldLease(),
    engineTls: new EngineTls(),
    askAgent,
    askScripts: () => Promise.resolve([]),
    keepParameters,
    worker: readWorker(undefined),
  };
  const endpoint = new Endpoint(config, context);
  await endpoint.listen();
  return {
    endpoint,
    address: config.listen,
    [Symbol.asyncDispose]: async () => {
      endpoint.close();
      await engine.stop();
    },
  };
}
