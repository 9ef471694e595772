import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { test } from "node:test";
import { endpointSettings } from "../../../core/api/settings/effects.ts";
import { slotOf } from "../../../core/slots/slot.ts";
import { Push, type Reply } from "../../../ports/resp/reply.ts";
import type { EndpointConfig } from "../../../ports/management/proxy-control.ts";
import { engineNames, loopbackAddress, startEngine, type TestEngine } from "../../../../test/kit/engines/engine.ts";
import { done, endpointFor, startProxy, addressOf } from "../../../../test/kit/engines/proxy.ts";
import { plain, RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { startAll } from "../../../../test/kit/engines/start-all.ts";
import { settingsWith } from "../../../../test/kit/facts/settings.ts";
import { shardedEndpoint } from "../../../../test/kit/sharded/sharded.ts";

const PORT = 10_000;
const CLUSTER_PORT = 19_999;
const CLUSTER = endpointSettings(settingsWith({ ossCluster: true }));
/** Of two shards with even slots, the first has `b`, the second `a`. */
const [IN_FIRST, IN_SECOND] = ["b", "a"];

/** Two nodes, each with an engine and a proxy, whose clients see a cluster. */
async function startNodes({ shards = 2, engine }: { readonly shards?: number; readonly engine?: string } = {}) {
  const hosts = [loopbackAddress(), loopbackAddress()];
  const engines = await startAll(...hosts.map((host) => startEngine({ host, engine })));
  const proxies = await startAll(startProxy(), startProxy());
  const served = engines.slice(0, shards);
  const nodes = hosts.map((host, at) => ({ node: at + 1, host }));
  const endpoints = nodes.map(({ node, host }): EndpointConfig => {
    const more = { node, listen: { host, port: PORT }, clusterPort: CLUSTER_PORT, nodes, settings: CLUSTER };
    return shards === 1 ? endpointFor(served[0], more) : shardedEndpoint(served, more);
  });
  for (const [at, proxy] of proxies.entries())
    await done(proxy.send({ op: "configure", endpoints: endpoints.slice(at, at + 1) }));
  return {
    engines,
    proxies,
    endpoints,
    client: async (node: number, port = CLUSTER_PORT) => {
      const client = await RawClient.connect({ host: hosts[node - 1] ?? "", port });
      assert.equal(await client.ask("PING"), "PONG", "it is accepted");
      return client;
    },
    /** The first shard goes to another engine. */
    move: async (target: TestEngine, epoch: number) => {
      for (const proxy of proxies)
        await done(proxy.send({ op: "release", bdb: 1, shard: 1, epoch, target: addressOf(target) }));
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...engines, ...proxies].map((one) => one.stop()));
    },
  };
}

const at = (address: { readonly host: string } | undefined): string => `${String(address?.host)}:${CLUSTER_PORT}`;

for (const engine of engineNames())
  test(`a client at any node sees which node serves which slots, and that it is a cluster, of ${engine}`, async () => {
    await using cluster = await startNodes({ engine });
    for (const [node, port] of [1, 2].flatMap((node) => [[node, PORT] as const, [node, CLUSTER_PORT] as const])) {
      const client = await cluster.client(node, port);
      const [one, other] = cluster.engines.map(({ host }) => host);
      const rows = await client.ask("CLUSTER", "SLOTS");
      assert.deepEqual(
        rowsIn(rows).map(([from, to, [host, port]]) => [from, to, host, port]),
        [
          [0, 8191, one, CLUSTER_PORT],
          [8192, 16_383, other, CLUSTER_PORT],
        ],
      );
      assert.match(
        text(await client.ask("CLUSTER", "NODES")),
        new RegExp(`${at(cluster.endpoints[node - 1]?.listen)}@0 myself,master`),
      );
      assert.match(text(await client.ask("CLUSTER", "INFO")), /^cluster_state:ok\r\n/);
      assert.ok(texts(await client.ask("CLUSTER", "HELP")).includes("SLOTS"));
      assert.equal(rowsIn(rows)[node - 1]?.[2][2], text(await client.ask("CLUSTER", "MYID")));
      assert.match(text(await client.ask("INFO")), /cluster_enabled:1\r\n/);
      assert.match(text(await client.ask("INFO", "server")), /_mode:cluster\r\n/);
      assert.ok(texts(await client.ask("HELLO", "2")).includes("cluster"));
      for (const word of ["READONLY", "READWRITE", "ASKING"]) assert.equal(text(await client.ask(word)), "OK");
      assert.equal(plain(await client.ask("CLUSTER", "KEYSLOT", "{a}b")), slotOf(Buffer.from("a")));
      const own = [IN_FIRST, IN_SECOND][node - 1];
      const keys = port === PORT ? [IN_FIRST, IN_SECOND] : [own];
      for (const key of keys) assert.equal(text(await client.ask("SET", String(key), "1")), "OK");
    }
  });

