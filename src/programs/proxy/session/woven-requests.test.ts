import assert from "node:assert/strict";
import { test } from "node:test";
import { startEngine } from "../../../../test/kit/engines/engine.ts";
import { plain, type RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { sharing } from "../../../../test/kit/engines/shared.ts";
import { suspend } from "../../../../test/kit/engines/suspend.ts";
import { beside } from "../../../../test/kit/load/beside.ts";
import { moveSecondShard } from "../../../../test/kit/sharded/move-second-shard.ts";
import { Sharded } from "../../../../test/kit/sharded/sharded.ts";
import { seededDice } from "../../../../test/kit/world/chaos.ts";

const [CLIENTS, MOVES, SHARDS] = [4, 5, 4];
/** Keys of the first, the second and the third of three shards. */
const [FIRST, SECOND, THIRD] = ["{3}", "{2}", "{4}"];
const WRONG_TYPE = "-WRONGTYPE Operation against a key holding the wrong kind of value";

for (const isHeld of [true, false])
  test(`pipelines of small requests get each reply in its place while a shard moves ${isHeld ? "in good order" : "without a hold"}`, async () => {
    await using sharded = await Sharded.start(SHARDS);
    const [second] = sharded.engines.slice(1);
    assert.ok(second !== undefined);
    await using replica = await startEngine();
    await replica.follow(second);
    const pipelines = await beside(
      () => moveSecondShard(sharded, replica, { moves: MOVES, isHeld }),
      (goesOn) => Array.from({ length: CLIENTS }, (_, number) => play(sharded, number, goesOn)),
    );
    assert.ok(pipelines.every((count) => count > 10));
    assert.equal((await sharded.proxy.stats()).cut, 0);
  });

const shared = sharing(() => Sharded.start(3));

shared("replies of other shards do not wait for one that is stopped, as far as they come before", async (sharded) => {
  const client = await warmed(sharded);
  {
    using _stopped = await suspend(sharded.engines[1] ?? assert.fail());
    const keys = [FIRST, THIRD, FIRST, THIRD, SECOND, FIRST, THIRD, FIRST];
    sendAll(
      client,
      keys.map((key) => ["INCR", `${key}n`]),
    );
    assert.deepEqual(await client.readMany(4), [1, 1, 2, 2]);
    assert.deepEqual(client.unread, []);
  }
  assert.deepEqual(await client.readMany(4), [1, 3, 3, 4]);
  client.close();
});

shared("replies that are larger than they seemed arrive whole, in their places", async (sharded) => {
  const client = await warmed(sharded);
  const value = "v".repeat(3 * 2 ** 20);
  for (const key of [FIRST, SECOND, THIRD]) await client.ask("SET", key, value);
  for (let i = 0; i < 40; i++) await client.ask("GET", "none");
  const keys = [FIRST, SECOND, THIRD, "none", FIRST, "none", SECOND, THIRD];
  sendAll(
    client,
    keys.map((key) => ["GET", key]),
  );
  const found = await client.readMany(keys.length);
  assert.deepEqual(
    found.map((reply) => (reply === null ? null : String(reply).length)),
    keys.map((key) => (key === "none" ? null : value.length)),
  );
  assert.equal((await sharded.proxy.stats()).cut, 0);
  client.close();
});

/** Sends pipelines of requests with one key, and compares each reply with what it must be; how many they were. */
async function play(sharded: Sharded, number: number, goesOn: () => boolean): Promise<number> {
  const client = await sharded.client();
  const dice = seededDice(number + 1);
  const values = new Map<string, number>();
  let pipelines = 0;
  for (; goesOn() || pipelines < 20; pipelines++) {
    const wanted: unknown[] = [];
    const requests = Array.from({ length: 1 + Math.floor(dice() * 60) }, () => {
      const key = `${number}:${Math.floor(dice() * 30)}`;
      const value = values.get(key) ?? 0;
      const kind = dice();
      if (kind < 0.5) values.set(key, value + 1);
      wanted.push(kind < 0.5 ? value + 1 : kind < 0.9 || value === 0 ? valueText(values, key) : WRONG_TYPE);
      return kind < 0.5 ? ["INCR", key] : kind < 0.9 || value === 0 ? ["GET", key] : ["LPUSH", key, "x"];
    });
    sendAll(client, requests);
    assert.deepEqual((await client.readMany(requests.length)).map(plain), wanted, `client ${number}, ${pipelines}`);
  }
  client.close();
  return pipelines;
}

function valueText(values: ReadonlyMap<string, number>, key: string): string | null {
  const value = values.get(key);
  return value === undefined ? null : String(value);
}

/** A client that has had small replies, so that more of them are expected. */
async function warmed(sharded: Sharded): Promise<RawClient> {
  const client = await sharded.client();
  await client.ask("FLUSHALL");
  for (let i = 0; i < 60; i++) await client.ask("GET", "none");
  return client;
}

function sendAll(client: RawClient, requests: readonly (readonly string[])[]): void {
  client.write(
    requests
      .map((words) => `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join("")}`)
      .join(""),
  );
}
