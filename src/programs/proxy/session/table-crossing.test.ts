import assert from "node:assert/strict";
import { test } from "node:test";
import { done } from "../../../../test/kit/engines/proxy.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import { Sharded } from "../../../../test/kit/sharded/sharded.ts";
import { until } from "#kit/testing/until";

/** Keys of the first and of the second of two shards. */
const [FIRST, SECOND] = ["{3}", "{4}"];

for (const count of [1, 3])
  test(`what one of two shards has executed is not repeated, and what the other has refused goes to ${count}, each reply in its place`, async () => {
    await using sharded = await Sharded.start(2);
    await using next = await Sharded.start(count);
    const [one, two] = sharded.engines;
    assert.ok(one !== undefined && two !== undefined);
    const client = await sharded.client();
    client.send("MSET", FIRST, "1", SECOND, "2", `${FIRST}b`, "1");
    assert.equal(await client.read(), "OK");
    // as a former primary whose proxy has missed the hold
    await two.call("REPLICAOF", "127.0.0.1", 1);
    client.send("GET", FIRST);
    client.send("DEL", FIRST, SECOND);
    client.send("GET", `${FIRST}b`);
    client.send("MSET", FIRST, "again", SECOND, "again");
    client.send("PING");
    client.send("APPEND", SECOND, "!");
    client.send("DBSIZE");
    assert.equal(await client.read(), "1");
    await until("the first shard has executed its parts", async () => (await one.call("GET", FIRST)) === "again");
    await until("the second shard has refused its part", async () =>
      String(await two.call("INFO", "errorstats")).includes("errorstat_READONLY"),
    );
    await goOnAt(sharded, next);
    // one key was deleted at the first shard, none at the new ones, which are empty; they have what came behind alone
    assert.deepEqual(await client.readMany(6), [1, "1", "OK", "PONG", "again!".length, 1]);
    assert.equal(await client.ask("GET", FIRST), null);
    assert.equal(await client.ask("GET", SECOND), "again!");
    assert.equal((await sharded.proxy.stats()).cut, 0);
    client.close();
  });

/** Keys of three shards, by their shards; those of the first are of two slots. */
const KEYS = [["{3}", "{7}"], ["{1}"], ["{0}"]] as const;

for (const [where, script, stream] of [
  ["at the same shard", KEYS[0][1], KEYS[0][0]],
  ["at the same shard, and waits at another", KEYS[0][1], KEYS[1][0]],
  ["at another shard", KEYS[1][0], KEYS[0][0]],
  ["at another shard, and waits at a third", KEYS[1][0], KEYS[2][0]],
] as const)
  test(`what follows a transaction that went from one shard to three is answered, also a wait for what comes next: a script is ${where}`, async () => {
    await using served = await Served.start();
    await using next = await Sharded.start(3);
    const one = served.primary;
    const client = await served.client();
    // its connection to the engine is the one that the transaction gets
    assert.deepEqual([await client.ask("MULTI"), await client.ask("EXEC")], ["OK", []]);
    // as a former primary whose proxy has missed the hold
    await one.call("REPLICAOF", "127.0.0.1", 1);
    client.sendTogether([
      ["MULTI"],
      ["SET", KEYS[0][0], "v"],
      ["EXEC"],
      ["EVAL", "return redis.call('APPEND', KEYS[1], 'abc')", "1", script],
      ["XREAD", "BLOCK", "1", "STREAMS", `${stream}none`, "$"],
      ["PING"],
    ]);
    await until("the former primary was asked about the stream", async () =>
      String(await one.call("INFO", "commandstats")).includes("cmdstat_xinfo"),
    );
    await goOnAt(served, next);
    assert.deepEqual(await client.readMany(6), ["OK", "QUEUED", ["OK"], 3, null, "PONG"]);
    client.close();
  });

const [A, B, C] = ["{3}", "{1}", "{0}"];

for (const { name, before, executed, left, replies, isGone = false } of [
  {
    name: "of a client that watches a key: a read of another slot, and its transaction, which fails as if that key had changed",
    before: [["WATCH", A]],
    executed: ["OK"],
    left: [["GET", B], ["MULTI"], ["GET", A], ["EXEC"], ["GET", C]],
    replies: [null, "OK", "QUEUED", null, null],
  },
  {
    name: "of a client that watches a key: a transaction without keys, and one that is not watched",
    before: [["WATCH", A]],
    executed: ["OK"],
    left: [["GET", B], ["MULTI"], ["EXEC"], ["GET", C], ["MULTI"], ["SET", B, "1"], ["EXEC"]],
    replies: [null, "OK", null, null, "OK", "QUEUED", ["OK"]],
  },
  {
    name: "of a client that watches a key: a read of another slot, and a transaction that is open",
    before: [["WATCH", A]],
    executed: ["OK"],
    left: [["GET", B], ["MULTI"], ["GET", A]],
    replies: [null, "OK", "QUEUED"],
  },
  {
    name: "of an open transaction: its end, and another one that is open",
    before: [["MULTI"], ["SET", A, "1"]],
    executed: ["OK", "QUEUED"],
    left: [["EXEC"], ["GET", B], ["MULTI"], ["SET", C, "1"]],
    replies: [["OK"], null, "OK", "QUEUED"],
  },
  {
    name: "of a client that watches a key: another database, and reads of several slots there",
    before: [["WATCH", A]],
    executed: ["OK"],
    left: [
      ["SELECT", "0"],
      ["GET", B],
      ["GET", C],
    ],
    replies: ["OK", null, null],
    isGone: true,
  },
])
  test(`what an only shard has not executed goes on at three, in its order: ${name}`, async () => {
    await using served = await Served.start();
    const { primary: one, proxy } = served;
    await using next = await Sharded.start(3);
    const client = await served.client();
    client.sendTogether(before);
    assert.deepEqual(await client.readMany(executed.length), executed);
    // as an engine that is cut off, or a former primary whose proxy has missed the hold
    if (isGone) process.kill(one.pid, "SIGSTOP");
    else {
      await one.call("CONFIG", "SET", "replica-serve-stale-data", "no");
      await one.call("REPLICAOF", "127.0.0.1", 1);
    }
    client.sendTogether(left);
    if (isGone)
      await until("the requests are taken", async () => (await proxy.stats()).requests >= before.length + left.length);
    else
      await until("the former primary has refused", async () =>
        /errorstat_(READONLY|MASTERDOWN)/.test(String(await one.call("INFO", "errorstats"))),
      );
    if (isGone) await one.stop();
    await goOnAt(served, next);
    assert.deepEqual(await client.readMany(left.length), replies);
    assert.equal((await proxy.stats()).cut, 0);
    client.close();
  });

/** These shards serve the database of the proxy from now on, which has not known of them. */
async function goOnAt({ proxy }: Pick<Served, "proxy">, next: Sharded): Promise<void> {
  const shards = next.endpoint.shards.map((shard) => ({ ...shard, id: 10 + shard.id }));
  await done(proxy.send({ op: "release-table", bdb: 1, tableEpoch: 1, shards }));
}
