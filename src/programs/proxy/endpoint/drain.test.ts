import assert from "node:assert/strict";
import { test } from "node:test";
import { Redis } from "ioredis";
import { done, endpointFor, startProxy } from "../../../../test/kit/engines/proxy.ts";
import type { TestProxy } from "../../../../test/kit/engines/proxy.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import { until } from "../../../../test/kit/time/until.ts";

test("a stock client under load moves to another node's proxy without a failed request", async () => {
  await using served = await Served.start();
  await using other = await startProxy();
  const second = endpointFor(served.primary);
  await done(other.send({ op: "configure", endpoints: [second] }));
  const clients = Array.from({ length: 20 }, () => new Redis({ ...served.endpoint.listen }));
  for (const client of clients) client.on("error", () => undefined); // a failed request is what counts
  const load = clients.map((client, i) => increment(client, `counter:${i}`));
  await until("there is load", () => load.every(({ count }) => count() > 10));
  // where a client connects next time, as a name that resolves to another address
  for (const client of clients) Object.assign(client.options, second.listen);
  const drained = await done(served.proxy.send({ op: "drain", deadlineMs: 3000 }));
  const before = load.map(({ count }) => count());
  await until("all clients go on", () => load.every(({ count }, i) => count() > (before[i] ?? 0) + 10));
  const acknowledged = await Promise.all(load.map(({ stop }) => stop()));
  const found = await Promise.all(clients.map((client, i) => client.get(`counter:${i}`)));
  assert.deepEqual(found.map(Number), acknowledged);
  assert.deepEqual(drained, { ok: true, op: "drain", closed: 20, remaining: 0 });
  assert.equal((await served.proxy.stats()).listening, false);
  for (const client of clients) client.disconnect();
});

test("a drain ends every kind of session at a boundary, and what crosses is not executed", async () => {
  await using served = await Served.start();
  const [idle, transaction, subscriber, blocked, lucky, writer] = await served.clients(6);
  const slow = await served.client();
  assert.equal(await idle?.ask("PING"), "PONG");
  await transaction?.ask("MULTI");
  await transaction?.ask("INCR", "inTransaction");
  await subscriber?.ask("SUBSCRIBE", "news");
  blocked?.send("BLPOP", "empty", 0);
  lucky?.send("BLPOP", "filled", 0);
  slow.send("EVAL", SPIN, 0);
  await until("two are blocked", async () =>
    String(await served.primary.call("INFO", "clients")).includes("blocked_clients:2"),
  );
  const draining = done(served.proxy.send({ op: "drain", deadlineMs: 2000 }));
  await until("an idle client is closed", () => idle?.over === true && subscriber?.over === true);
  idle?.send("INCR", "crossed");
  assert.equal(writer?.over, true);
  assert.equal(await slow.read(), "done");
  await served.primary.call("RPUSH", "filled", "x");
  assert.deepEqual(await lucky?.read(), ["filled", "x"]);
  assert.deepEqual(await transaction?.ask("EXEC"), [1]);
  for (const client of [idle, transaction, subscriber, lucky, writer, slow]) client?.end();
  await until("the blocked client is closed, without an answer", () => blocked?.over === true);
  assert.equal(blocked?.unread.length, 0);
  blocked?.end();
  assert.deepEqual(await draining, { ok: true, op: "drain", closed: 7, remaining: 0 });
  assert.equal(await served.primary.call("GET", "crossed"), null);
});

test("a client that never closes is counted as remaining, and clients are taken again after undrain", async () => {
  await using served = await Served.start();
  const stubborn = await served.client();
  await stubborn.ask("PING");
  const drained = await done(served.proxy.send({ op: "drain", deadlineMs: 200 }));
  assert.deepEqual(drained, { ok: true, op: "drain", closed: 0, remaining: 1 });
  await assert.rejects(served.client(), /ECONNREFUSED/);
  await reopen(served.proxy);
  assert.equal(await (await served.client()).ask("PING"), "PONG");
});

const SPIN = "local t = redis.call('TIME')[1] + 1; while tonumber(redis.call('TIME')[1]) < t do end; return 'done'";

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

async function reopen(proxy: TestProxy): Promise<void> {
  await done(proxy.send({ op: "undrain" }));
}
