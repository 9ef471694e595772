import assert from "node:assert/strict";
import { test } from "node:test";
import { startEngine } from "../../../../test/kit/engines/engine.ts";
import { addressOf, done, endpointFor, startProxy, withShard } from "../../../../test/kit/engines/proxy.ts";
import type { EndpointShard } from "../../../ports/management/proxy-control.ts";
import { plain, RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { until } from "#kit/testing/until";

const LOADING = "-LOADING store: this site gets the data of the other sites";
const CLOSED = { op: "closed", bdb: 1, withinMs: 0 } as const;

test("clients of a site that awaits other sites get an error at once, in whatever state they are, until it awaits none", async () => {
  await using scene = await openSite();
  const { engine } = scene;
  const [shared, transaction, blocked] = [await scene.connect(), await scene.connect(), await scene.connect()];
  const [subscriber, scanner] = [await scene.connect(), await scene.connect()];
  await engine.call("MSET", ...Array.from({ length: 200 }, (_, i) => [`k${i}`, "v"]).flat());
  assert.equal(await shared.ask("GET", "k1"), "v");
  await transaction.ask("MULTI");
  await transaction.ask("SET", "k1", "of a transaction");
  blocked.send("BLPOP", "queue", 0);
  await subscriber.ask("SUBSCRIBE", "news");
  const [cursor] = (await scanner.ask("SCAN", 0)) as readonly string[];
  await until("the client blocks", async () => /blocked_clients:1/.test(String(await engine.call("INFO", "clients"))));
  assert.match(JSON.stringify(await scene.proxy.send(CLOSED)), /PROXY_LETS_CLIENTS_IN/);

  await scene.awaitSites(true);
  assert.deepEqual(await scene.proxy.send(CLOSED), { ok: true, op: "closed" });
  assert.match(String(await blocked.read()), /LOADING|undefined/);
  assert.equal(await subscriber.read(), undefined, "a subscriber that may miss messages is ended");
  assert.match(String(plain(await transaction.ask("EXEC"))), /^-EXECABORT .*: LOADING store: this site/);
  assert.equal(plain(await scanner.ask("SCAN", String(cursor))), LOADING);
  const late = await scene.connect();
  for (const client of [shared, late]) {
    for (const request of ["PING", "GET k1", "SET k1 x", "BLPOP queue 0", "MULTI", "INFO", "CONFIG GET save", "SCAN 0"])
      assert.equal(plain(await client.ask(...request.split(" "))), LOADING, request);
    assert.match(String(await client.ask("CLIENT", "ID")), /^\d+$/);
  }
  assert.equal(await late.ask("QUIT"), "OK");
  assert.equal(await engine.call("GET", "k1"), "v");

  await scene.awaitSites(false);
  for (const client of [shared, transaction, scanner]) {
    assert.equal(await client.ask("SET", "k1", "later"), "OK");
    assert.equal(await client.ask("GET", "k1"), "later");
  }
});

test("a site that awaits others keeps clients from each primary that it gets, and from an engine that starts anew", async () => {
  await using scene = await openSite({ awaitsSites: true });
  await using successor = await startEngine();
  const client = await scene.connect();
  const { proxy } = scene;
  assert.equal(plain(await client.ask("GET", "k")), LOADING);
  const target = addressOf(successor);
  await done(proxy.send({ op: "prepare", bdb: 1, epoch: 2, target }));
  await done(proxy.send({ op: "hold", bdb: 1, epoch: 2, drainMs: 100, holdMs: 1_000 }));
  await done(proxy.send({ op: "release", bdb: 1, epoch: 2, target }));
  assert.equal(plain(await client.ask("SET", "k", "v")), LOADING);
  await scene.awaitSites(true, { epoch: 2, primary: target });
  await done(proxy.send({ op: "fence", bdb: 1, epoch: 3 }));
  assert.equal(plain(await client.ask("GET", "k")), LOADING);
  await scene.awaitSites(false, { epoch: 3, primary: target });
  assert.equal(await client.ask("SET", "k", "v"), "OK");
  assert.equal(await successor.call("GET", "k"), "v");
});

const LEAVES = { "with FIN": "end", "with FIN, and reads nothing more": "close", "with RST": "reset" } as const;

for (const [how, leave] of Object.entries(LEAVES))
  test(`a client that leaves ${how} while it waits for other sites stays no longer`, async () => {
    await using scene = await openSite();
    const [alone, follows, other] = [await scene.connect(), await scene.connect(), await scene.connect()];
    for (const client of [alone, follows]) client.send("WAITSITES", "3", "0");
    follows.send("SET", "behind", "1");
    await until("both wait", async () => String(await other.ask("CLIENT", "LIST")).split("cmd=waitsites").length === 3);
    for (const client of [alone, follows]) client[leave]();
    await until(
      "both are gone",
      async () =>
        String(await other.ask("CLIENT", "LIST"))
          .trim()
          .split("\n").length === 1,
    );
    assert.equal(await other.ask("GET", "behind"), null);
    if (leave === "end") assert.deepEqual([await alone.read(), await follows.read()], [undefined, undefined]);
  });

/** The endpoint of a site, in front of a real engine. */
async function openSite(closed?: { readonly awaitsSites: true }) {
  await using stack = new AsyncDisposableStack();
  const engine = stack.use(await startEngine());
  const proxy = stack.use(await startProxy());
  const endpoint = endpointFor(engine);
  const { logins } = endpoint;
  const configure = (site: typeof closed, more: Partial<EndpointShard> = {}) =>
    done(proxy.send({ op: "configure", endpoints: [{ ...withShard(endpoint, more), site: { logins, ...site } }] }));
  await configure(closed);
  const owned = stack.move();
  return {
    engine,
    proxy,
    connect: async () => {
      const client = await RawClient.connect(endpoint.listen);
      owned.defer(() => {
        client.close();
      });
      return client;
    },
    awaitSites: (awaits: boolean, more?: Partial<EndpointShard>) =>
      configure(awaits ? { awaitsSites: true } : undefined, more),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
