import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "#kit/testing/until";
import { startEngine } from "../../../../test/kit/engines/engine.ts";
import { done } from "../../../../test/kit/engines/proxy.ts";
import { sharing } from "../../../../test/kit/engines/shared.ts";
import { suspend } from "../../../../test/kit/engines/suspend.ts";
import { beside } from "../../../../test/kit/load/beside.ts";
import { moveSecondShard } from "../../../../test/kit/sharded/move-second-shard.ts";
import { playModel } from "../../../../test/kit/sharded/play-model.ts";
import { Sharded } from "../../../../test/kit/sharded/sharded.ts";
import { plain, type RawClient } from "../../../../test/kit/engines/raw-client.ts";

const CLIENTS = 6;
const MOVES = 5;
/** Keys of the first, the second and the third of three shards. */
const [FIRST, SECOND, THIRD] = ["{3}", "{2}", "{4}"];

for (const isHeld of [true, false])
  test(`a shard moves ${isHeld ? "in good order" : "without a hold"} while clients use all shards: each reply is right, and in its place`, async (t) => {
    await using sharded = await Sharded.start(3);
    const [, second] = sharded.engines;
    assert.ok(second !== undefined);
    await using replica = await startEngine();
    await replica.follow(second);
    const checked = await beside(
      () => moveSecondShard(sharded, replica, { moves: MOVES, isHeld }),
      (goesOn) =>
        Array.from({ length: CLIENTS }, (_, number) =>
          playModel({ listen: sharded.endpoint.listen, shards: 3, number, seed: 11, goesOn }),
        ),
    );
    const { cut, resent } = await sharded.proxy.stats();
    assert.equal(cut, 0);
    t.diagnostic(`${checked.reduce((sum, count) => sum + count, 0)} replies, ${resent} requests sent again`);
  });

const shared = sharing(() => Sharded.start(3));

shared("a hold of one shard holds requests for its keys alone, and does not wait for other shards", async (sharded) => {
  const [busy, other, waiting] = await Promise.all([sharded.client(), sharded.client(), sharded.client()]);
  using _stopped = await suspendEngine(sharded, 2);
  busy.send("SET", THIRD, "busy");
  const held = await sharded.proxy.send({ op: "hold", bdb: 1, shard: 2, epoch: 2, drainMs: 10_000, holdMs: 60_000 });
  assert.equal(held.ok, true, "a request at the third shard is not one of the second");
  for (const request of [
    ["SET", FIRST, "1"],
    ["SET", SECOND, "2"],
    ["GET", FIRST],
  ] as const)
    waiting.send(...request);
  assert.equal(await waiting.read(), "OK");
  assert.equal(await other.ask("SET", FIRST, "3"), "OK");
  assert.deepEqual(waiting.unread, [], "what follows a request that is held waits for it");
  await done(sharded.proxy.send({ op: "abort", bdb: 1, shard: 2, epoch: 2 }));
  assert.deepEqual(await waiting.readMany(2), ["OK", "3"]);
  closeAll(busy, other, waiting);
});

shared(
  "a request is executed at its shard while one in front of it waits for the reply of another shard",
  async (sharded) => {
    const [waiting, other] = await Promise.all([sharded.client(), sharded.client()]);
    // there is a lane to each of them
    await waiting.ask("MGET", FIRST, SECOND);
    {
      using _stopped = await suspendEngine(sharded, 1);
      waiting.send("SET", SECOND, "late");
      waiting.send("SET", `${FIRST}behind`, "executed");
      await until("it is executed", async () => (await other.ask("GET", `${FIRST}behind`)) === "executed");
      assert.deepEqual(waiting.unread, []);
    }
    assert.deepEqual(await waiting.readMany(2), ["OK", "OK"]);
    closeAll(waiting, other);
  },
);

