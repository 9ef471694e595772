import assert from "node:assert/strict";
import { test } from "node:test";
import { beside } from "../../../../test/kit/load/beside.ts";
import { Reshaped } from "../../../../test/kit/sharded/reshaped.ts";
import type { RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { Push, type Reply } from "../../../ports/resp/reply.ts";
import { until } from "#kit/testing/until";

/** Some shards of the second table are kept. */
const NUMBERS = [4, ["0-4095", "4096-6000", "6001-12287", "12288-16383"], 3, 1];
const CHANNELS = ["a", "b", "cx", "s"];

test("subscribers miss nothing while 1 shard becomes 4, 4 others, 3 and 1, with either protocol, and get nothing twice", async () => {
  await using database = await Reshaped.start(1, { proxies: 2 });
  const subscribers = await Promise.all([0, 1, 0, 1].map((proxy) => database.client(proxy)));
  for (const [at, client] of subscribers.entries()) {
    if (at < 2) await client.ask("HELLO", 3);
    client.send("SUBSCRIBE", "a", "b");
    client.send("PSUBSCRIBE", "c*");
    client.send("SSUBSCRIBE", "s");
    await client.readMany(4);
  }
  const publishers = await Promise.all([0, 1].map((proxy) => database.client(proxy)));
  const counts = await beside(
    async () => {
      for (const shards of NUMBERS) await database.reshape(shards);
    },
    (goesOn) => publishers.map((client, number) => publish(client, number, goesOn)),
  );
  for (const client of subscribers) {
    for (const [number, count] of counts.entries()) await untilSeen(client, `${number}:${count - 1}`);
    for (const [number, count] of counts.entries())
      for (const [at, channel] of CHANNELS.entries()) {
        const wanted = Array.from({ length: count }, (_, place) => place).filter(
          (place) => place % CHANNELS.length === at,
        );
        const found = seen(client, number).filter((place) => place % CHANNELS.length === at);
        assert.deepEqual(found, wanted, `what was published to ${channel}`);
      }
  }
  for (const client of [...subscribers, ...publishers]) client.close();
  for (const proxy of database.proxies) assert.equal((await proxy.stats()).cut, 0);
});

test("what a client has cached is not valid when the shards change, and what it reads afterwards is tracked there", async () => {
  await using database = await Reshaped.start(1);
  const [client, other] = await Promise.all([database.client(), database.client()]);
  await client.ask("HELLO", 3);
  assert.equal(await client.ask("CLIENT", "TRACKING", "ON"), "OK");
  for (const shards of NUMBERS) {
    assert.equal(typeof (await client.ask("STRLEN", "k")), "number");
    await database.reshape(shards);
    assert.deepEqual(await client.read(), new Push(["invalidate", null]));
    assert.equal(typeof (await client.ask("STRLEN", "k")), "number");
    await other.ask("APPEND", "k", "x");
    assert.deepEqual(await client.read(), new Push(["invalidate", ["k"]]));
  }
  client.close();
  other.close();
});

test("a monitor is shown what the next shards do", async () => {
  await using database = await Reshaped.start(1);
  const [client, other] = await Promise.all([database.client(), database.client()]);
  assert.equal(await client.ask("MONITOR"), "OK");
  for (const shards of NUMBERS) {
    await database.reshape(shards);
    await until("the monitor is shown a request", async () => {
      await other.ask("SET", `shown:${String(shards)}`, "1");
      return client.unread.some((line) => String(line).includes(`shown:${String(shards)}`));
    });
  }
  client.close();
  other.close();
});

/** Publishes numbers to all kinds of channels in turn; how many. */
async function publish(client: RawClient, number: number, goesOn: () => boolean): Promise<number> {
  let count = 0;
  for (; goesOn(); count++) {
    const channel = CHANNELS[count % CHANNELS.length] ?? "a";
    assert.equal(
      typeof (await client.ask(channel === "s" ? "SPUBLISH" : "PUBLISH", channel, `${number}:${count}`)),
      "number",
    );
  }
  return count;
}

async function untilSeen(client: RawClient, payload: string): Promise<void> {
  await until(`${payload} has arrived`, () => client.unread.some((frame) => payloadOf(frame) === payload));
}

/** The numbers of one publisher, in the order in which they have come. */
function seen(client: RawClient, number: number): readonly number[] {
  return client.unread.flatMap((frame) => {
    const [from, at] = payloadOf(frame).split(":");
    return Number(from) === number && at !== undefined ? [Number(at)] : [];
  });
}

function payloadOf(frame: Reply): string {
  const values = frame instanceof Push ? frame.values : frame;
  return Array.isArray(values) ? String(values.at(-1)) : "";
}