test("commands of a cluster that an endpoint cannot answer are refused by their names, and wrong ones as engines do it", async () => {
  await using cluster = await startNodes();
  const client = await cluster.client(1);
  assert.match(
    text(await client.ask("CLUSTER", "COUNTKEYSINSLOT", "1")),
    /^ERR store: CLUSTER COUNTKEYSINSLOT is not available/,
  );
  assert.match(text(await client.ask("CLUSTER", "FAILOVER")), /^ERR store: CLUSTER FAILOVER is not available/);
  assert.equal(
    text(await client.ask("CLUSTER", "KEYSLOT")),
    "ERR wrong number of arguments for 'cluster|keyslot' command",
  );
  assert.equal(text(await client.ask("READONLY", "x")), "ERR wrong number of arguments for 'readonly' command");
  assert.equal(text(await client.ask("MULTI")), "OK");
  assert.match(text(await client.ask("READONLY")), /not available .* with it, the reply is OK outside `MULTI`/);
});

test("a database whose clients see no cluster answers as before", async () => {
  await using engine = await startEngine();
  await using proxy = await startProxy();
  const endpoint = endpointFor(engine);
  await done(proxy.send({ op: "configure", endpoints: [endpoint] }));
  const client = await RawClient.connect(endpoint.listen);
  assert.equal(text(await client.ask("CLUSTER", "SLOTS")), "ERR This instance has cluster support disabled");
  assert.match(text(await client.ask("READONLY")), /^ERR store: READONLY is not available at an endpoint/);
  assert.match(text(await client.ask("INFO")), /cluster_enabled:0\r\n/);
  assert.ok(texts(await client.ask("HELLO", "2")).includes("standalone"));
});

for (const shards of [1, 2])
  test(`a client at the port of the map gets MOVED for slots that have left its node, without having asked for the map; of ${shards} shards`, async () => {
    await using cluster = await startNodes({ shards });
    const [first, second] = cluster.engines;
    const [client, other] = [await cluster.client(1), await cluster.client(1, PORT)];
    await other.ask("CLUSTER", "SLOTS");
    if (second !== undefined) await cluster.move(second, 2);
    const moved = `MOVED ${slotOf(Buffer.from(IN_FIRST))} ${at(second)}`;
    const words = ["SET", "GET", "APPEND"];
    for (const word of words) client.send(word, IN_FIRST, ...(word === "GET" ? [] : ["1"]));
    assert.deepEqual(
      (await client.readMany(words.length)).map(text),
      words.map(() => moved),
    );
    assert.equal(text(await client.ask("PING")), "PONG");
    // at the port of all clients each request is forwarded, to wherever
    assert.equal(text(await other.ask("SET", IN_FIRST, "2")), "OK");
    assert.equal(text(await (await cluster.client(2)).ask("GET", IN_FIRST)), "2");
    // and back again
    if (first !== undefined) await cluster.move(first, 3);
    assert.equal(text(await client.ask("SET", IN_FIRST, "3")), "OK");
  });

