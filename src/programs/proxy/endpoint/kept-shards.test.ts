import assert from "node:assert/strict";
import { test } from "node:test";
import { startEngine } from "../../../../test/kit/engines/engine.ts";
import { addressOf, done } from "../../../../test/kit/engines/proxy.ts";
import { Sharded } from "../../../../test/kit/sharded/sharded.ts";

const BDB = { bdb: 1 } as const;

test("a shard that is kept goes on with its connections: a change is given up, and one comes by the configuration while clients are held", async () => {
  await using sharded = await Sharded.start(2, { tableEpoch: 4 });
  await using next = await startEngine();
  const { proxy } = sharded;
  const [first, second] = sharded.endpoint.shards;
  assert.ok(first !== undefined && second !== undefined);
  const shards = [first, { ...second, id: 3, epoch: 1, primary: addressOf(next) }];
  const client = await sharded.client();
  assert.equal(await client.ask("SET", "{3}", "0"), "OK");
  const [kept] = sharded.engines;
  const connected = await clientsAt(kept);
  await done(proxy.send({ op: "prepare-table", ...BDB, tableEpoch: 5, shards }));
  await done(proxy.send({ op: "hold-table", ...BDB, tableEpoch: 5, drainMs: 5_000, holdMs: 60_000 }));
  client.send("INCR", "{3}");
  await done(proxy.send({ op: "abort-table", ...BDB, tableEpoch: 5 }));
  assert.equal(await client.read(), 1);
  await done(proxy.send({ op: "prepare-table", ...BDB, tableEpoch: 6, shards }));
  await done(proxy.send({ op: "hold-table", ...BDB, tableEpoch: 6, drainMs: 5_000, holdMs: 60_000 }));
  client.send("INCR", "{3}");
  client.send("SET", "{4}", "next");
  assert.deepEqual(await sharded.configure({ shards, tableEpoch: 6 }), []);
  assert.deepEqual(await client.readMany(2), [2, "OK"]);
  assert.equal(await next.call("GET", "{4}"), "next");
  assert.equal(await clientsAt(kept), connected, "no connection was made anew");
  assert.equal((await proxy.stats()).held, false);
  client.close();
});

test("a shard that is kept is refused with other slots, and with an epoch that is over", async () => {
  await using sharded = await Sharded.start(2, { tableEpoch: 4 });
  const [first, second] = sharded.endpoint.shards;
  assert.ok(first !== undefined && second !== undefined);
  const [low, high] = [
    { from: 0, to: 99 },
    { from: 100, to: 16_383 },
  ];
  const refusalOf = async (shards: typeof sharded.endpoint.shards): Promise<string> => {
    const reply = await sharded.proxy.send({ op: "prepare-table", ...BDB, tableEpoch: 5, shards });
    return reply.ok ? "done" : reply.code;
  };
  assert.equal(
    await refusalOf([
      { ...first, slots: [low] },
      { ...second, id: 3, slots: [high] },
    ]),
    "PROXY_SLOT_TABLE",
  );
  assert.deepEqual(await sharded.configure({ shards: [{ ...first, epoch: 7 }, second] }), []);
  assert.equal(
    await refusalOf([
      { ...first, epoch: 6 },
      { ...second, id: 3 },
    ]),
    "PROXY_EPOCH_TOO_LOW",
  );
});

async function clientsAt(engine: { call: (...args: string[]) => Promise<unknown> } | undefined): Promise<number> {
  assert.ok(engine !== undefined);
  return String(await engine.call("CLIENT", "LIST", "TYPE", "normal"))
    .trim()
    .split("\n").length;
}
