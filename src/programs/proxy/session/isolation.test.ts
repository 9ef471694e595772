import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { test } from "node:test";
import { startEngine } from "../../../../test/kit/engines/engine.ts";
import { done, endpointFor, startProxy } from "../../../../test/kit/engines/proxy.ts";
import { plain, RawClient } from "../../../../test/kit/engines/raw-client.ts";
import type { Address } from "../../../ports/management/proxy-control.ts";
import { startAll } from "../../../../test/kit/engines/start-all.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import { until } from "#kit/testing/until";

/** A primary that does not exist: a replica of it keeps its data. */
const NOWHERE = ["127.0.0.1", 1] as const;
const ROLE_TEXT = "READONLY You can't write against a read only replica.";

test("data that looks like a message is a reply to whom asked for it, and the primary can move on", async () => {
  await using served = await Served.start();
  const [client, writer, subscriber, modern] = await served.clients(4);
  await writer?.ask("HSET", "hash", "message", "x");
  await client?.ask("WATCH", "hash");
  assert.deepEqual(await client?.ask("HGETALL", "hash"), ["message", "x"]);
  client?.send("BLPOP", "message", 0);
  await until("it waits", async () =>
    String(await served.primary.call("INFO", "clients")).includes("blocked_clients:1"),
  );
  await writer?.ask("RPUSH", "message", "pmessage");
  assert.deepEqual(await client?.read(), ["message", "pmessage"]);
  await writer?.ask("RPUSH", "list", "message", "subscribe", "store:move:x");
  await modern?.ask("HELLO", 3);
  await modern?.ask("SUBSCRIBE", "channel");
  assert.deepEqual(await modern?.ask("LRANGE", "list", 0, -1), ["message", "subscribe", "store:move:x"]);
  await subscriber?.ask("SUBSCRIBE", "channel");
  await writer?.ask("PUBLISH", "channel", "store:move:x");
  assert.deepEqual(await subscriber?.read(), ["message", "channel", "store:move:x"]);
  await served.move();
  assert.equal(await client?.ask("HGET", "hash", "message"), "x");
});

test("a subscription that the engine refuses is answered once, and the session goes on", async () => {
  await using served = await Served.start();
  for (const engine of [served.primary, served.replica])
    await engine.call("ACL", "SETUSER", "ann", "on", ">pw", "~*", "+@all", "resetchannels");
  const client = await served.client();
  await client.ask("AUTH", "ann", "pw");
  assert.match(String(await client.ask("SUBSCRIBE", "a", "b", "c")), /^-NOPERM/);
  await served.move();
  assert.match(String(await client.ask("SUBSCRIBE")), /^-ERR wrong number/);
  await served.move();
  assert.equal(await client.ask("SET", "k", "v"), "OK");
});

test("a script that answers like an engine that refuses runs once", async () => {
  await using served = await Served.start();
  const [plainClient, pinned] = await served.clients(2);
  await pinned?.ask("WATCH", "k");
  for (const client of [plainClient, pinned])
    for (const text of ["LOADING Redis is loading the dataset in memory", ROLE_TEXT, "LOADING x", "MASTERDOWN x"]) {
      await served.primary.call("SET", "runs", 0);
      const script = `redis.call('INCR', 'runs'); return redis.error_reply(${JSON.stringify(text)})`;
      client?.send("EVAL", script, 0);
      client?.send("GET", "runs");
      assert.equal(String(plain(await client?.read())).startsWith(`-${text}`), true);
      assert.equal(await client?.read(), "1");
    }
});

test("a script that a demoted engine has refused runs at the next primary", async () => {
  await using served = await Served.start();
  const [plainClient, pinned] = await served.clients(2);
  await pinned?.ask("WATCH", "k");
  await served.moveEngines();
  for (const client of [plainClient, pinned]) client?.send("EVAL", "return redis.call('INCR', KEYS[1])", 1, "runs");
  await until("both were refused", async () => (await served.proxy.stats()).inFlight === 0);
  await done(served.release());
  assert.deepEqual([await plainClient?.read(), await pinned?.read()].toSorted(), [1, 2]);
});

test("a client that leaves in the middle of its replies leaves nothing to the next one", async () => {
  await using scene = await startBehindRelay();
  const { engine, relay, proxy } = scene;
  await engine.call("SET", "large", Buffer.alloc(2 ** 20, "s"));
  const [leaving, next] = [await scene.client(), await scene.client()];
  await Promise.all([leaving.ask("PING"), next.ask("PING")]);
  await engine.call("REPLICAOF", ...NOWHERE);
  relay.holdRepliesBehind(2 ** 18);
  leaving.write("SET k v\r\nGET large\r\n");
  await relay.held();
  leaving.reset();
  await until("it has left", async () => (await proxy.stats()).clients === 1);
  next.write("NOSUCH\r\n");
  relay.passReplies();
  assert.match(String(plain(await next.read())), /^-ERR unknown command/);
});

test("a write that the engine has refused is not executed behind a later one of its client", async () => {
  await using scene = await startBehindRelay();
  const { engine, relay, proxy } = scene;
  const client = await scene.client();
  assert.equal(await client.ask("SET", "k", "0"), "OK");
  await engine.call("REPLICAOF", ...NOWHERE);
  relay.holdRepliesBehind(0);
  client.send("SET", "k", "1");
  await until("the first is refused", async () => String(await engine.call("INFO", "errorstats")).includes("READONLY"));
  await engine.call("REPLICAOF", "NO", "ONE");
  client.send("SET", "k", "2");
  await until("the second is executed", async () => (await engine.call("GET", "k")) === "2");
  relay.passReplies();
  assert.equal(await client.read(), undefined);
  assert.equal(await engine.call("GET", "k"), "2");
  assert.equal((await proxy.stats()).cut, 1);
});

/** A proxy that reaches its engine through a relay. */
async function startBehindRelay() {
  const [engine, proxy] = await startAll(startEngine(), startProxy());
  const relay = await startRelay(engine);
  const endpoint = endpointFor(relay.address);
  await done(proxy.send({ op: "configure", endpoints: [endpoint] }));
  return {
    engine,
    proxy,
    relay,
    client: () => RawClient.connect(endpoint.listen),
    [Symbol.asyncDispose]: async () => {
      await Promise.allSettled([engine.stop(), relay.stop()]);
      await proxy.stop();
    },
  };
}

/** A way to an engine on which replies can be held back. */
async function startRelay({ host, port }: Address) {
  const sockets = new Set<Socket>();
  const engines = new Set<Socket>();
  let left = Infinity;
  const held = Promise.withResolvers<undefined>();
  const server = createServer({ noDelay: true }, (socket) => {
    const engine = connect({ host, port, noDelay: true });
    for (const one of [socket, engine]) {
      sockets.add(one);
      one.on("error", () => undefined);
      one.once("close", () => [socket, engine].forEach((end) => end.destroy()));
    }
    engines.add(engine);
    socket.pipe(engine);
    engine.on("data", (bytes) => {
      socket.write(bytes);
      left -= bytes.length;
      if (left > 0) return;
      engine.pause();
      held.resolve(undefined);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    address: { host: "127.0.0.1", port: (server.address() as AddressInfo).port },
    /** After so many bytes; at once when that is 0. */
    holdRepliesBehind: (bytes: number) => {
      left = bytes;
      if (bytes === 0) for (const engine of engines) engine.pause();
    },
    held: () => held.promise,
    passReplies: () => {
      left = Infinity;
      for (const engine of engines) engine.resume();
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