test("what is for another node is MOVED also when the node of the client has never served it", async () => {
  await using cluster = await startNodes();
  const client = await cluster.client(2);
  assert.match(text(await client.ask("SET", IN_FIRST, "1")), new RegExp(`^MOVED \\d+ ${at(cluster.engines[0])}`));
  assert.equal(text(await client.ask("SET", IN_SECOND, "1")), "OK");
  // requests that follow each other, some of them for the node
  for (const key of [IN_SECOND, IN_FIRST, IN_SECOND]) client.send("SET", key, "2");
  const answers = (await client.readMany(3)).map(text);
  assert.deepEqual([answers[0], answers[1]?.slice(0, 5), answers[2]], ["OK", "MOVED", "OK"]);
});

test("where the node of a primary takes no clients, any other one forwards to it", async () => {
  await using cluster = await startNodes();
  const [, second] = cluster.endpoints;
  if (second === undefined) throw new Error("no endpoint");
  const endpoints = [{ ...second, nodes: second.nodes?.slice(1) ?? [] }];
  await done(cluster.proxies[1]?.send({ op: "configure", endpoints }) ?? never());
  const client = await cluster.client(2);
  assert.equal(text(await client.ask("SET", IN_FIRST, "1")), "OK");
});

test("while clients are held no node sends them to the one of before, which may send them back", async () => {
  await using cluster = await startNodes();
  const [first, second] = cluster.engines;
  if (first === undefined || second === undefined) throw new Error("no engines");
  const client = await cluster.client(1);
  await cluster.move(second, 2);
  for (const proxy of cluster.proxies)
    await done(proxy.send({ op: "hold", bdb: 1, shard: 1, epoch: 3, drainMs: 5_000, holdMs: 60_000 }));
  client.send("SET", IN_FIRST, "1");
  await cluster.move(first, 3);
  assert.equal(text(await client.read()), "OK");
});

test("of what is read from replicas only that is MOVED which the replica is none of", async () => {
  await using cluster = await startNodes({ shards: 1 });
  const client = await cluster.client(1);
  assert.equal(text(await client.ask("READONLY")), "OK");
  const [, second] = cluster.engines;
  if (second !== undefined) await cluster.move(second, 2);
  assert.equal(plain(await client.ask("GET", IN_FIRST)), null);
  assert.equal(text(await client.ask("READWRITE")), "OK");
  assert.match(text(await client.ask("GET", IN_FIRST)), /^MOVED/);
});

test("requests that are MOVED, and those for an engine at another node, are counted for clients of a cluster alone", async () => {
  await using cluster = await startNodes();
  const [client, other] = [await cluster.client(1), await cluster.client(1, PORT)];
  for (const one of [client, other]) for (const key of [IN_FIRST, IN_SECOND]) await one.ask("SET", key, "1");
  for (const one of [client, other]) await one.ask("MGET", IN_FIRST, IN_SECOND);
  const { moved, forwarded } = (await cluster.proxies[0]?.stats())?.counted ?? {};
  assert.deepEqual([moved, forwarded], [1, 1]);
});

test("clients of a cluster that have asked for it get the slots that have moved, with the same number at each node", async () => {
  await using cluster = await startNodes();
  const [first, second] = cluster.engines;
  if (first === undefined || second === undefined) throw new Error("no engines");
  const clients = [await cluster.client(1), await cluster.client(2)];
  const [quiet, former, plain3] = [await cluster.client(1), await cluster.client(1), await cluster.client(1, PORT)];
  const asks = ["CLIENT", "MAINT_NOTIFICATIONS", "ON", "moving-endpoint-type", "internal-ip"] as const;
  for (const client of [...clients, quiet, plain3]) await client.ask("HELLO", "3");
  for (const client of clients) assert.equal(text(await client.ask(...asks)), "OK");
  assert.match(text(await former.ask(...asks)), /needs RESP3/);
  assert.match(text(await plain3.ask(...asks)), /does not know by which address/);
  await cluster.move(second, 2);
  const pushes = await Promise.all(clients.map((client) => client.read()));
  assert.deepEqual(plain(pushes[0] as Reply), new Push(["SMIGRATED", 3, [[at(first), at(second), "0-8191"]]]));
  assert.deepEqual(pushes[1], pushes[0]);
  // nothing has moved: none of them gets another one before its reply
  for (const endpoint of cluster.endpoints)
    await done(
      cluster.proxies[endpoint.node - 1]?.send({ op: "configure", endpoints: [moved(endpoint, second)] }) ?? never(),
    );
  for (const client of [...clients, quiet, plain3]) assert.equal(text(await client.ask("PING")), "PONG");
});

