import assert from "node:assert/strict";
import { test as alone } from "node:test";
import { until } from "#kit/testing/until";
import { startEngine, type TestEngine } from "../../../../test/kit/engines/engine.ts";
import { addressOf, done } from "../../../../test/kit/engines/proxy.ts";
import { plain, type RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { sharing } from "../../../../test/kit/engines/shared.ts";
import { SlowUpload } from "../../../../test/kit/engines/slow-upload.ts";
import { suspend } from "../../../../test/kit/engines/suspend.ts";
import { switchOver } from "../../../../test/kit/engines/switchover.ts";
import { Sharded } from "../../../../test/kit/sharded/sharded.ts";
import { faults } from "../faults.ts";

const MIB = 2 ** 20;
/** Keys of the first, the second and the third of three shards. */
const [FIRST, SECOND, THIRD] = ["{3}", "{2}", "{4}"];
const CROSSSLOT = "-CROSSSLOT Keys in request don't hash to the same slot";
const LOADING = "-LOADING store: no primary for this database right now";
/** More than can be kept to be sent again. */
const HUGE = 40 * MIB;

const test = sharing(() => Sharded.start(3, { holdMs: 10_000 }));

test("a request of 100 MiB goes to the shard of its key, and others before and behind it to theirs, in order", async (sharded) => {
  const client = await sharded.client();
  const value = Buffer.alloc(100 * MIB, "v");
  client.send("SET", FIRST, "1");
  client.send("MSET", SECOND, "2", THIRD, "3");
  client.send("SET", SECOND, value);
  client.send("STRLEN", SECOND);
  client.send("MGET", FIRST, THIRD);
  client.send("RENAME", FIRST, SECOND);
  client.send("APPEND", FIRST, value.subarray(0, 2 * MIB));
  const found = await client.readMany(7);
  const length = 2 * MIB + 1;
  assert.deepEqual(found.map(plain), ["OK", "OK", "OK", value.length, ["1", "3"], CROSSSLOT, length]);
  assert.equal(await engineAt(sharded, 1).call("STRLEN", SECOND), value.length);
  await endAll(sharded, client);
});

test("a large request waits for the replies of other shards before it, and delays no other client", async (sharded) => {
  const [client, other] = await Promise.all([sharded.client(), sharded.client()]);
  {
    using _stopped = await suspend(engineAt(sharded, 0));
    client.send("GET", FIRST);
    client.send("SET", SECOND, Buffer.alloc(3 * MIB, "v"));
    client.send("GET", THIRD);
    for (let i = 0; i < 100; i++) assert.equal(await other.ask("EXISTS", SECOND), 0);
    assert.deepEqual(client.unread, []);
  }
  assert.deepEqual(await client.readMany(3), [null, "OK", null]);
  await endAll(sharded, client, other);
});

for (const [what, request] of [
  ["the last of its keys", ["MSETNX", FIRST, "v".repeat(3 * MIB), SECOND, "x"]],
  ["a key in the middle", ["MSETNX", FIRST, "v".repeat(3 * MIB), SECOND, "x", `${FIRST}b`, "v".repeat(MIB)]],
  ["a key in its beginning", ["MSETNX", FIRST, "x", SECOND, "v".repeat(3 * MIB), `${FIRST}b`, "x"]],
  ["a key behind a count", ["SUNION", ...Array.from({ length: 60_000 }, (_, i) => `${FIRST}:${i}:set`), SECOND]],
] as const)
  test(`a large request gets CROSSSLOT for ${what}, no engine executes it, and no one's connection ends`, async (sharded) => {
    const [client, other] = await Promise.all([sharded.client(), sharded.client()]);
    client.send("SET", THIRD, "before");
    client.send(...request);
    client.send("EXISTS", FIRST, SECOND);
    client.send("GET", THIRD);
    for (let i = 0; i < 100; i++) assert.equal(await other.ask("EXISTS", FIRST), 0);
    const found = await client.readMany(4);
    assert.deepEqual(found.map(plain), ["OK", CROSSSLOT, 0, "before"]);
    await until("no engine waits for the end of a request", async () => (await received(sharded, 0)) === 0);
    assert.equal(await client.ask("SET", FIRST, Buffer.alloc(3 * MIB, "w")), "OK");
    await endAll(sharded, client, other);
  });

test("a large request about keys of one slot is executed, wherever its keys stand", async (sharded) => {
  const client = await sharded.client();
  const value = "v".repeat(2 * MIB);
  assert.equal(await client.ask("MSETNX", FIRST, value, `${FIRST}b`, value), 1);
  assert.equal(await client.ask("SADD", SECOND, value, "x"), 2);
  assert.equal(await client.ask("SMOVE", SECOND, `${SECOND}b`, value), 1);
  const names = Array.from({ length: 50_000 }, (_, i) => `${SECOND}:a-longer-name:${i}`);
  assert.equal(await client.ask("ZUNIONSTORE", `${SECOND}z`, names.length, ...names), 0);
  assert.equal(await client.ask("PUBLISH", "channel", value), 0);
  assert.equal(String(await client.ask("ECHO", value)).length, value.length);
  await endAll(sharded, client);
});

test("what is split by shard is split up to 32 MiB; a larger one has keys of one slot", async (sharded) => {
  const client = await sharded.client();
  const value = Buffer.alloc(8 * MIB, "v");
  assert.equal(await client.ask("MSET", FIRST, value, SECOND, value, THIRD, value), "OK");
  assert.equal(await client.ask("EXISTS", FIRST, SECOND, THIRD), 3);
  const large = Buffer.alloc(HUGE, "w");
  assert.equal(plain(await client.ask("MSET", FIRST, "x", SECOND, large)), CROSSSLOT);
  assert.equal(plain(await client.ask("MSET", FIRST, large, SECOND, "x")), CROSSSLOT);
  assert.deepEqual([await client.ask("STRLEN", FIRST), await client.ask("STRLEN", SECOND)], [8 * MIB, 8 * MIB]);
  assert.equal(await client.ask("MSET", FIRST, "x", `${FIRST}b`, large), "OK");
  assert.deepEqual([await client.ask("GET", FIRST), await client.ask("STRLEN", `${FIRST}b`)], ["x", HUGE]);
  await endAll(sharded, client);
});

test("a key of more than 32 MiB is refused, and a smaller one is found", async (sharded) => {
  const client = await sharded.client();
  assert.equal(await client.ask("SET", Buffer.alloc(5 * MIB, "k"), "x"), "OK");
  const refused = "-ERR store: a key of more than 32 MiB is not available at a database of several shards";
  assert.equal(plain(await client.ask("SET", Buffer.alloc(80 * MIB, "k"), "x")), refused);
  const member = Buffer.alloc(80 * MIB, "m");
  const options = "-ERR store: GEORADIUSBYMEMBER of more than 32 MiB is not available at a database of several shards";
  assert.equal(plain(await client.ask("GEORADIUSBYMEMBER", FIRST, member, 1, "m")), options);
  await endAll(sharded, client);
});

test("a client that leaves in the middle of a large request has executed nothing", async (sharded) => {
  const [gone, other] = await Promise.all([sharded.client(), sharded.client()]);
  const upload = new SlowUpload(gone, SECOND, 4 * MIB);
  upload.send(2 * MIB);
  await until("it flows", async () => (await received(sharded, 1)) > MIB);
  gone.end();
  assert.equal(await gone.read(), undefined);
  assert.equal(await other.ask("EXISTS", SECOND), 0);
  await endAll(sharded, other);
});

test("a hold of its own shard waits for the end of a request that cannot be kept, and that of another shard does not", async (sharded) => {
  const client = await sharded.client();
  const upload = new SlowUpload(client, SECOND, HUGE);
  upload.send(HUGE - 1);
  await until("it flows", async () => (await received(sharded, 1)) > HUGE - MIB);
  const hold = { op: "hold", bdb: 1, epoch: 2, drainMs: 50, holdMs: 60_000 } as const;
  await done(sharded.proxy.send({ ...hold, shard: 1 }));
  await done(sharded.proxy.send({ op: "abort", bdb: 1, shard: 1, epoch: 2 }));
  const own = await sharded.proxy.send({ ...hold, shard: 2 });
  assert.equal(own.ok ? undefined : own.code, faults.notDrained.code);
  assert.match(own.ok ? "" : own.message, /the longest for SET \(upload\) of client 127/);
  upload.finish();
  assert.equal(await client.read(), "OK");
  await endAll(sharded, client);
});

alone(
  "a shard moves again and again while a large request to it flows, and one to another shard does not notice",
  async () => {
    await using sharded = await Sharded.start(3);
    await using replica = await startEngine();
    const second = engineAt(sharded, 1);
    await replica.follow(second);
    const [client, other] = await Promise.all([sharded.client(), sharded.client()]);
    const [carried, still] = [new SlowUpload(client, SECOND, 30 * MIB), new SlowUpload(other, THIRD, HUGE)];
    still.send(HUGE - 1);
    let [from, to] = [second, replica];
    for (let epoch = 2; epoch < 10; epoch++) {
      carried.send(3 * MIB);
      await until("it flows", async () => (await waitingAt(from)) > MIB);
      await switchOver([sharded.proxy], epoch, from, to, 2);
      [from, to] = [to, from];
    }
    carried.finish();
    still.finish();
    assert.deepEqual([await client.read(), await other.read()], ["OK", "OK"]);
    assert.deepEqual([await client.ask("STRLEN", SECOND), await other.ask("STRLEN", THIRD)], [30 * MIB, HUGE]);
    assert.equal((await sharded.proxy.stats()).cut, 0);
    client.close();
    other.close();
  },
);

alone(
  "a shard fails in the middle of large requests: the next primary gets what was kept, and what was not gets an error",
  async () => {
    await using sharded = await Sharded.start(3, { holdMs: 1_000 });
    await using replica = await startEngine();
    const second = engineAt(sharded, 1);
    await replica.follow(second);
    const [kept, lost, other] = await Promise.all([sharded.client(), sharded.client(), sharded.client()]);
    const [carried, huge] = [new SlowUpload(kept, SECOND, 4 * MIB), new SlowUpload(lost, `${SECOND}b`, HUGE)];
    carried.send(2 * MIB);
    huge.send(HUGE - 1);
    await until("both flow", async () => (await waitingAt(second)) > HUGE - MIB);
    await second.stop();
    // what it reads next comes behind the end of the engine's connections: of a request whose end it had sent, the outcome would not be known
    await sharded.proxy.stats();
    huge.finish();
    assert.equal(plain(await lost.read()), LOADING);
    assert.equal(await other.ask("SET", FIRST, Buffer.alloc(3 * MIB, "v")), "OK");
    await replica.call("REPLICAOF", "NO", "ONE");
    await done(sharded.proxy.send({ op: "release", bdb: 1, shard: 2, epoch: 2, target: addressOf(replica) }));
    carried.finish();
    assert.equal(await kept.read(), "OK");
    assert.deepEqual([await kept.ask("STRLEN", SECOND), await lost.ask("EXISTS", `${SECOND}b`)], [4 * MIB, 0]);
    assert.equal((await sharded.proxy.stats()).cut, 0);
    for (const client of [kept, lost, other]) client.close();
  },
);

function engineAt(sharded: Sharded, at: number): TestEngine {
  return sharded.engines[at] ?? assert.fail();
}

/** Bytes that wait at the primary of a shard for the end of a request, but for those of a small one. */
async function received(sharded: Sharded, at: number): Promise<number> {
  return waitingAt(engineAt(sharded, at));
}

async function waitingAt(engine: TestEngine): Promise<number> {
  const clients = String(await engine.call("CLIENT", "LIST"));
  const waiting = [...clients.matchAll(/ qbuf=(\d+)/g)].map(([, bytes]) => Number(bytes));
  return Math.max(...waiting.filter((bytes) => bytes > 1_024), 0);
}

/** No client was cut; the next test has no keys. */
async function endAll(sharded: Sharded, ...clients: readonly RawClient[]): Promise<void> {
  assert.equal((await sharded.proxy.stats()).cut, 0);
  assert.equal(await clients[0]?.ask("FLUSHALL"), "OK");
  for (const client of clients) client.close();
}
