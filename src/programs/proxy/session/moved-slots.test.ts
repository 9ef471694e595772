import assert from "node:assert/strict";
import { test } from "node:test";
import { slotOf } from "../../../core/slots/slot.ts";
import { Push, type Reply } from "../../../ports/resp/reply.ts";
import type { EndpointConfig } from "../../../ports/management/proxy-control.ts";
import type { TestEngine } from "../../../../test/kit/engines/engine.ts";
import { addressOf, done } from "../../../../test/kit/engines/proxy.ts";
import { plain } from "../../../../test/kit/engines/raw-client.ts";
import {
  at,
  IN_FIRST,
  IN_SECOND,
  PLAIN_PORT,
  startClusterNodes,
  text,
} from "../../../../test/kit/sharded/cluster-nodes.ts";

for (const shards of [1, 2])
  test(`a client at the port of the map gets MOVED for slots that have left its node, without having asked for the map; of ${shards} shards`, async () => {
    await using cluster = await startClusterNodes({ shards });
    const [first, second] = cluster.engines;
    const [client, other] = [await cluster.client(1), await cluster.client(1, PLAIN_PORT)];
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
  await using cluster = await startClusterNodes();
  const client = await cluster.client(2);
  assert.match(text(await client.ask("SET", IN_FIRST, "1")), new RegExp(`^MOVED \\d+ ${at(cluster.engines[0])}`));
  assert.equal(text(await client.ask("SET", IN_SECOND, "1")), "OK");
  // requests that follow each other, some of them for the node
  for (const key of [IN_SECOND, IN_FIRST, IN_SECOND]) client.send("SET", key, "2");
  const answers = (await client.readMany(3)).map(text);
  assert.deepEqual([answers[0], answers[1]?.slice(0, 5), answers[2]], ["OK", "MOVED", "OK"]);
});

test("where the node of a primary takes no clients, any other one forwards to it", async () => {
  await using cluster = await startClusterNodes();
  const [, second] = cluster.endpoints;
  if (second === undefined) throw new Error("no endpoint");
  const endpoints = [{ ...second, nodes: second.nodes?.slice(1) ?? [] }];
  await done(cluster.proxies[1]?.send({ op: "configure", endpoints }) ?? never());
  const client = await cluster.client(2);
  assert.equal(text(await client.ask("SET", IN_FIRST, "1")), "OK");
});

test("while clients are held no node sends them to the one of before, which may send them back", async () => {
  await using cluster = await startClusterNodes();
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
  await using cluster = await startClusterNodes({ shards: 1 });
  const client = await cluster.client(1);
  assert.equal(text(await client.ask("READONLY")), "OK");
  const [, second] = cluster.engines;
  if (second !== undefined) await cluster.move(second, 2);
  assert.equal(plain(await client.ask("GET", IN_FIRST)), null);
  assert.equal(text(await client.ask("READWRITE")), "OK");
  assert.match(text(await client.ask("GET", IN_FIRST)), /^MOVED/);
});

test("requests that are MOVED, and those for an engine at another node, are counted for clients of a cluster alone", async () => {
  await using cluster = await startClusterNodes();
  const [client, other] = [await cluster.client(1), await cluster.client(1, PLAIN_PORT)];
  for (const one of [client, other]) for (const key of [IN_FIRST, IN_SECOND]) await one.ask("SET", key, "1");
  for (const one of [client, other]) await one.ask("MGET", IN_FIRST, IN_SECOND);
  const { moved, forwarded } = (await cluster.proxies[0]?.stats())?.counted ?? {};
  assert.deepEqual([moved, forwarded], [1, 1]);
});

test("clients of a cluster that have asked for it get the slots that have moved, with the same number at each node", async () => {
  await using cluster = await startClusterNodes();
  const [first, second] = cluster.engines;
  if (first === undefined || second === undefined) throw new Error("no engines");
  const clients = [await cluster.client(1), await cluster.client(2)];
  const [quiet, former, plain3] = [
    await cluster.client(1),
    await cluster.client(1),
    await cluster.client(1, PLAIN_PORT),
  ];
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
    await using cluster = await startClusterNodes({ shards });
    const client = await cluster.client(2);
    const [large, huge] = [2, 40].map((mebibytes) => Buffer.alloc(mebibytes * 2 ** 20, "x"));
    assert.match(text(await client.ask("SET", IN_FIRST, large ?? "")), /^MOVED/);
    assert.equal(text(await client.ask("SET", IN_FIRST, huge ?? "")), "OK");
    if (shards === 2) assert.equal(text(await client.ask("SET", IN_SECOND, large ?? "")), "OK");
  });

test("a transaction of such a client goes on", async () => {
  await using cluster = await startClusterNodes();
  const client = await cluster.client(1);
  const [, second] = cluster.engines;
  if (second !== undefined) await cluster.move(second, 2);
  for (const request of [["MULTI"], ["SET", IN_FIRST, "1"], ["EXEC"]]) client.send(...request);
  assert.deepEqual((await client.readMany(3)).map(plain), ["OK", "QUEUED", ["OK"]]);
});

test("what such a client watches is watched where its transaction is executed", async () => {
  await using cluster = await startClusterNodes();
  const [client, other] = [await cluster.client(1), await cluster.client(1, PLAIN_PORT)];
  const [, second] = cluster.engines;
  if (second !== undefined) await cluster.move(second, 2);
  assert.equal(text(await client.ask("WATCH", IN_FIRST)), "OK");
  assert.equal(text(await other.ask("SET", IN_FIRST, "by another one")), "OK");
  for (const request of [["MULTI"], ["SET", IN_FIRST, "1"], ["EXEC"]]) client.send(...request);
  assert.deepEqual((await client.readMany(3)).map(plain), ["OK", "QUEUED", null]);
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
