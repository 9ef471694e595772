import assert from "node:assert/strict";
import { test } from "node:test";
import { noEnd } from "../../../../test/kit/time/lease.ts";
import { atEngine } from "../../../../test/kit/engines/at-engine.ts";
import { addressOf, done, withShard } from "../../../../test/kit/engines/proxy.ts";
import { plain, type RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import { suspend } from "../../../../test/kit/engines/suspend.ts";
import { until } from "#kit/testing/until";
import { uptimeMs } from "#kit/reconcile/uptime";

test("a reply that arrives after the lease expired is delivered when the lease holds again, not before", async () => {
  await using served = await Served.start();
  const [writer, other] = await warm(served, 2);
  using primary = await suspend(served.primary);
  await atEngine(served.proxy, 1, () => writer?.send("INCR", "n"));
  await lease(served, uptimeMs() - 1_000);
  other?.send("GET", "n");
  primary.resume();
  await until("the engine has done it", async () => (await served.primary.call("GET", "n")) === "1");
  assert.deepEqual([(await served.proxy.stats()).held, writer?.unread, other?.unread], [true, [], []]);
  await lease(served, noEnd());
  assert.deepEqual(await Promise.all([writer?.read(), other?.read()]), [1, "1"]);
});

test("a proxy that was stopped until its lease expired acknowledges nothing, not even what clients sent meanwhile", async () => {
  await using served = await Served.start();
  const clients = await warm(served, 20);
  await lease(served, uptimeMs() + 300);
  using proxy = await suspend(served.proxy);
  for (const client of clients) client.send("INCR", "n");
  await past(uptimeMs() + 350);
  proxy.resume();
  await until("the proxy has noticed", async () => (await served.proxy.stats()).held);
  assert.equal(clients.flatMap(({ unread }) => unread).length, 0);
});

test("with another primary after the lease expired, clients with a request of unknown outcome are cut, and reads are sent again", async () => {
  await using served = await Served.start();
  const [reader, writer, transaction, blocked] = await warm(served, 4);
  await served.primary.call("SET", "k", "v");
  await until("it is replicated", async () => (await served.replica.call("GET", "k")) === "v");
  await transaction?.ask("MULTI");
  await transaction?.ask("INCR", "unknown");
  blocked?.send("BLPOP", "queue", 0);
  await until("the client blocks", async () =>
    /blocked_clients:1/.test(String(await served.primary.call("INFO", "clients"))),
  );
  using primary = await suspend(served.primary);
  await arrive(served, 4, () => {
    transaction?.send("EXEC");
    transaction?.send("PING");
    reader?.send("GET", "k");
    writer?.send("INCR", "unknown");
  });
  await lease(served, uptimeMs() - 1_000);
  await served.replica.call("REPLICAOF", "NO", "ONE");
  const moved = withShard(served.endpoint, { epoch: 2, primary: addressOf(served.replica) });
  await done(served.proxy.send({ op: "configure", endpoints: [moved] }));
  primary.resume();
  await lease(served, noEnd());
  const answers = [reader, writer, transaction, blocked].map(async (client) => plain(await client?.read()));
  assert.deepEqual(await Promise.all(answers), ["v", undefined, undefined, undefined]);
});

test("a fence cuts clients with a request in flight; the others wait for the next primary", async () => {
  await using served = await Served.start();
  const [idle, reader, writer, transaction] = await warm(served, 4);
  await transaction?.ask("MULTI");
  await transaction?.ask("INCR", "unknown");
  using primary = await suspend(served.primary);
  await arrive(served, 4, () => {
    transaction?.send("EXEC");
    transaction?.send("PING");
    reader?.send("GET", "k");
    writer?.send("INCR", "unknown");
  });
  await done(served.proxy.send({ op: "fence", bdb: 1, epoch: 2 }));
  primary.resume();
  idle?.send("INCR", "after");
  assert.deepEqual(await Promise.all([writer?.read(), transaction?.read()]), [undefined, undefined]);
  const late = await served.proxy.send({ op: "configure", endpoints: [served.endpoint] });
  assert.deepEqual(late, { ok: true, op: "configure", refused: [1] });
  await served.replica.call("REPLICAOF", "NO", "ONE");
  await done(served.proxy.send({ op: "release", bdb: 1, epoch: 2, target: addressOf(served.replica) }));
  assert.deepEqual(await Promise.all([idle?.read(), reader?.read()]), [1, null]);
});

test("with a lease expired for longer than clients may wait, they get an error, and are served when it holds again", async () => {
  await using served = await Served.start({ holdMs: 200 });
  const [waiting, writer] = await warm(served, 2);
  using primary = await suspend(served.primary);
  await atEngine(served.proxy, 1, () => writer?.send("INCR", "unknown"));
  await lease(served, uptimeMs() - 1_000);
  waiting?.send("GET", "k");
  assert.match(String(plain(await waiting?.read())), /^-LOADING/);
  assert.equal(await writer?.read(), undefined);
  primary.resume();
  await lease(served, noEnd());
  await until("clients are served again", async () => (await waiting?.ask("SET", "k", "v")) === "OK");
});

async function warm(served: Served, count: number): Promise<RawClient[]> {
  const clients = await served.clients(count);
  for (const client of clients) await client.ask("INCR", "warm");
  return clients;
}

/** Resolves when so many requests are at the engine, or behind one that is there. */
async function arrive({ proxy }: Served, count: number, send: () => void): Promise<void> {
  const { requests } = await proxy.stats();
  send();
  await until("all requests have arrived", async () => (await proxy.stats()).requests >= requests + count);
  // the proxy sends at the end of the turn in which it has counted them; this is answered in a later one
  await proxy.stats();
}

function lease(served: Served, untilMs: number) {
  return done(served.proxy.send({ op: "lease", untilMs }));
}

function past(moment: number): Promise<void> {
  return until("the moment has come", () => uptimeMs() > moment);
}