shared(
  "a stopped shard keeps waiting only those who ask it, and takes no more from a client than may wait",
  async (sharded) => {
    const [other, waiting] = await Promise.all([sharded.client(), sharded.client()]);
    await other.ask("SET", FIRST, "v".repeat(20_000));
    await other.ask("SET", SECOND, "late");
    const before = (await sharded.proxy.stats()).requests;
    {
      using _stopped = await suspendEngine(sharded, 1);
      waiting.send("GET", SECOND);
      for (let i = 0; i < REQUESTS; i++) {
        waiting.send("STRLEN", LONG);
        waiting.send("GET", FIRST);
      }
      for (let i = 0; i < 300; i++) assert.equal(await other.ask("STRLEN", FIRST), 20_000);
      assert.deepEqual(waiting.unread, []);
      const taken = (await sharded.proxy.stats()).requests - before - 300;
      assert.ok(taken <= MOST_TAKEN, `${taken} requests were taken`);
    }
    assert.equal(await waiting.read(), "late");
    for (let i = 0; i < REQUESTS; i++) {
      assert.equal(await waiting.read(), 0);
      assert.equal(String(await waiting.read()).length, 20_000);
    }
    assert.equal((await sharded.proxy.stats()).cut, 0);
    closeAll(other, waiting);
  },
);

shared(
  "large replies wait for a stopped shard without that their client is cut, and own answers stand among them",
  async (sharded) => {
    const [other, waiting] = await Promise.all([sharded.client(), sharded.client()]);
    await other.ask("SET", FIRST, "v".repeat(LARGE));
    await other.ask("SET", SECOND, "late");
    {
      using _stopped = await suspendEngine(sharded, 1);
      waiting.send("GET", SECOND);
      for (let i = 0; i < LARGE_REPLIES; i++) {
        waiting.send("GET", FIRST);
        waiting.send("RENAME", FIRST, SECOND);
      }
      for (let i = 0; i < 300; i++) assert.equal(await other.ask("STRLEN", FIRST), LARGE);
      assert.deepEqual(waiting.unread, []);
    }
    assert.equal(await waiting.read(), "late");
    for (let i = 0; i < LARGE_REPLIES; i++) {
      assert.equal(String(await waiting.read()).length, LARGE);
      assert.equal(plain(await waiting.read()), "-CROSSSLOT Keys in request don't hash to the same slot");
    }
    assert.equal((await sharded.proxy.stats()).cut, 0);
    closeAll(other, waiting);
  },
);

shared(
  "without a primary for longer than clients may wait, a shard refuses requests for its keys alone",
  async (sharded) => {
    const client = await sharded.client();
    await client.ask("MGET", FIRST, SECOND, THIRD);
    // only now: a busy machine may need longer than this until the endpoint has reached its engines
    await sharded.configure({ holdMs: 700 });
    await sharded.engines[1]?.stop();
    const LOADING = "-LOADING store: no primary for this database right now";
    assert.equal(await client.ask("GET", SECOND), LOADING);
    assert.equal(await client.ask("SET", FIRST, "here"), "OK");
    assert.equal(await client.ask("MGET", FIRST, SECOND), LOADING);
    assert.equal(await client.ask("DBSIZE"), LOADING);
    assert.equal(await client.ask("SELECT", "1"), "OK");
    assert.equal(await client.ask("PING"), "PONG");
    closeAll(client);
  },
);

/** Twice as many are more than may wait for a client. */
const REQUESTS = 1_500;
/** A key of the first shard: few requests with it are read at once. */
const LONG = `none:${FIRST}:${"k".repeat(1_000)}`;
/** Those on their way, those whose replies are kept, and what is read at once. */
const MOST_TAKEN = 1_000 + 110 + 140;

const LARGE = 2 ** 20;
/** All of them take more than the memory of the process in which replies wait. */
const LARGE_REPLIES = 400;

function suspendEngine(sharded: Sharded, at: number) {
  const engine = sharded.engines[at];
  assert.ok(engine !== undefined);
  return suspend(engine);
}

function closeAll(...clients: readonly RawClient[]): void {
  for (const client of clients) client.close();
}
