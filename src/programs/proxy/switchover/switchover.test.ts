import assert from "node:assert/strict";
import { startLedger } from "../../../../test/kit/load/load-ledger.ts";
import type { Ledger } from "../../../../test/kit/load/load-ledger.ts";
import { addressOf, done, endpointFor, startProxy, withShard } from "../../../../test/kit/engines/proxy.ts";
import { plain, RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { sharing } from "../../../../test/kit/engines/shared.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import { suspend } from "../../../../test/kit/engines/suspend.ts";
import { switchOver } from "../../../../test/kit/engines/switchover.ts";
import { until } from "#kit/testing/until";
import type { EndpointConfig, ProxyReply } from "../../../ports/management/proxy-control.ts";
import { faults } from "../faults.ts";

const test = sharing(() => Served.start());

test("under load, eight switchovers between two versions fail no request and lose no write", async (served) => {
  await using ledger = await startLedger(served.endpoint.listen);
  for (let i = 0; i < 8; i++) {
    await progress(ledger, 100);
    await served.move();
  }
  await progress(ledger, 500);
  await flawless(ledger);
});

test("two proxies hold and release together", async (served) => {
  await using second = await startProxy();
  const endpoint = withShard(endpointFor(served.primary), { epoch: served.epoch });
  await done(second.send({ op: "configure", endpoints: [endpoint] }));
  await using first = await startLedger(served.endpoint.listen);
  await using other = await startLedger(endpoint.listen);
  for (let i = 0; i < 2; i++) {
    await switchOver([served.proxy, second], ++served.epoch, served.primary, served.replica);
    [served.primary, served.replica] = [served.replica, served.primary];
    for (const ledger of [first, other]) await progress(ledger, 200);
  }
  for (const ledger of [first, other]) await flawless(ledger);
});

test("a hold without release ends at its own deadline, and clients go on at the old primary", async (served) => {
  await using ledger = await startLedger(served.endpoint.listen);
  const before = await served.proxy.stats();
  await done(served.prepare());
  await done(served.hold({ holdMs: 1_500 }));
  assert.equal((await served.proxy.stats()).held, true);
  await until("the hold is over", async () => !(await served.proxy.stats()).held);
  await progress(ledger, 200);
  const report = await flawless(ledger);
  assert.ok(report.longestMs > 1_490 && report.longestMs < 15_000, `${report.longestMs} ms`);
  assert.equal((await served.proxy.stats()).holdsExpired, before.holdsExpired + 1);
});

for (const step of ["prepare", "hold", "pause"] as const) {
  test(`an abort after ${step} resumes at the old primary`, async (served) => {
    await using ledger = await startLedger({ ...served.endpoint.listen, connections: 20 });
    await done(served.prepare());
    if (step !== "prepare") await done(served.hold());
    if (step === "pause") await served.primary.call("CLIENT", "PAUSE", 5000, "WRITE");
    await done(served.abort());
    if (step === "pause") await served.primary.call("CLIENT", "UNPAUSE");
    await progress(ledger, 200);
    await flawless(ledger);
    const { epoch, held } = await served.proxy.stats();
    assert.deepEqual([epoch, held], [served.epoch, false]);
  });
}

test("a hold that cannot drain ends at once, and no request fails", async (served) => {
  await using ledger = await startLedger({ ...served.endpoint.listen, connections: 20 });
  const slow = await served.client();
  await done(served.prepare());
  using primary = await suspend(served.primary);
  slow.send("INCR", "slow");
  await until("requests wait for a reply", async () => (await served.proxy.stats()).inFlight > 20);
  assert.equal(codeOf(await served.hold({ drainMs: 30 })), faults.notDrained.code);
  assert.equal((await served.proxy.stats()).held, false);
  primary.resume();
  assert.equal(await slow.read(), 1);
  await progress(ledger, 200);
  await flawless(ledger);
  await served.move();
});

test("a lower epoch is refused by every command", async (served) => {
  const target = addressOf(served.replica);
  const low = served.epoch - 1;
  for (const reply of [
    await served.proxy.send({ op: "prepare", bdb: 1, epoch: low, target }),
    await served.proxy.send({ op: "hold", bdb: 1, epoch: low, drainMs: 100, holdMs: 100 }),
    await served.proxy.send({ op: "release", bdb: 1, epoch: low, target }),
    await served.proxy.send({ op: "release", bdb: 1, epoch: served.epoch, target }),
    await served.proxy.send({ op: "abort", bdb: 1, epoch: low }),
  ])
    assert.equal(codeOf(reply), faults.epochTooLow.code);
  const configured = await served.proxy.send({
    op: "configure",
    endpoints: [withShard(served.endpoint, { epoch: low, primary: target })],
  });
  assert.deepEqual(configured, { ok: true, op: "configure", refused: [1] });
  const client = await served.client();
  assert.equal(await client.ask("SET", "k", "v"), "OK");
});

test("a command about a shard that the endpoint does not have is refused, and one that names none is about the first", async (served) => {
  const { proxy, epoch } = served;
  for (const op of ["fence", "abort"] as const)
    assert.equal(codeOf(await proxy.send({ op, bdb: 1, shard: 2, epoch: epoch + 1 })), faults.unknownShard.code);
  await done(proxy.send({ op: "quiet", bdb: 1, shard: 1, withinMs: 0 }));
  await done(proxy.send({ op: "quiet", bdb: 1, withinMs: 0 }));
  assert.equal((await proxy.stats()).epoch, epoch);
});

test("a database with two shards is refused, while it is new and later, and no other endpoint suffers from it", async (served) => {
  const { proxy, endpoint, epoch } = served;
  const [shard] = endpoint.shards;
  assert.ok(shard !== undefined);
  const current = withShard(endpoint, { epoch, primary: addressOf(served.primary) });
  const further = { ...shard, id: 2, epoch };
  const two = { ...current, shards: [...current.shards, further] };
  const other = { ...current, bdb: 2, listen: { ...endpoint.listen, port: endpoint.listen.port + 1 } };
  const another = { ...two, bdb: 3, listen: { ...endpoint.listen, port: endpoint.listen.port + 2 } };
  const renamed = { ...current, shards: [further] };
  const refusedOf = async (...endpoints: readonly EndpointConfig[]) => {
    const reply = await done(proxy.send({ op: "configure", endpoints }));
    return reply.op === "configure" ? reply.refused : [];
  };
  assert.deepEqual(await refusedOf(two, another, other), [1, 3]);
  assert.deepEqual(await refusedOf(renamed), [1]);
  const client = await served.client();
  assert.equal(await client.ask("SET", "k", "v"), "OK");
  assert.deepEqual(await refusedOf(current), []);
});

test("a repeated release has no effect", async (served) => {
  const again = { op: "release", bdb: 1, epoch: served.epoch, target: addressOf(served.primary) } as const;
  assert.equal((await served.proxy.send(again)).ok, true);
});

test("a proxy that misses the switchover keeps refused requests, and sends them to the new primary in order", async (served) => {
  await using ledger = await startLedger({ ...served.endpoint.listen, connections: 20 });
  const [pipelined, transaction, single] = await served.clients(3);
  await transaction?.ask("MULTI");
  await transaction?.ask("INCR", "inTransaction");
  await progress(ledger, 100);
  await served.moveEngines();
  for (let i = 0; i < 5; i++) {
    pipelined?.send("RPUSH", "ordered", i);
    pipelined?.send("LLEN", "ordered");
  }
  transaction?.send("EXEC");
  single?.send("MULTI");
  single?.send("INCR", "another");
  single?.send("EXEC");
  await until("requests are kept", async () => (await served.proxy.stats()).resent > 20);
  await done(served.release());
  assert.deepEqual(await pipelined?.readMany(10), [1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
  assert.deepEqual(await transaction?.read(), [1]);
  assert.deepEqual(await single?.readMany(3), ["OK", "QUEUED", [1]]);
  await progress(ledger, 200);
  await flawless(ledger);
});

test("a request that no engine executes is answered with an error after holdMs", async (served) => {
  await using alone = await startProxy();
  const endpoint = endpointFor(served.replica, { holdMs: 200 });
  await done(alone.send({ op: "configure", endpoints: [endpoint] }));
  const client = await RawClient.connect(endpoint.listen);
  client.send("SET", "k", "v");
  client.send("GET", "k");
  const [refused, read] = await client.readMany(2);
  assert.match(String(plain(refused)), /^-LOADING store: no primary/);
  assert.match(String(plain(read)), /^-LOADING|^v$/);
});

test("no client was cut", async (served) => {
  assert.equal((await served.proxy.stats()).cut, 0);
});

function codeOf(reply: ProxyReply): string | undefined {
  return reply.ok ? undefined : reply.code;
}

async function progress(ledger: Ledger, requests: number): Promise<void> {
  const goal = ledger.requests() + requests;
  await until("clients go on", () => ledger.requests() >= goal);
}

async function flawless(ledger: Ledger) {
  const report = await ledger.stop();
  assert.deepEqual([report.failed, report.lost, report.complaints], [0, 0, []]);
  return report;
}
