import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { test } from "node:test";
import { slotOf } from "../../../core/slots/slot.ts";
import { engineNames, loopbackAddress, startEngine } from "../../../../test/kit/engines/engine.ts";
import { done, endpointFor, startProxy } from "../../../../test/kit/engines/proxy.ts";
import { plain, RawClient } from "../../../../test/kit/engines/raw-client.ts";
import {
  at,
  CLUSTER_PORT,
  CLUSTER_SETTINGS,
  IN_FIRST,
  IN_SECOND,
  PLAIN_PORT,
  startClusterNodes,
  text,
  texts,
} from "../../../../test/kit/sharded/cluster-nodes.ts";

for (const engine of engineNames())
  test(`a client at any node sees which node serves which slots, and that it is a cluster, of ${engine}`, async () => {
    await using cluster = await startClusterNodes({ engine });
    for (const [node, port] of [1, 2].flatMap((node) => [[node, PLAIN_PORT] as const, [node, CLUSTER_PORT] as const])) {
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
      const keys = port === PLAIN_PORT ? [IN_FIRST, IN_SECOND] : [own];
      for (const key of keys) assert.equal(text(await client.ask("SET", String(key), "1")), "OK");
    }
  });

test("commands of a cluster that an endpoint cannot answer are refused by their names, and wrong ones as engines do it", async () => {
  await using cluster = await startClusterNodes();
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
});

test("commands of a cluster are answered in a transaction as outside of it, each in its place", async () => {
  await using cluster = await startClusterNodes();
  for (const port of [PLAIN_PORT, CLUSTER_PORT]) {
    const client = await cluster.client(1, port);
    const slots = await client.ask("CLUSTER", "SLOTS");
    assert.equal(text(await client.ask("MULTI")), "OK");
    for (const request of [
      ["CLUSTER", "KEYSLOT", "{a}b"],
      ["SET", String(IN_FIRST), "1"],
      ["CLUSTER", "SLOTS"],
      ["READONLY"],
      ["CLUSTER", "COUNTKEYSINSLOT", "1"],
    ])
      assert.equal(text(await client.ask(...request)), "QUEUED");
    const found = await client.ask("EXEC");
    assert.ok(Array.isArray(found));
    const [slot, set, rows, reads, count] = found;
    assert.deepEqual([plain(slot), text(set), text(reads)], [slotOf(Buffer.from("a")), "OK", "OK"]);
    assert.deepEqual(rows, slots);
    assert.match(text(count), /^ERR store: CLUSTER COUNTKEYSINSLOT is not available/);
    assert.equal(text(await client.ask("READWRITE")), "OK");
    assert.equal(text(await client.ask("MULTI")), "OK");
    assert.match(text(await client.ask("CLUSTER", "KEYSLOT")), /^ERR wrong number of arguments/);
    assert.match(text(await client.ask("EXEC")), /^EXECABORT/);
    client.close();
  }
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

test("clients of a cluster that ask each primary find each key once; other clients ask for all of them anywhere", async () => {
  await using cluster = await startClusterNodes();
  const nodes = [await cluster.client(1), await cluster.client(2)];
  const all = await cluster.client(1, PLAIN_PORT);
  for (const key of [IN_FIRST, IN_SECOND, `{${IN_SECOND}}2`]) await all.ask("SET", key, "1");
  const counts = await Promise.all(nodes.map((client) => client.ask("DBSIZE")));
  assert.deepEqual(counts, [1, 2]);
  const keys = await Promise.all(nodes.map(async (client) => texts(await client.ask("KEYS", "*")).toSorted()));
  assert.deepEqual(keys, [[IN_FIRST], [IN_SECOND, `{${IN_SECOND}}2`]]);
  assert.equal(await all.ask("DBSIZE"), 3);
  assert.equal(texts(await all.ask("KEYS", "*")).length, 3);
  // the engine that gets the first shard has the keys of the second one already: both are at its node
  const [, second] = cluster.engines;
  if (second !== undefined) await cluster.move(second, 2);
  assert.deepEqual(await Promise.all(nodes.map((client) => client.ask("DBSIZE"))), [4, 4]);
});

test("where the port of the map is in use, clients of the other port are served all the same", async () => {
  await using engine = await startEngine();
  await using proxy = await startProxy();
  const host = loopbackAddress();
  const taken = createServer().listen(CLUSTER_PORT, host);
  await once(taken, "listening");
  const more = { listen: { host, port: PLAIN_PORT }, clusterPort: CLUSTER_PORT, settings: CLUSTER_SETTINGS };
  const configure = { op: "configure", endpoints: [endpointFor(engine, more)] } as const;
  await done(proxy.send(configure));
  assert.equal(text(await (await RawClient.connect({ host, port: PLAIN_PORT })).ask("PING")), "PONG");
  taken.close();
  await once(taken, "close");
  await done(proxy.send(configure));
  assert.equal(text(await (await RawClient.connect({ host, port: CLUSTER_PORT })).ask("PING")), "PONG");
});

type Row = readonly [number, number, readonly [string, number, string]];

function rowsIn(reply: unknown): readonly Row[] {
  return (Array.isArray(reply) ? reply : []).map((row) => {
    const [from, to, [host, port, id]] = row as [number, number, [Buffer, number, Buffer]];
    return [from, to, [text(host), port, text(id)]];
  });
}
