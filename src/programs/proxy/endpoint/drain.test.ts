import assert from "node:assert/strict";
import { test } from "node:test";
import { Redis } from "ioredis";
import { atEngine } from "../../../../test/kit/engines/at-engine.ts";
import { done, endpointFor, startProxy } from "../../../../test/kit/engines/proxy.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import { suspend } from "../../../../test/kit/engines/suspend.ts";
import { until } from "#kit/testing/until";
import { endpointSettings } from "../../../core/api/settings/effects.ts";
import { systemClock } from "#kit/reconcile/system-clock";
import { drainSessions, type DrainableSession } from "./drain.ts";
import { settingsWith } from "../../../../test/kit/facts/settings.ts";

test("an unmodified client library under load moves to another proxy without a failed request", async () => {
  await using served = await Served.start();
  await using other = await startProxy();
  const second = endpointFor(served.primary);
  await done(other.send({ op: "configure", endpoints: [second] }));
  const clients = Array.from({ length: 20 }, () => new Redis({ ...served.endpoint.listen }));
  using _clients = { [Symbol.dispose]: () => clients.forEach((client) => client.disconnect()) };
  for (const client of clients) client.on("error", () => undefined); // a failed request is what counts
  const load = clients.map((client, i) => increment(client, `counter:${i}`));
  await until("there is load", () => load.every(({ count }) => count() > 10));
  // where a client connects next time, as a name that resolves to another address
  for (const client of clients) Object.assign(client.options, second.listen);
  const drained = await done(served.proxy.send({ op: "drain", deadlineMs: 30_000 }));
  const before = load.map(({ count }) => count());
  await until("all clients go on", () => load.every(({ count }, i) => count() > (before[i] ?? 0) + 10));
  const acknowledged = await Promise.all(load.map(({ stop }) => stop()));
  const found = await Promise.all(clients.map((client, i) => client.get(`counter:${i}`)));
  assert.deepEqual(found.map(Number), acknowledged);
  assert.deepEqual(drained, { ok: true, op: "drain", closed: 20, remaining: 0 });
  assert.equal((await served.proxy.stats()).listening, false);
});

test("a drain ends every kind of session at a boundary, and a later request is not executed", async () => {
  await using served = await Served.start();
  const [idle, transaction, subscriber, blocked, lucky, writer] = await served.clients(6);
  const [slow, watching] = [await served.client(), await served.client()];
  await watching.ask("HELLO", 3);
  // it has a connection to the engine of its own
  await watching.ask("CLIENT", "TRACKING", "ON");
  assert.equal(await idle?.ask("PING"), "PONG");
  await transaction?.ask("MULTI");
  await transaction?.ask("INCR", "inTransaction");
  await subscriber?.ask("SUBSCRIBE", "news");
  blocked?.send("BLPOP", "empty", 0);
  lucky?.send("BLPOP", "filled", 0);
  await until("two are blocked", async () =>
    String(await served.primary.call("INFO", "clients")).includes("blocked_clients:2"),
  );
  using primary = await suspend(served.primary);
  await atEngine(served.proxy, 2, () => {
    slow.send("INCR", "slow");
    watching.send("WATCH", "watched");
  });
  const draining = done(served.proxy.send({ op: "drain", deadlineMs: 8_000 }));
  await until("idle clients are closed", () => [idle, subscriber, writer].every((client) => client?.over === true));
  idle?.send("INCR", "crossed");
  primary.resume();
  assert.equal(await slow.read(), 1);
  // a library that gets the answer to a WATCH sends the EXEC wherever it is connected then, without what was watched
  assert.equal(await watching.read(), "OK");
  assert.equal(await watching.ask("MULTI"), "OK");
  assert.equal(await watching.ask("INCR", "counted"), "QUEUED");
  assert.deepEqual(await watching.ask("EXEC"), [1]);
  await served.primary.call("RPUSH", "filled", "x");
  assert.deepEqual(await lucky?.read(), ["filled", "x"]);
  assert.deepEqual(await transaction?.ask("EXEC"), [1]);
  for (const client of [idle, transaction, subscriber, lucky, writer, slow, watching]) client?.end();
  await until("the blocked client is closed, without an answer", () => blocked?.over === true);
  assert.equal(blocked?.unread.length, 0);
  blocked?.end();
  assert.deepEqual(await draining, { ok: true, op: "drain", closed: 8, remaining: 0 });
  assert.equal(await served.primary.call("GET", "crossed"), null);
});

