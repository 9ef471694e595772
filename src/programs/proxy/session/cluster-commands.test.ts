import assert from "node:assert/strict";
import { test } from "node:test";
import { endpointSettings } from "../../../core/api/settings/effects.ts";
import { slotOf } from "../../../core/slots/slot.ts";
import type { Reply } from "../../../ports/resp/reply.ts";
import type { EndpointConfig } from "../../../ports/management/proxy-control.ts";
import { engineNames, loopbackAddress, startEngine, type TestEngine } from "../../../../test/kit/engines/engine.ts";
import { done, endpointFor, startProxy, addressOf } from "../../../../test/kit/engines/proxy.ts";
import { plain, RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { startAll } from "../../../../test/kit/engines/start-all.ts";
import { settingsWith } from "../../../../test/kit/facts/settings.ts";
import { shardedEndpoint } from "../../../../test/kit/sharded/sharded.ts";

const PORT = 10_000;
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
    const more = { node, listen: { host, port: PORT }, nodes, settings: CLUSTER };
    return shards === 1 ? endpointFor(served[0], more) : shardedEndpoint(served, more);
  });
  for (const [at, proxy] of proxies.entries())
    await done(proxy.send({ op: "configure", endpoints: endpoints.slice(at, at + 1) }));
  return {
    engines,
    proxies,
    endpoints,
    client: (node: number) => RawClient.connect({ host: hosts[node - 1] ?? "", port: PORT }),
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

const at = (address: { readonly host: string } | undefined): string => `${String(address?.host)}:${PORT}`;

for (const engine of engineNames())
  test(`a client at any node sees which node serves which slots, and that it is a cluster, of ${engine}`, async () => {
    await using cluster = await startNodes({ engine });
    for (const node of [1, 2]) {
      const client = await cluster.client(node);
      const [one, other] = cluster.engines.map(({ host }) => host);
      const rows = await client.ask("CLUSTER", "SLOTS");
      assert.deepEqual(
        rowsIn(rows).map(([from, to, [host, port]]) => [from, to, host, port]),
        [
          [0, 8191, one, PORT],
          [8192, 16_383, other, PORT],
        ],
      );
      assert.match(
        text(await client.ask("CLUSTER", "NODES")),
        new RegExp(`${at(cluster.endpoints[node - 1]?.listen)}@0 myself,master`),
      );
      assert.match(text(await client.ask("CLUSTER", "INFO")), /^cluster_state:ok\r\n/);
      assert.equal(rowsIn(rows)[node - 1]?.[2][2], text(await client.ask("CLUSTER", "MYID")));
      assert.match(text(await client.ask("INFO")), /cluster_enabled:1\r\n/);
      assert.match(text(await client.ask("INFO", "server")), /_mode:cluster\r\n/);
      assert.ok(texts(await client.ask("HELLO", "2")).includes("cluster"));
      for (const word of ["READONLY", "READWRITE", "ASKING"]) assert.equal(text(await client.ask(word)), "OK");
      assert.equal(plain(await client.ask("CLUSTER", "KEYSLOT", "{a}b")), slotOf(Buffer.from("a")));
      assert.equal(text(await client.ask("SET", IN_FIRST, "1")), "OK");
      assert.equal(text(await client.ask("SET", IN_SECOND, "2")), "OK");
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
  test(`a client that asked a node for the map gets MOVED for slots that left it, until it asks again; of ${shards} shards`, async () => {
    await using cluster = await startNodes({ shards });
    const [first, second] = cluster.engines;
    const [asking, other] = [await cluster.client(1), await cluster.client(1)];
    await asking.ask("CLUSTER", "SLOTS");
    if (second !== undefined) await cluster.move(second, 2);
    const moved = `MOVED ${slotOf(Buffer.from(IN_FIRST))} ${at(second)}`;
    const words = ["SET", "GET", "APPEND"];
    for (const word of words) asking.send(word, IN_FIRST, ...(word === "GET" ? [] : ["1"]));
    assert.deepEqual(
      (await asking.readMany(words.length)).map(text),
      words.map(() => moved),
    );
    assert.equal(text(await asking.ask("PING")), "PONG");
    if (shards === 2) assert.equal(text(await asking.ask("SET", IN_SECOND, "1")), "OK");
    // a client that has not asked is forwarded, to wherever
    assert.equal(text(await other.ask("SET", IN_FIRST, "2")), "OK");
    assert.equal(text(await (await cluster.client(2)).ask("GET", IN_FIRST)), "2");
    assert.equal(rowsIn(await asking.ask("CLUSTER", "SLOTS"))[0]?.[2][0], second?.host);
    assert.equal(text(await asking.ask("GET", IN_FIRST)), "2");
    // and back again: this node served it by no map that the client has
    if (first !== undefined) await cluster.move(first, 3);
    assert.equal(text(await asking.ask("SET", IN_FIRST, "3")), "OK");
  });

test("a transaction of such a client goes on", async () => {
  await using cluster = await startNodes();
  const client = await cluster.client(1);
  await client.ask("CLUSTER", "NODES");
  const [, second] = cluster.engines;
  if (second !== undefined) await cluster.move(second, 2);
  for (const request of [["MULTI"], ["SET", IN_FIRST, "1"], ["EXEC"]]) client.send(...request);
  assert.deepEqual((await client.readMany(3)).map(plain), ["OK", "QUEUED", ["OK"]]);
});

test("what such a client watches is watched where its transaction is executed", async () => {
  await using cluster = await startNodes();
  const [client, other] = [await cluster.client(1), await cluster.client(1)];
  await client.ask("CLUSTER", "SLOTS");
  const [, second] = cluster.engines;
  if (second !== undefined) await cluster.move(second, 2);
  assert.equal(text(await client.ask("WATCH", IN_FIRST)), "OK");
  assert.equal(text(await other.ask("SET", IN_FIRST, "by another one")), "OK");
  for (const request of [["MULTI"], ["SET", IN_FIRST, "1"], ["EXEC"]]) client.send(...request);
  assert.deepEqual((await client.readMany(3)).map(plain), ["OK", "QUEUED", null]);
});

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
