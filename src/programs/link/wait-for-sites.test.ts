import assert from "node:assert/strict";
import { test } from "node:test";
import { startEngine, type TestEngine } from "../../../test/kit/engines/engine.ts";
import { addressOf, done, endpointFor, startProxy } from "../../../test/kit/engines/proxy.ts";
import { RawClient } from "../../../test/kit/engines/raw-client.ts";
import { startLinkedSites, type LinkedSitesOptions } from "../../../test/kit/links/linked-sites.ts";
import { until } from "#kit/testing/until";

const PATIENCE = { withinMs: 60_000 };

await test("WAITSITES replies when so many other sites have what was written before", async () => {
  await using scene = await openScene();
  const { client, others } = scene;
  for (let value = 1; value <= 10; value += 1) {
    await client.ask("SET", "k", String(value));
    // the whole list is read before it is sent
    await client.ask("RPUSH", "list", String(value));
    assert.equal(await client.ask("WAITSITES", "2", "30000"), 2);
    for (const engine of others)
      assert.deepEqual(await Promise.all([engine.call("GET", "k"), engine.call("LLEN", "list")]), [
        String(value),
        value,
      ]);
  }
  assert.ok(Number(await client.ask("WAITSITES", "1", "0")) >= 1);
});

await test("WAITSITES replies after its timeout how many have it, and in the order of the requests", async () => {
  await using scene = await openScene();
  const { client, world } = scene;
  await client.ask("WAITSITES", "2", "0");
  world.cut(1, 2);
  world.cut(2);
  await client.ask("SET", "k", "1");
  assert.equal(await client.ask("WAITSITES", "1", "0"), 1);
  const began = performance.now();
  const replies = await Promise.all([client.ask("WAITSITES", "2", "1000"), client.ask("GET", "k")]);
  assert.deepEqual(replies, [1, "1"]);
  assert.ok(performance.now() - began >= 1_000);
  const waiting = client.ask("WAITSITES", "2", "0");
  world.heal();
  assert.equal(await waiting, 2);
});

await test("WAITSITES goes on when the link ends meanwhile", async () => {
  await using scene = await openScene();
  const { client, world, others } = scene;
  await client.ask("WAITSITES", "2", "0");
  world.cut(1);
  await client.ask("SET", "k", "1");
  const waiting = client.ask("WAITSITES", "2", "0");
  await world.restartLink(1);
  world.heal();
  assert.equal(await waiting, 2);
  assert.deepEqual(await Promise.all(others.map((engine) => engine.call("GET", "k"))), ["1", "1"]);
});

await test("WAITSITES is answered after a change of primary that holds its client", async () => {
  await using scene = await openScene({ withReplicas: true });
  const { client, proxy, world, others } = scene;
  await client.ask("WAITSITES", "2", "0");
  world.cut(1);
  await client.ask("SET", "k", "1");
  const waiting = client.ask("WAITSITES", "2", "0");
  await done(proxy.send({ op: "hold", bdb: 1, epoch: 2, drainMs: 1_000, holdMs: 30_000 }));
  await world.promoteReplica(1);
  const next = client.ask("INCR", "next");
  world.heal();
  const primary = world.sites[0]?.engine;
  assert.ok(primary !== undefined);
  await done(proxy.send({ op: "release", bdb: 1, epoch: 2, target: addressOf(primary) }));
  assert.deepEqual(await Promise.all([waiting, next]), [2, 1]);
  assert.deepEqual(await Promise.all(others.map((engine) => engine.call("GET", "k"))), ["1", "1"]);
});

await test("WAITSITES counts no site while its own one looks for what its clients did before its stream began", async () => {
  await using scene = await openScene({ sites: 2, keepsData: "unread" });
  const { client, world, others } = scene;
  await client.ask("SET", "k", "1");
  assert.equal(await client.ask("WAITSITES", "1", "0"), 1);
  // the other one connects, and learns what is written from now on
  world.cutFrom(1);
  await world.restartEngine(1, async (engine) => void (await engine.call("SET", "unseen", "1")));
  const isLinked = async (): Promise<boolean> =>
    (await world.sites[0]?.link.status())?.[0]?.sites[0]?.state === "syncing";
  await until("the other site has connected", isLinked, PATIENCE);
  assert.equal(await client.ask("WAITSITES", "1", "1500"), 0);
  world.heal();
  assert.equal(await client.ask("WAITSITES", "1", "0"), 1);
  assert.equal(await others[0]?.call("GET", "unseen"), "1");
});

await test("WAITSITES is taken back at the end of a drain, as commands that block are", async () => {
  await using scene = await openScene();
  const { client, proxy } = scene;
  client.send("WAITSITES", "3", "0");
  const drained = proxy.send({ op: "drain", deadlineMs: 2_000 });
  assert.equal(await client.read(), undefined, "a client that gets no reply sends it again elsewhere");
  client.close();
  assert.deepEqual(await drained, { ok: true, op: "drain", closed: 1, remaining: 0 });
});

await test("WAITSITES is refused where it is wrong, and where there are no sites", async () => {
  await using engine = await startEngine();
  await using proxy = await startProxy();
  const [site, plain] = [endpointFor(engine, { bdb: 1, site: { logins: [] } }), endpointFor(engine, { bdb: 2 })];
  await done(proxy.send({ op: "configure", endpoints: [site, plain] }));
  const client = await RawClient.connect(site.listen);
  assert.match(String(await client.ask("WAITSITES", "1")), /^-ERR wrong number of arguments for 'waitsites' command/);
  assert.match(String(await client.ask("WAITSITES", "one", "1")), /^-ERR value is not an integer or out of range/);
  assert.match(String(await client.ask("WAITSITES", "1", "-1")), /^-ERR timeout is negative/);
  await client.ask("MULTI");
  assert.match(String(await client.ask("WAITSITES", "1", "1")), /^-ERR store: WAITSITES is not available inside MULTI/);
  await client.ask("DISCARD");
  assert.equal(await client.ask("WAITSITES", "1", "50"), 0, "no link answers");
  client.close();
  const other = await RawClient.connect(plain.listen);
  assert.match(String(await other.ask("WAITSITES", "1", "1")), /^-ERR store: WAITSITES is for Active-Active databases/);
  other.close();
});

/** Linked sites, with a client at the endpoint of the first one. */
async function openScene(options: LinkedSitesOptions = {}) {
  await using stack = new AsyncDisposableStack();
  const world = stack.use(await startLinkedSites(options));
  await until("all are linked", () => world.areUp(), PATIENCE);
  const [first, ...others] = world.engines as readonly [TestEngine, ...TestEngine[]];
  const proxy = stack.use(await startProxy());
  const endpoint = endpointFor(first, { site: { logins: [] } });
  await done(proxy.send({ op: "configure", endpoints: [endpoint] }));
  const client = await RawClient.connect(endpoint.listen);
  stack.defer(() => client.close());
  const owned = stack.move();
  return { world, proxy, client, others, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
