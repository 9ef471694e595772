import assert from "node:assert/strict";
import { lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { test } from "node:test";
import { createClient } from "@redis/client";
import { done, endpointFor, startProxy } from "../../../../test/kit/engines/proxy.ts";
import { plain } from "../../../../test/kit/engines/raw-client.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import { startService } from "../../../../test/kit/engines/service.ts";
import { until } from "#kit/testing/until";
import { Push } from "../../../ports/resp/reply.ts";

/** The name of the database's Service, which leads to the address of the test's. */
const SERVICE = { host: "db.ns.svc.cluster.local", port: 12000 };
const CLIENTS = 10;
const REQUESTS_AT_ONCE = 4;

for (const maintEndpointType of ["none", "internal-fqdn"] as const)
  test(`node-redis with maintEndpointType ${maintEndpointType} leaves a drained proxy without a failed request`, async () => {
    await using served = await Served.start();
    await using other = await startProxy();
    const second = endpointFor(served.primary, { node: 2 });
    await done(other.send({ op: "configure", endpoints: [second] }));
    let target = served.endpoint.listen.host;
    await using service = await startService(second.listen.port, () => Promise.resolve([target]), "127.0.0.1");
    const { host, port } = service;
    const endpoint = { ...served.endpoint, service: { ...SERVICE, port } };
    await done(served.proxy.send({ op: "configure", endpoints: [endpoint] }));
    const named: LookupFunction = (name, options, callback) => {
      lookup(name === SERVICE.host ? host : name, options, callback);
    };
    const clients = Array.from({ length: CLIENTS }, () =>
      createClient({ socket: { host, port, lookup: named }, maintEndpointType, maintNotifications: "enabled" }),
    );
    using _clients = { [Symbol.dispose]: () => clients.forEach((client) => client.destroy()) };
    const failures: string[] = [];
    for (const client of clients) {
      client.on("error", (error: Error) => failures.push(error.message));
      await client.connect();
    }
    const counts = clients.map(() => 0);
    let isOver = false;
    const load = clients.flatMap((client, i) =>
      Array.from({ length: REQUESTS_AT_ONCE }, async () => {
        for (; !isOver; counts[i] = (counts[i] ?? 0) + 1) await client.incr(`counter:${i}`);
      }),
    );
    await until("there is load", () => counts.every((count) => count > 20));
    target = second.listen.host;
    const drained = await done(served.proxy.send({ op: "drain", deadlineMs: 30_000 }));
    const before = [...counts];
    await until("all clients go on", () => counts.every((count, i) => count > (before[i] ?? 0) + 20));
    isOver = true;
    await Promise.all(load);
    assert.deepEqual(failures, []);
    assert.deepEqual(drained, { ok: true, op: "drain", closed: CLIENTS, remaining: 0 });
    const found = await Promise.all(clients.map((client, i) => client.get(`counter:${i}`)));
    assert.deepEqual(found.map(Number), counts);
  });

test("a client is asked to move once its replies are there, and not when its connection has what another would lack", async () => {
  await using served = await Served.start({ service: SERVICE });
  const [plainClient, named, older, watching, subscriber, chosen] = await served.clients(6);
  for (const client of [plainClient, named, watching, subscriber, chosen]) await client?.ask("HELLO", 3);
  for (const client of [plainClient, watching, subscriber, chosen])
    assert.equal(await client?.ask("CLIENT", "MAINT_NOTIFICATIONS", "ON", "moving-endpoint-type", "none"), "OK");
  assert.equal(await named?.ask("client", "maint_notifications", "on", "moving-endpoint-type", "internal-fqdn"), "OK");
  assert.match(
    String(plain(await named?.ask("CLIENT", "MAINT_NOTIFICATIONS", "ON", "moving-endpoint-type", "internal-ip"))),
    /^-ERR store: .* none or internal-fqdn/,
  );
  assert.match(String(plain(await older?.ask("CLIENT", "MAINT_NOTIFICATIONS", "ON"))), /^-ERR store: .* HELLO 3/);
  await watching?.ask("WATCH", "k");
  await watching?.ask("UNWATCH");
  await subscriber?.ask("SUBSCRIBE", "news");
  await chosen?.ask("SELECT", 1);
  const draining = done(served.proxy.send({ op: "drain", deadlineMs: 30_000 }));
  await until("the others are closed", () => [older, watching, subscriber, chosen].every((client) => client?.over));
  const notices = [await plainClient?.read(), await named?.read()];
  const [[, number] = []] = notices.map((notice) => (notice instanceof Push ? notice.values : []));
  assert.ok(Number.isSafeInteger(number));
  assert.deepEqual(notices, [
    new Push(["MOVING", number ?? 0, 2, null]),
    new Push(["MOVING", number ?? 0, 2, `${SERVICE.host}:${SERVICE.port}`]),
  ]);
  assert.equal(await plainClient?.ask("SET", "k", "1"), "OK");
  named?.send("WATCH", "k");
  await until("what a new connection would lack is not begun", () => named?.over === true);
  assert.equal(named?.unread.length, 0);
  for (const client of [plainClient, named, older, watching, subscriber, chosen]) client?.end();
  assert.deepEqual(await draining, { ok: true, op: "drain", closed: 6, remaining: 0 });
});
