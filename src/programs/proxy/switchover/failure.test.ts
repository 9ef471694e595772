import assert from "node:assert/strict";
import { test } from "node:test";
import { atEngine } from "../../../../test/kit/engines/at-engine.ts";
import { startEngine } from "../../../../test/kit/engines/engine.ts";
import type { TestEngine } from "../../../../test/kit/engines/engine.ts";
import { startLedger } from "../../../../test/kit/load/load-ledger.ts";
import { addressOf, done, endpointFor, startProxy, withShard } from "../../../../test/kit/engines/proxy.ts";
import { plain, RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import { suspend } from "../../../../test/kit/engines/suspend.ts";
import { until } from "#kit/testing/until";

test("when the primary dies, idle clients wait for the next one, and only requests of unknown outcome are cut", async () => {
  await using served = await Served.start();
  const [idle, transaction, reader, writer, blocked] = await served.clients(5);
  await idle?.ask("SET", "k", "v");
  await transaction?.ask("MULTI");
  await transaction?.ask("INCR", "n");
  blocked?.send("BLPOP", "queue", 0);
  await until("all is replicated", async () => {
    const offset = (await served.primary.replication()).offset;
    const isBlocked = String(await served.primary.call("INFO", "clients")).includes("blocked_clients:1");
    return isBlocked && (await served.replica.replication()).offset >= offset;
  });
  using _stopped = await suspend(served.primary);
  await atEngine(served.proxy, 2, () => {
    reader?.send("GET", "k");
    writer?.send("INCR", "unknown");
  });
  await served.primary.stop();
  await served.replica.call("REPLICAOF", "NO", "ONE");
  idle?.send("GET", "k");
  const target = addressOf(served.replica);
  await done(served.proxy.send({ op: "release", bdb: 1, epoch: 2, target }));
  assert.equal(await idle?.read(), "v");
  assert.equal(await reader?.read(), "v");
  assert.deepEqual(await transaction?.ask("EXEC"), [1]);
  assert.equal(await writer?.read(), undefined);
  assert.equal(await blocked?.read(), undefined);
  assert.equal((await served.proxy.stats()).cut, 2);
});

test("a stopped primary is not waited for once another serves: what it acknowledges later would be lost", async () => {
  await using served = await Served.start();
  const [reader, writer] = await served.clients(2);
  await reader?.ask("SET", "k", "v");
  await until("it is replicated", async () => (await served.replica.call("GET", "k")) === "v");
  using _stopped = await suspend(served.primary);
  await atEngine(served.proxy, 2, () => {
    reader?.send("GET", "k");
    writer?.send("INCR", "unknown");
  });
  await served.replica.call("REPLICAOF", "NO", "ONE");
  await done(served.proxy.send({ op: "release", bdb: 1, epoch: 2, target: addressOf(served.replica) }));
  assert.deepEqual(await Promise.all([reader?.read(), writer?.read()]), ["v", undefined]);
});

test("a restarted primary is used again, and requests wait while it loads", async () => {
  await using first = await startEngine();
  await using proxy = await startProxy();
  const endpoint = endpointFor(first);
  await done(proxy.send({ op: "configure", endpoints: [endpoint] }));
  const client = await RawClient.connect(endpoint.listen);
  await client.ask("SET", "k", "v");
  await first.stop();
  client.send("GET", "k");
  await using again = await startEngine({ engine: first.name, host: first.host });
  assert.equal(await client.read(), null);
  // a busy loader: the engine answers -LOADING to everything
  await again.call("DEBUG", "POPULATE", 300_000);
  await again.call("CONFIG", "SET", "key-load-delay", 20, "loading-process-events-interval-bytes", 1024);
  const reloading = again.call("DEBUG", "RELOAD").catch(() => "the control connection timed out");
  await until("the engine loads", () => isLoading(again));
  client.send("INCR", "counted");
  client.send("DBSIZE");
  await again.call("CONFIG", "SET", "key-load-delay", 0);
  assert.deepEqual(await client.readMany(2), [1, 300_001]);
  await reloading;
});

test("without a primary, clients wait for holdMs and then get an error at once, until there is one", async () => {
  await using engine = await startEngine();
  await using proxy = await startProxy();
  const endpoint = endpointFor(undefined, { holdMs: 150 });
  await done(proxy.send({ op: "configure", endpoints: [endpoint] }));
  const client = await RawClient.connect(endpoint.listen);
  for (const request of [["SET", "k", "v"], ["MULTI"], ["SELECT", "1"], ["HELLO", "3"]])
    assert.match(String(plain(await client.ask(...request))), /^-LOADING store: no primary/);
  const found = withShard(endpoint, { epoch: 2, primary: addressOf(engine) });
  await done(proxy.send({ op: "configure", endpoints: [found] }));
  await until("the client is served", async () => (await client.ask("SET", "k", "v")) === "OK");
});

test("without a primary, EXEC and DISCARD end their transaction, and the client goes on without it", async () => {
  await using engine = await startEngine();
  await using proxy = await startProxy();
  const endpoint = endpointFor(engine, { holdMs: 150 });
  await done(proxy.send({ op: "configure", endpoints: [endpoint] }));
  const clients = await Promise.all([1, 2, 3].map(() => RawClient.connect(endpoint.listen)));
  for (const client of clients)
    assert.deepEqual([await client.ask("MULTI"), await client.ask("SET", "k", "v")], ["OK", "QUEUED"]);
  await engine.stop();
  const [executing, discarding, going] = clients;
  const other = await RawClient.connect(endpoint.listen);
  const isRefused = async (): Promise<boolean> => /^-LOADING/.test(String(plain(await other.ask("SET", "other", "1"))));
  await until("there is no primary", isRefused);
  assert.match(String(plain(await executing?.ask("EXEC"))), /^-EXECABORT .* because of: LOADING store: no primary/);
  assert.equal(await discarding?.ask("DISCARD"), "OK");
  assert.match(String(plain(await going?.ask("GET", "k"))), /^-LOADING store: no primary/);
  await using _again = await startEngine({ engine: engine.name, host: engine.host });
  for (const client of [executing, discarding])
    await until("it is served", async () => (await client?.ask("SET", "later", "1")) === "OK");
  assert.match(String(plain(await going?.ask("EXEC"))), /^-EXECABORT/);
  await until("it is served", async () => (await going?.ask("GET", "later")) === "1");
  assert.equal(await going?.ask("GET", "k"), null);
});

test("under load, the loss of a primary loses nothing that its replica had; it only cuts clients", async () => {
  await using served = await Served.start();
  await using ledger = await startLedger({ ...served.endpoint.listen, connections: 20 });
  await until("there is load", () => ledger.requests() > 500);
  // what the replica has not acknowledged may be lost with its primary: writes are stopped first
  await served.primary.call("CLIENT", "PAUSE", 10_000, "WRITE");
  await until("all is replicated", async () => {
    const offset = (await served.primary.replication()).offset;
    return (await served.replica.replication()).offset >= offset;
  });
  await served.primary.stop();
  await served.replica.call("REPLICAOF", "NO", "ONE");
  await done(served.proxy.send({ op: "release", bdb: 1, epoch: 2, target: addressOf(served.replica) }));
  const goal = ledger.requests() + 500;
  await until("clients are served again", () => ledger.requests() > goal);
  const report = await ledger.stop();
  assert.deepEqual([report.lost, report.failed <= 20], [0, true], JSON.stringify(report));
});

async function isLoading(engine: TestEngine): Promise<boolean> {
  return String(await engine.call("INFO", "persistence")).includes("loading:1");
}
