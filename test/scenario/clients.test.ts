import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "@redis/client";
import { Redis } from "ioredis";
import { plain, RawClient } from "../kit/engines/raw-client.ts";
import { until } from "#kit/testing/until";
import { startTestCluster } from "../kit/world/cluster.ts";
import { nodeOf, primaryOf } from "../kit/world/shards.ts";

const PATIENCE = { withinMs: 20_000, everyMs: 50 };

await using cluster = await startTestCluster();
const { uid, port } = await cluster.create({ name: "clients", memory_size: 50_000_000, replication: true });
const at = (node: number): { readonly host: string; readonly port: number } => ({ host: cluster.address(node), port });
const clientOf = (node: number): Promise<RawClient> => RawClient.connect(at(node));

await test("stock libraries list the clients of all nodes, each with its own number and address", async () => {
  const [one, two, three] = [await clientOf(1), await clientOf(2), await clientOf(3)];
  for (const [name, client] of Object.entries({ one, two, three }))
    assert.equal(await client.ask("CLIENT", "SETNAME", name), "OK");
  const nodeRedis = createClient({ socket: at(1), name: "node-redis" });
  await nodeRedis.connect();
  using ioredis = disposable(new Redis({ ...at(2), connectionName: "ioredis" }));
  const listed = await nodeRedis.clientList();
  const names = ["one", "two", "three", "node-redis"];
  const found = names.map((name) => listed.find((client) => client.name === name));
  const numbers = await Promise.all([one, two, three].map((client) => client.ask("CLIENT", "ID")));
  assert.deepEqual(
    found.slice(0, 3).map((client) => client?.id),
    numbers,
  );
  assert.equal(found[3]?.id, await nodeRedis.clientId());
  assert.deepEqual(
    found.map((client) => client?.laddr),
    [1, 2, 3, 1].map((node) => `${cluster.address(node)}:${port}`),
  );
  assert.match(String(found[2]?.addr), /^127\.[\d.]+:\d+$/);
  assert.equal(new Set(listed.map(({ id }) => id)).size, listed.length);
  assert.ok(numbers.every((number) => Number.isSafeInteger(number)));
  const ownLine = String(await ioredis.client("LIST", "ID", String(numbers[2])));
  assert.match(
    ownLine,
    new RegExp(`^id=${String(numbers[2])} addr=${String(found[2]?.addr)} .* name=three [^\\n]*\\n$`),
  );
  await nodeRedis.close();
  for (const client of [one, two, three]) client.close();
});

await test("a client of one node ends and unblocks clients of the others", async () => {
  const [one, two, three] = [await clientOf(1), await clientOf(2), await clientOf(3)];
  const listed = async (): Promise<number> =>
    String(await one.ask("CLIENT", "LIST"))
      .trim()
      .split("\n").length;
  await until("those of the test before have left", async () => (await listed()) === 3, PATIENCE);
  for (const client of [two, three]) await client.ask("CLIENT", "SETNAME", "worker");
  const waiter = await clientOf(3);
  const id = String(await waiter.ask("CLIENT", "ID"));
  waiter.send("BLPOP", "nothing", 0);
  await until("it waits", async () => (await one.ask("CLIENT", "UNBLOCK", id, "ERROR")) === 1, PATIENCE);
  assert.equal(plain(await waiter.read()), "-UNBLOCKED client unblocked via CLIENT UNBLOCK");
  assert.equal(await one.ask("CLIENT", "UNBLOCK", id), 0);
  const address = / addr=(\S+)/.exec(String(await two.ask("CLIENT", "INFO")))?.[1] ?? "";
  assert.equal(await one.ask("CLIENT", "KILL", address), "OK");
  assert.equal(await two.read(), undefined);
  assert.equal(plain(await one.ask("CLIENT", "KILL", address)), "-ERR No such client");
  assert.equal(await one.ask("CLIENT", "KILL", "TYPE", "normal", "USER", "default"), 2);
  assert.deepEqual([await three.read(), await waiter.read()], [undefined, undefined]);
  assert.equal(await one.ask("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "no"), 1);
  assert.equal(await one.read(), undefined);
});

await test("a pause holds the clients of every node, and ends by its time when the node that was asked is gone", async () => {
  const primary = nodeOf(primaryOf(await cluster.shards(uid)));
  const [asked = 0, other = 0] = [1, 2, 3].filter((node) => node !== primary);
  const [asking, writer] = [await clientOf(asked), await clientOf(other)];
  assert.equal(await asking.ask("CLIENT", "PAUSE", 60_000, "WRITE"), "OK");
  writer.send("GET", "paused");
  writer.send("INCR", "paused");
  assert.equal(await writer.read(), null);
  assert.equal(await (await clientOf(primary)).ask("GET", "paused"), null);
  assert.equal(await asking.ask("CLIENT", "UNPAUSE"), "OK");
  assert.equal(await writer.read(), 1);
  const startedAt = performance.now();
  assert.equal(await asking.ask("CLIENT", "PAUSE", 1_500, "ALL"), "OK");
  await cluster.kill(asked);
  assert.equal(await writer.ask("GET", "paused"), "1");
  assert.ok(performance.now() - startedAt >= 1_495);
  await cluster.start(asked);
  const isBack = (): Promise<boolean> =>
    clientOf(asked).then(
      (client) => (client.close(), true),
      () => false,
    );
  await until("its endpoint is back", isBack, PATIENCE);
});

await test("a node that does not answer is named, and a list is of the others", async () => {
  const primary = nodeOf(primaryOf(await cluster.shards(uid)));
  const leader = await cluster.leader();
  const frozen = [1, 2, 3].find((node) => node !== primary && node !== leader) ?? 0;
  const [asking, pausing, killing] = await Promise.all([primary, primary, primary].map(clientOf));
  assert.ok(asking && pausing && killing);
  await (await clientOf(frozen)).ask("CLIENT", "SETNAME", "frozen");
  assert.match(String(await asking.ask("CLIENT", "LIST")), / name=frozen /);
  await cluster.freeze(frozen);
  try {
    // at once: a node whose lease has ended is none to ask any more
    const asked = [pausing.ask("CLIENT", "PAUSE", 10, "WRITE"), killing.ask("CLIENT", "KILL", "TYPE", "pubsub")];
    const [pause, kill] = (await Promise.all(asked)).map(plain);
    assert.match(
      String(pause),
      new RegExp(`^-ERR store: node ${frozen} did not answer: .*; the clients of the other nodes are paused$`),
    );
    assert.match(
      String(kill),
      new RegExp(`^-ERR store: node ${frozen} did not answer: .*; 0 clients of the other nodes were ended$`),
    );
    const list = String(await asking.ask("CLIENT", "LIST"));
    assert.match(list, new RegExp(` laddr=${cluster.address(primary)}:`));
    assert.doesNotMatch(list, / name=frozen /);
  } finally {
    cluster.thaw(frozen);
  }
});

function disposable(client: Redis): Redis & Disposable {
  return Object.assign(client, { [Symbol.dispose]: () => client.disconnect() });
}
