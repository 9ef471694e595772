import assert from "node:assert/strict";
import { test as alone } from "node:test";
import { until } from "#kit/testing/until";
import { engineNames, startEngine } from "../../../../test/kit/engines/engine.ts";
import { plain, RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { sharing } from "../../../../test/kit/engines/shared.ts";
import { switchOver } from "../../../../test/kit/engines/switchover.ts";
import { repliesTo } from "../../../../test/kit/sharded/replies-to.ts";
import { Sharded } from "../../../../test/kit/sharded/sharded.ts";
import { shaOf } from "../upstream/script-cache.ts";

const CROSSSLOT = "-CROSSSLOT Keys in request don't hash to the same slot";
/** Keys of the first, the second and the third of three shards. */
const [FIRST, SECOND, THIRD] = ["{3}", "{2}", "{4}"];

const INCR = "return redis.call('incr', KEYS[1])";
const READ = "return redis.call('get', KEYS[1])";
const FAILS = "return redis.call('lpush', KEYS[1], 'x')";
const LIBRARY = `#!lua name=l
redis.register_function('add', function(keys, args) return redis.call('incrby', keys[1], args[1]) end)
redis.register_function{function_name = 'read', flags = {'no-writes'},
  callback = function(keys) return redis.call('get', keys[1]) end}
redis.register_function('four', function() return 4 end)`;

/** What three shards answer as one engine does. */
const SAME: Readonly<Record<string, readonly (string | readonly (string | number)[])[]>> = {
  "a script at each shard": [FIRST, SECOND, THIRD].map((key) => ["EVAL", INCR, 1, key]),
  "several keys of one slot": [["EVAL", "return KEYS", 2, "{2}a", "{2}b", "x"]],
  "a script without keys": [["EVAL", "return ARGV", 0, "x", "y"], "EVAL return(7) 0"],
  "a script that reads": [`SET ${THIRD} x`, ["EVAL_RO", READ, 1, THIRD], ["EVAL_RO", INCR, 1, THIRD]],
  "a script that one shard has run runs at another": [
    ["EVAL", INCR, 1, FIRST],
    ["EVALSHA", shaOf(Buffer.from(INCR)), 1, SECOND],
    ["EVALSHA_RO", shaOf(Buffer.from(INCR)), 1, SECOND],
    ["EVALSHA", shaOf(Buffer.from(INCR)).toUpperCase(), 1, THIRD],
    ["SCRIPT", "EXISTS", shaOf(Buffer.from(INCR)), "0".repeat(40)],
  ],
  "a script that is loaded": [
    ["SCRIPT", "LOAD", READ],
    ["EVALSHA", shaOf(Buffer.from(READ)), 1, SECOND],
    ["EVALSHA", shaOf(Buffer.from(READ)), 1, THIRD],
    ["SCRIPT", "EXISTS", shaOf(Buffer.from(READ))],
  ],
  "scripts that are flushed": [
    ["SCRIPT", "LOAD", READ],
    ["EVAL", INCR, 1, FIRST],
    "SCRIPT FLUSH",
    ["EVALSHA", shaOf(Buffer.from(READ)), 1, SECOND],
    ["EVALSHA", shaOf(Buffer.from(INCR)), 1, FIRST],
    ["SCRIPT", "EXISTS", shaOf(Buffer.from(READ)), shaOf(Buffer.from(INCR))],
    ["EVAL", INCR, 1, FIRST],
    ["EVALSHA", shaOf(Buffer.from(INCR)), 1, SECOND],
  ],
  "a script that fails": [`SET ${SECOND} x`, ["EVAL", FAILS, 1, SECOND], `GET ${SECOND}`],
  "what is wrong": [
    "EVAL return",
    "EVAL x 1 {2}",
    "EVAL return(1) x {2}",
    "EVAL return(1) 2 {2}",
    "EVALSHA 0 0",
    "SCRIPT LOAD x",
  ],
  "scripts and other requests in turn": [
    `SET ${FIRST} 1`,
    ["EVAL", INCR, 1, FIRST],
    `GET ${FIRST}`,
    `SET ${SECOND} 5`,
    ["EVAL", INCR, 1, SECOND],
    `MGET ${FIRST} ${SECOND}`,
  ],
  functions: [
    "FUNCTION FLUSH",
    ["FUNCTION", "LOAD", LIBRARY],
    ...[FIRST, SECOND, THIRD].map((key) => `FCALL add 1 ${key} 5`),
    ...[FIRST, SECOND, THIRD].map((key) => `FCALL_RO read 1 ${key}`),
    "FCALL four 0",
    "FCALL_RO four 0",
    "FCALL none 0",
    "FUNCTION DELETE l",
    `FCALL add 1 ${FIRST} 5`,
  ],
  "scripts in a transaction": [
    ["EVAL", INCR, 1, FIRST],
    "MULTI",
    ["EVALSHA", shaOf(Buffer.from(INCR)), 1, SECOND],
    ["EVAL", READ, 1, SECOND],
    "EVAL return(1) 0",
    "EXEC",
    "MULTI",
    ["EVALSHA", shaOf(Buffer.from(READ)), 0],
    ["EVALSHA", shaOf(Buffer.from(READ)), 1, THIRD],
    "EXEC",
  ],
  "a script that is watched around": [
    `WATCH ${SECOND}`,
    ["EVAL", READ, 1, SECOND],
    "EVAL return(1) 0",
    "MULTI",
    `SET ${SECOND} 1`,
    "EXEC",
  ],
  "no script that runs": ["SCRIPT KILL", "FUNCTION KILL"],
};

for (const engine of engineNames()) {
  const test = sharing(() => Sharded.start(3, {}, engine));

  for (const isPipeline of [false, true])
    test(`scripts at three shards of ${engine}, ${isPipeline ? "in one pipeline" : "one by one"}, are answered as by one engine`, async (sharded) => {
      await using direct = await startEngine({ engine });
      for (const [what, requests] of Object.entries(SAME)) {
        const expected = await repliesTo(await RawClient.connect(direct), requests, isPipeline);
        assert.deepEqual(await repliesTo(await sharded.client(), requests, isPipeline), expected, what);
      }
    });

  test(`a script or function with keys of several slots gets CROSSSLOT at ${engine}, also in one shard`, async (sharded) => {
    const client = await sharded.client();
    for (const other of [SECOND, "{3}x", "{1}", "{5}"].filter((key) => key !== FIRST)) {
      const isSame = other === "{3}x";
      for (const name of ["EVAL", "EVAL_RO"])
        assert.deepEqual(await client.ask(name, "return 1", 2, FIRST, other), isSame ? 1 : CROSSSLOT, other);
      if (!isSame) assert.equal(await client.ask("FCALL", "f", 2, FIRST, other), CROSSSLOT);
    }
    client.close();
  });
}

const shared = sharing(() => Sharded.start(3));

shared("SCRIPT KILL ends a script at whichever shard it runs", async (sharded) => {
  const [running, killer] = await Promise.all([sharded.client(), sharded.client()]);
  await Promise.all(sharded.engines.map((engine) => engine.call("CONFIG", "SET", "lua-time-limit", 10)));
  running.send("EVAL", "while true do end", 1, SECOND);
  await until("the script runs and is killed", async () => (await killer.ask("SCRIPT", "KILL")) === "OK");
  assert.match(String(plain(await running.read())), /Script killed by user/);
  assert.equal(await killer.ask("GET", SECOND), null);
  for (const client of [running, killer]) client.close();
});

alone(
  "a script that one shard has run is known to all after moves, and no shard forgets it before all are flushed",
  async () => {
    await using sharded = await Sharded.start(3);
    const [first, second] = sharded.engines;
    assert.ok(first !== undefined && second !== undefined);
    await using replica = await startEngine();
    await replica.follow(second);
    const client = await sharded.client();
    assert.equal(await client.ask("EVAL", INCR, 1, FIRST), 1);
    await switchOver([sharded.proxy], 2, second, replica, 2);
    assert.equal(await client.ask("EVALSHA", shaOf(Buffer.from(INCR)), 1, SECOND), 1);
    assert.equal(await client.ask("EVALSHA", shaOf(Buffer.from(INCR)), 1, FIRST), 2);
    // the second shard had all, and lacks what the first has run since
    assert.equal(await client.ask("EVAL", READ, 1, FIRST), "2");
    await switchOver([sharded.proxy], 3, replica, second, 2);
    assert.equal(await client.ask("EVALSHA", shaOf(Buffer.from(READ)), 1, SECOND), "1");
    assert.equal(await client.ask("SCRIPT", "FLUSH"), "OK");
    await until("it is forgotten", async () =>
      String(await client.ask("EVALSHA", shaOf(Buffer.from(READ)), 1, SECOND)).startsWith("-NOSCRIPT"),
    );
    assert.equal((await sharded.proxy.stats()).cut, 0);
    client.close();
  },
);