for (const shards of [1, 2])
  test(`a large request for another node is MOVED as well, and a very large one forwarded; of ${shards} shards`, async () => {
    await using cluster = await startNodes({ shards });
    const client = await cluster.client(2);
    const [large, huge] = [2, 40].map((mebibytes) => Buffer.alloc(mebibytes * 2 ** 20, "x"));
    assert.match(text(await client.ask("SET", IN_FIRST, large ?? "")), /^MOVED/);
    assert.equal(text(await client.ask("SET", IN_FIRST, huge ?? "")), "OK");
    if (shards === 2) assert.equal(text(await client.ask("SET", IN_SECOND, large ?? "")), "OK");
  });

test("a transaction of such a client goes on", async () => {
  await using cluster = await startNodes();
  const client = await cluster.client(1);
  const [, second] = cluster.engines;
  if (second !== undefined) await cluster.move(second, 2);
  for (const request of [["MULTI"], ["SET", IN_FIRST, "1"], ["EXEC"]]) client.send(...request);
  assert.deepEqual((await client.readMany(3)).map(plain), ["OK", "QUEUED", ["OK"]]);
});

test("what such a client watches is watched where its transaction is executed", async () => {
  await using cluster = await startNodes();
  const [client, other] = [await cluster.client(1), await cluster.client(1, PORT)];
  const [, second] = cluster.engines;
  if (second !== undefined) await cluster.move(second, 2);
  assert.equal(text(await client.ask("WATCH", IN_FIRST)), "OK");
  assert.equal(text(await other.ask("SET", IN_FIRST, "by another one")), "OK");
  for (const request of [["MULTI"], ["SET", IN_FIRST, "1"], ["EXEC"]]) client.send(...request);
  assert.deepEqual((await client.readMany(3)).map(plain), ["OK", "QUEUED", null]);
});

test("where the port of the map is in use, clients of the other port are served all the same", async () => {
  await using engine = await startEngine();
  await using proxy = await startProxy();
  const host = loopbackAddress();
  const taken = createServer().listen(CLUSTER_PORT, host);
  await once(taken, "listening");
  const more = { listen: { host, port: PORT }, clusterPort: CLUSTER_PORT, settings: CLUSTER };
  const configure = { op: "configure", endpoints: [endpointFor(engine, more)] } as const;
  await done(proxy.send(configure));
  assert.equal(text(await (await RawClient.connect({ host, port: PORT })).ask("PING")), "PONG");
  taken.close();
  await once(taken, "close");
  await done(proxy.send(configure));
  assert.equal(text(await (await RawClient.connect({ host, port: CLUSTER_PORT })).ask("PING")), "PONG");
});

/** The endpoint as its node configures it once the first shard has moved to this engine. */
function moved(endpoint: EndpointConfig, target: TestEngine): EndpointConfig {
  const [shard, ...others] = endpoint.shards;
  if (shard === undefined) throw new Error("no shard");
  return { ...endpoint, shards: [{ ...shard, epoch: 2, primary: addressOf(target) }, ...others] };
}

function never(): Promise<never> {
  return Promise.reject(new Error("there is no such proxy"));
}

type Row = readonly [number, number, readonly [string, number, string]];

function rowsIn(reply: unknown): readonly Row[] {
  return (Array.isArray(reply) ? reply : []).map((row) => {
    const [from, to, [host, port, id]] = row as [number, number, [Buffer, number, Buffer]];
    return [from, to, [text(host), port, text(id)]];
  });
}

function text(reply: unknown): string {
  const said = plain(reply as Reply);
  return String(said).replace(/^-/, "");
}

function texts(reply: unknown): readonly string[] {
  return (Array.isArray(reply) ? reply : []).map(text);
}
