import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "#kit/testing/until";
import { engineNames, startEngine, type TestEngine } from "../../../../test/kit/engines/engine.ts";
import { addressOf, done, endpointFor, startProxy } from "../../../../test/kit/engines/proxy.ts";
import { RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import { startAll } from "../../../../test/kit/engines/start-all.ts";
import { promoteBeside } from "../../../../test/kit/engines/switchover.ts";
import { untilBlocked } from "../../../../test/kit/engines/until-blocked.ts";

// An engine that is asked to unblock a command which it has put off, because writes are paused, crashes, or answers that command twice.

for (const name of engineNames())
  test(`${name} is not asked to end the wait of a command that it has put off, and answers it once when writes go on`, async () => {
    const [engine, proxy] = await startAll(startEngine({ engine: name }), startProxy());
    const endpoint = endpointFor(engine);
    await done(proxy.send({ op: "configure", endpoints: [endpoint] }));
    const [client, other] = [await RawClient.connect(endpoint.listen), await RawClient.connect(endpoint.listen)];
    const id = await client.ask("CLIENT", "ID");
    await engine.call("CLIENT", "PAUSE", 60_000, "WRITE");
    // the proxy ends the first when its time is over, another client the second
    client.send("BLPOP", "none", "0.1");
    client.send("ECHO", "between");
    await untilPutOff(engine, 2);
    other.send("CLIENT", "UNBLOCK", String(id), "ERROR");
    await untilPutOff(engine, 2);
    await engine.call("CLIENT", "UNPAUSE");
    // the proxy or the other client was first
    assert.match(String(await other.read()), /^[01]$/);
    const [first, second] = await client.readMany(2);
    assert.ok(first === null || String(first).startsWith("-UNBLOCKED"), String(first));
    assert.equal(second, "between");
    assert.equal(await client.ask("ECHO", "behind"), "behind");
    assert.equal((await proxy.stats()).cut, 0);
    for (const one of [client, other]) one.close();
    await proxy.stop();
    await engine.stop();
  });

test("a wait that found something when writes went on is not ended, nor is the one behind it", async () => {
  const [engine, proxy] = await startAll(startEngine(), startProxy());
  const endpoint = endpointFor(engine);
  await done(proxy.send({ op: "configure", endpoints: [endpoint] }));
  const client = await RawClient.connect(endpoint.listen);
  await engine.call("RPUSH", "first", "a");
  await engine.call("CLIENT", "PAUSE", 60_000, "WRITE");
  client.send("BLPOP", "first", "0.1");
  client.send("BLPOP", "second", "0");
  // the other one is that of the proxy, which ends the first wait
  await untilPutOff(engine, 2);
  const asked = await pingsOf(engine);
  await engine.call("CLIENT", "UNPAUSE");
  assert.deepEqual(await client.read(), ["first", "a"]);
  await until("the proxy knows that writes go on", async () => (await pingsOf(engine)) > asked);
  await proxy.stats();
  await engine.call("RPUSH", "second", "b");
  assert.deepEqual(await client.read(), ["second", "b"]);
  client.close();
  await proxy.stop();
  await engine.stop();
});

test("a client that waits at a primary which was left goes on at the next one before the former is demoted", async () => {
  await using served = await Served.start();
  const client = await served.client();
  const former = served.primary;
  client.send("BLPOP", "queue", "0");
  await untilBlocked(former, 1);
  await done(served.prepare());
  await done(served.hold());
  await promoteBeside(former, served.replica);
  await done(served.proxy.send({ op: "release", bdb: 1, epoch: 2, target: addressOf(served.replica) }));
  await untilBlocked(served.replica, 1);
  await served.replica.call("RPUSH", "queue", "a");
  assert.deepEqual(await client.read(), ["queue", "a"]);
  assert.match(String(await former.call("INFO", "replication")), /role:master/);
  client.close();
});

/** Waits until so many requests wait until writes go on. */
async function untilPutOff(engine: TestEngine, count: number): Promise<void> {
  await until(`${count} requests are put off`, async () => {
    const clients = String(await engine.call("CLIENT", "LIST")).match(/ flags=\S*b\S* /g) ?? [];
    return clients.length >= count;
  });
}

/** How often the engine was asked for nothing but an answer. */
async function pingsOf(engine: TestEngine): Promise<number> {
  return Number(/cmdstat_ping:calls=(\d+)/.exec(String(await engine.call("INFO", "commandstats")))?.[1]);
}