test("a client that never closes counts as remaining, and clients are accepted again after undrain", async () => {
  await using served = await Served.start();
  const stubborn = await served.client();
  await stubborn.ask("PING");
  const drained = await done(served.proxy.send({ op: "drain", deadlineMs: 200 }));
  assert.deepEqual(drained, { ok: true, op: "drain", closed: 0, remaining: 1 });
  await assert.rejects(served.client(), /ECONNREFUSED/);
  await done(served.proxy.send({ op: "undrain" }));
  assert.equal(await (await served.client()).ask("PING"), "PONG");
});

test("a drain that is taken back ends no client that comes behind it", async () => {
  await using served = await Served.start();
  const inTransaction = await served.client();
  assert.equal(await inTransaction.ask("MULTI"), "OK");
  const draining = done(served.proxy.send({ op: "drain", deadlineMs: 30_000 }));
  await until("no client is accepted", async () => !(await served.proxy.stats()).listening);
  await done(served.proxy.send({ op: "undrain" }));
  const late = await served.client();
  assert.equal(await late.ask("PING"), "PONG");
  await draining;
  assert.equal(await late.ask("PING"), "PONG");
  assert.deepEqual(await inTransaction.ask("EXEC"), []);
});

test("clients that come by a map of before are served, until the last one has gone for a while", async () => {
  await using served = await Served.start(OF_CLUSTER);
  const slow = await served.client();
  await slow.ask("PING");
  const draining = done(served.proxy.send({ op: "drain", deadlineMs: 8_000 }));
  // it is told to go, and its machine has no time to notice
  await until("the connection is ended", () => slow.over);
  const late = await served.client();
  assert.equal(await late.ask("SET", "k", "1"), "OK");
  late.end();
  slow.end();
  const last = await served.client();
  assert.equal(await last.ask("GET", "k"), "1");
  await until("the connection of the last client is ended", () => last.over);
  assert.equal((await served.proxy.stats()).listening, true);
  last.end();
  const drained = await draining;
  assert.ok("remaining" in drained && drained.remaining === 0);
  await assert.rejects(served.client(), /ECONNREFUSED/);
});

test("clients that come by a map of before are accepted no longer than the drain lasts", async () => {
  await using served = await Served.start(OF_CLUSTER);
  const stubborn = await served.client();
  const draining = done(served.proxy.send({ op: "drain", deadlineMs: 1_000 }));
  await until("no client is accepted", async () => !(await served.proxy.stats()).listening);
  assert.deepEqual(await draining, { ok: true, op: "drain", closed: 0, remaining: 1 });
  assert.equal(stubborn.over, true);
});

for (const isInMaps of [false, true])
  test(`a client that was accepted as the last one is ended at a boundary${isInMaps ? ", by a map of before" : ""}`, async () => {
    const sessions = new Set<DrainableSession>();
    const ends: string[] = [];
    const note = (what: string) => () => {
      ends.push(what);
      sessions.clear();
    };
    const accepted = {
      moving: { ask: () => false },
      life: { drain: note("drain"), drainNow: note("drainNow"), destroy: note("destroy") },
    };
    // it waits for its turn until no others are accepted
    const stopListening = (): void => void (ends.length === 0 && sessions.add(accepted));
    const drained = drainSessions(sessions, 400, systemClock, { stopListening, isInMaps, goesOn: () => true });
    assert.deepEqual(await drained, { closed: 1, remaining: 0 });
    assert.deepEqual(ends, ["drain"]);
  });

const OF_CLUSTER = { settings: endpointSettings(settingsWith({ ossCluster: true })) };

function increment(client: Redis, key: string) {
  let acknowledged = 0;
  let stopped = false;
  const run = (async () => {
    while (!stopped) acknowledged = await client.incr(key);
  })();
  return {
    count: () => acknowledged,
    stop: async () => {
      stopped = true;
      await run;
      return acknowledged;
    },
  };
}
