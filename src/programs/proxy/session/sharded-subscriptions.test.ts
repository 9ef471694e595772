import assert from "node:assert/strict";
import { test as alone } from "node:test";
import { until } from "#kit/testing/until";
import { engineNames, startEngine } from "../../../../test/kit/engines/engine.ts";
import { addressOf, done } from "../../../../test/kit/engines/proxy.ts";
import { plain, RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { sharing } from "../../../../test/kit/engines/shared.ts";
import { switchOver } from "../../../../test/kit/engines/switchover.ts";
import { Sharded } from "../../../../test/kit/sharded/sharded.ts";
import { Push, type Reply } from "../../../ports/resp/reply.ts";

/** Keys of the first, the second and the third of three shards. */
const KEYS = ["{3}", "{2}", "{4}"];

/** What a subscriber sends, and how many replies it gets in all; three shards confirm it as one engine does. */
const SAME: Readonly<Record<string, readonly [requests: string, replies: number]>> = {
  "channels, patterns and those of slots": [
    "SUBSCRIBE a b; SUBSCRIBE a; PSUBSCRIBE p*; SSUBSCRIBE s; SSUBSCRIBE t u; UNSUBSCRIBE b; UNSUBSCRIBE none; PUNSUBSCRIBE none",
    10,
  ],
  "the end of all": [
    "SUBSCRIBE a; PSUBSCRIBE p*; SSUBSCRIBE s; UNSUBSCRIBE; PUNSUBSCRIBE; SUNSUBSCRIBE; GET none; SET {2} 1; GET {2}",
    9,
  ],
  "what was not begun": ["UNSUBSCRIBE; PUNSUBSCRIBE; SUNSUBSCRIBE; UNSUBSCRIBE a b; SUNSUBSCRIBE s; PING", 7],
  "what is wrong": ["SUBSCRIBE; PSUBSCRIBE; SSUBSCRIBE; PING", 4],
  "a channel twice": ["SUBSCRIBE a a; UNSUBSCRIBE a a; GET none", 5],
  "what a subscriber may send": ["SUBSCRIBE a; PING; PING x; PING x y; RESET; GET none", 6],
  "what one of the old protocol may not send": [
    "SUBSCRIBE a; GET {2}; MGET {2} {3}; DBSIZE; MULTI; CLIENT ID; EVAL return(1) 0; BLPOP {2} 1; SELECT 1",
    9,
  ],
};
/** It alone refuses the end of what was not begun. */
const PECULIAR = "valkey-8.0.1";

for (const engine of engineNames()) {
  const test = sharing(() => Sharded.start(3, {}, engine));

  for (const protocol of [2, 3])
    test(`subscriptions at three shards of ${engine} are confirmed as by one engine (RESP${protocol})`, async (sharded) => {
      await using direct = await startEngine({ engine });
      for (const [what, [requests, count]] of Object.entries(SAME)) {
        if (protocol === 3 && what.includes("old protocol")) continue;
        if (engine === PECULIAR && what === "what was not begun") continue;
        const expected = await framesOf(await RawClient.connect(direct), protocol, requests, count);
        assert.deepEqual(await framesOf(await sharded.client(), protocol, requests, count), expected, what);
      }
    });

  for (const protocol of [2, 3])
    test(`a subscriber of ${engine} gets each message once, wherever it is published (RESP${protocol})`, async (sharded) => {
      const [subscriber, publisher] = await Promise.all([sharded.client(), sharded.client()]);
      const channels = Array.from({ length: 8 }, (_, at) => `news:${at}`);
      await subscriber.ask("HELLO", protocol);
      subscriber.send("SUBSCRIBE", ...channels);
      subscriber.send("PSUBSCRIBE", "news:*");
      await subscriber.readMany(channels.length + 1);
      for (const channel of channels) publisher.send("PUBLISH", channel, "1");
      assert.deepEqual(await publisher.readMany(8), new Array(8).fill(2));
      for (const [at, channel] of channels.entries())
        await publisher.ask("EVAL", "return redis.call('publish', ARGV[1], '2')", 1, KEYS[at % 3] ?? "", channel);
      for (const [at, channel] of channels.entries())
        for (const request of [["MULTI"], ["SET", KEYS[at % 3] ?? "", "x"], ["PUBLISH", channel, "3"], ["EXEC"]])
          await publisher.ask(...request);
      const got = (await subscriber.readMany(48)).map((frame) => valuesOf(frame));
      for (const [kind, each] of [
        ["message", (channel: string) => [1, 2, 3].map((n) => ["message", channel, String(n)])],
        ["pmessage", (channel: string) => [1, 2, 3].map((n) => ["pmessage", "news:*", channel, String(n)])],
      ] as const)
        for (const channel of channels)
          assert.deepEqual(
            got.filter((values) => values[0] === kind && values.includes(channel)),
            each(channel),
          );
      for (const client of [subscriber, publisher]) client.close();
    });

  test(`PUBSUB of three shards of ${engine} counts each subscriber once, and its connections end with its subscriptions`, async (sharded) => {
    const [one, other] = await Promise.all([sharded.client(), sharded.client()]);
    for (const client of [one, other]) await client.ask("HELLO", 3);
    one.send("SUBSCRIBE", "a", "b");
    one.send("PSUBSCRIBE", "p*");
    one.send("SSUBSCRIBE", "s", "t");
    other.send("SUBSCRIBE", "a");
    await Promise.all([one.readMany(5), other.read()]);
    assert.deepEqual(((await other.ask("PUBSUB", "CHANNELS")) as string[]).toSorted(), ["a", "b"]);
    assert.deepEqual(await other.ask("PUBSUB", "NUMSUB", "a", "b", "c"), ["a", 2, "b", 1, "c", 0]);
    assert.equal(await other.ask("PUBSUB", "NUMPAT"), 1);
    assert.deepEqual(((await other.ask("PUBSUB", "SHARDCHANNELS")) as string[]).toSorted(), ["s", "t"]);
    assert.deepEqual(await other.ask("PUBSUB", "SHARDNUMSUB", "s", "t", "u"), ["s", 1, "t", 1, "u", 0]);
    assert.equal(await other.ask("SPUBLISH", "t", "x"), 1);
    assert.deepEqual(await one.read(), new Push(["smessage", "t", "x"]));
    for (const request of ["MULTI", "SPUBLISH t y", "EXEC"]) await other.ask(...request.split(" "));
    assert.deepEqual(
      await one.read(),
      new Push(["smessage", "t", "y"]),
      "a transaction goes to the shard of its channel",
    );
    assert.match(String(await one.ask("CLIENT", "INFO")), /flags=P .* sub=2 psub=1 ssub=2 /);
    for (const client of [one, other]) client.close();
    await until("nothing is subscribed to", async () => {
      const channels = await Promise.all(sharded.engines.map((each) => each.call("PUBSUB", "CHANNELS")));
      return channels.flat().length === 0;
    });
  });

  test(`a subscriber gets the keyspace events of all shards of ${engine}`, async (sharded) => {
    await Promise.all(sharded.engines.map((each) => each.call("CONFIG", "SET", "notify-keyspace-events", "KEA")));
    const [subscriber, writer] = await Promise.all([sharded.client(), sharded.client()]);
    subscriber.send("SUBSCRIBE", "__keyevent@0__:set", "__keyspace@0__:{4}");
    subscriber.send("PSUBSCRIBE", "__keyspace@0__:{2}*");
    await subscriber.readMany(3);
    for (const key of KEYS) await writer.ask("SET", key, "x");
    const got = (await subscriber.readMany(5)).map((frame) => valuesOf(frame).join(" ")).toSorted();
    assert.deepEqual(got, [
      ...["message __keyevent@0__:set {2}", "message __keyevent@0__:set {3}", "message __keyevent@0__:set {4}"],
      ...["message __keyspace@0__:{4} set", "pmessage __keyspace@0__:{2}* __keyspace@0__:{2} set"],
    ]);
    for (const client of [subscriber, writer]) client.close();
  });
}

const shared = sharing(() => Sharded.start(3));

shared("no message stands inside a reply, however large", async (sharded) => {
  const [subscriber, publisher] = await Promise.all([sharded.client(), sharded.client()]);
  const value = "v".repeat(300_000);
  await subscriber.ask("HELLO", 3);
  await subscriber.ask("SUBSCRIBE", "ch");
  await Promise.all(KEYS.map((key) => publisher.ask("SET", key, value)));
  const [rounds, messages] = [20, 400];
  for (let i = 0; i < messages; i++) publisher.send("PUBLISH", "ch", i);
  for (let i = 0; i < rounds; i++) for (const key of KEYS) subscriber.send("GET", key);
  const frames = await subscriber.readMany(messages + rounds * KEYS.length);
  const published = frames.filter((frame) => frame instanceof Push);
  assert.deepEqual(
    published.map((frame) => valuesOf(frame)[2]),
    Array.from({ length: messages }, (_, i) => String(i)),
  );
  assert.ok(frames.every((frame) => frame instanceof Push || plain(frame) === value));
  for (const client of [subscriber, publisher]) client.close();
});

for (const protocol of [2, 3])
  alone(`a subscriber misses no message of moves of shards, and gets none twice (RESP${protocol})`, async () => {
    await using sharded = await Sharded.start(2);
    const [first, second] = sharded.engines;
    assert.ok(first !== undefined && second !== undefined);
    await using replica = await startEngine();
    await replica.follow(second);
    const [subscriber, publisher] = await Promise.all([sharded.client(), sharded.client()]);
    await subscriber.ask("HELLO", protocol);
    subscriber.send("SUBSCRIBE", "a", "{2}", "{3}");
    subscriber.send("PSUBSCRIBE", "other*");
    await subscriber.readMany(4);
    const channels = ["a", "{2}", "{3}", "other:{2}", "other:{3}"];
    const isOver = { now: false };
    const publishing = (async () => {
      let count = 0;
      for (; !isOver.now; count++)
        for (const channel of channels) assert.equal(await publisher.ask("PUBLISH", channel, count), 1);
      return count;
    })();
    await switchOver([sharded.proxy], 2, second, replica, 2);
    await switchOver([sharded.proxy], 3, replica, second, 2);
    isOver.now = true;
    const count = await publishing;
    const got = (await subscriber.readMany(count * channels.length)).map((frame) => valuesOf(frame));
    for (const channel of channels)
      assert.deepEqual(
        got.filter((values) => values.at(-2) === channel).map((values) => values.at(-1)),
        Array.from({ length: count }, (_, i) => String(i)),
      );
    subscriber.send("UNSUBSCRIBE", "a");
    assert.deepEqual(valuesOf(await subscriber.read()), ["unsubscribe", "a", 3]);
    assert.equal((await sharded.proxy.stats()).cut, 0);
    for (const client of [subscriber, publisher]) client.close();
  });

alone("messages that come between the confirmations of two shards keep none back", async () => {
  await using sharded = await Sharded.start(2);
  const [first, second] = sharded.engines;
  assert.ok(first !== undefined && second !== undefined);
  const [subscriber, publisher] = await Promise.all([sharded.client(), sharded.client()]);
  await subscriber.ask("HELLO", 3);
  await subscriber.ask("SUBSCRIBE", "{3}");
  process.kill(second.pid, "SIGSTOP");
  try {
    subscriber.send("PSUBSCRIBE", "other*");
    await until("one shard has confirmed it", async () => (await first.call("PUBSUB", "NUMPAT")) === 1);
    for (const message of ["1", "2", "3"]) assert.equal(await publisher.ask("PUBLISH", "{3}", message), 1);
  } finally {
    process.kill(second.pid, "SIGCONT");
  }
  const got = (await subscriber.readMany(4)).map((frame) => valuesOf(frame).at(-1));
  assert.deepEqual(got, [2, "1", "2", "3"]);
  for (const client of [subscriber, publisher]) client.close();
});

alone("what is published before the end of a subscription comes before its confirmation", async () => {
  await using sharded = await Sharded.start(2);
  const [first] = sharded.engines;
  assert.ok(first !== undefined);
  const [subscriber, publisher, other] = await Promise.all([sharded.client(), sharded.client(), sharded.client()]);
  await subscriber.ask("HELLO", 3);
  await subscriber.ask("PSUBSCRIBE", "*");
  process.kill(first.pid, "SIGSTOP");
  try {
    publisher.send("PUBLISH", "{3}", "1");
    await other.ask("GET", "{4}");
    subscriber.send("PUNSUBSCRIBE", "*");
    await other.ask("GET", "{4}");
  } finally {
    process.kill(first.pid, "SIGCONT");
  }
  const got = (await subscriber.readMany(2)).map((frame) => valuesOf(frame)[0]);
  assert.deepEqual(got, ["pmessage", "punsubscribe"]);
  for (const client of [subscriber, publisher, other]) client.close();
});

alone("a shard that moves while another one is held is not left out of a subscription", async () => {
  await using sharded = await Sharded.start(2);
  const [first, second] = sharded.engines;
  assert.ok(first !== undefined && second !== undefined);
  await using replica = await startEngine();
  await replica.follow(first);
  const [subscriber, publisher] = await Promise.all([sharded.client(), sharded.client()]);
  await subscriber.ask("HELLO", 3);
  const move = { bdb: 1, shard: 2, epoch: 2 } as const;
  const target = addressOf(second);
  await done(sharded.proxy.send({ op: "prepare", ...move, target }));
  await done(sharded.proxy.send({ op: "hold", ...move, drainMs: 5_000, holdMs: 60_000 }));
  subscriber.send("SUBSCRIBE", "{3}");
  await until("it has a connection to the first shard", async () => (await sharded.proxy.stats()).counted?.pins === 1);
  await switchOver([sharded.proxy], 2, first, replica, 1);
  await done(sharded.proxy.send({ op: "release", ...move, target }));
  assert.deepEqual(valuesOf(await subscriber.read()), ["subscribe", "{3}", 1]);
  assert.equal(await publisher.ask("PUBLISH", "{3}", "1"), 1);
  assert.deepEqual(valuesOf(await subscriber.read()), ["message", "{3}", "1"]);
  for (const client of [subscriber, publisher]) client.close();
});

alone("a subscriber whose shard is lost is cut, and SUBSCRIBE gets an error while a shard has no primary", async () => {
  await using sharded = await Sharded.start(2);
  const subscriber = await sharded.client();
  assert.deepEqual(await subscriber.ask("SUBSCRIBE", "ch"), ["subscribe", "ch", 1]);
  // only now: a busy machine may need longer than this until the endpoint has reached its engines
  await sharded.configure({ holdMs: 200 });
  await sharded.engines[1]?.stop();
  assert.equal(await subscriber.read(), undefined);
  const other = await sharded.client();
  await other.ask("HELLO", 3);
  assert.match(String(plain(await other.ask("SUBSCRIBE", "ch"))), /^-LOADING store: no primary/);
  assert.deepEqual(valuesOf(await other.ask("SSUBSCRIBE", "{3}")), ["ssubscribe", "{3}", 1]);
  other.close();
});

/** The frames that a client gets. */
async function framesOf(client: RawClient, protocol: number, requests: string, count: number): Promise<unknown[]> {
  await client.ask("FLUSHALL");
  await client.ask("HELLO", protocol);
  for (const request of requests.split("; ")) client.send(...request.split(" "));
  const frames = await client.readMany(count);
  client.close();
  return frames.map((frame) =>
    frame instanceof Push ? { push: frame.values } : Array.isArray(frame) ? frame : plain(frame),
  );
}

function valuesOf(frame: Reply | undefined): readonly unknown[] {
  if (frame instanceof Push) return frame.values;
  return Array.isArray(frame) ? frame : [plain(frame)];
}
