import assert from "node:assert/strict";
import { test as alone } from "node:test";
import { until } from "#kit/testing/until";
import { engineNames } from "../../../../test/kit/engines/engine.ts";
import { addressOf } from "../../../../test/kit/engines/proxy.ts";
import { plain, RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { sharing } from "../../../../test/kit/engines/shared.ts";
import { Sharded } from "../../../../test/kit/sharded/sharded.ts";

const CROSSSLOT = "-CROSSSLOT Keys in request don't hash to the same slot";
const notYet = (what: string): string => `-ERR store: ${what} is not available at a database of several shards`;

/** Keys {1} and {d} lie in one shard now, and perhaps in two after the next change of shards. */
const OF_ONE_SHARD = [
  "RENAME {1} {d}",
  "MSETNX {1}x 1 {d}x 2",
  "SINTERCARD 2 {1}s {d}s",
  "BLPOP {1}none {d}none 0",
  "XREAD STREAMS {1}st {d}st 0 0",
  "EVAL return(1) 2 {1} {d}",
].map((request) => [request, CROSSSLOT] as const);

/** What a client sends in turn, and gets. Keys {1} to {4} lie in four shards. */
const ANSWERS = [
  ["SET {1} a", "OK"],
  ["SET {2} b", "OK"],
  ["SET {3} c", "OK"],
  ["SET {4} d", "OK"],
  ["MGET {4} {1} none {1} {3}", ["d", "a", null, "a", "c"]],
  ["EXISTS {1} {2} {1} none", 3],
  ["TOUCH {1} {2} {3} {4} none", 4],
  ["DBSIZE", 4],
  ["MSET {1} 1 {2} 2 {1} 3", "OK"],
  ["MGET {1} {2}", ["3", "2"]],
  ["MSET {1} 1 {2}", "-ERR wrong number of arguments for 'mset' command"],
  ["MGET", "-ERR wrong number of arguments for 'mget' command"],
  ["RENAME {1} {2}", CROSSSLOT],
  ...OF_ONE_SHARD,
  ["RENAME {1} {1}b", "OK"],
  ["RENAME {1} {1}c", "-ERR no such key"],
  ["COPY {1}b {1}", 1],
  ["MSETNX {1}x 1 {2}x 2", CROSSSLOT],
  ["MSETNX {1}x 1 {1}y 2", 1],
  ["SINTERCARD 2 {1}s {2}s", CROSSSLOT],
  ["SINTERCARD 2 {1}s {1}t", 0],
  ["SINTERCARD x {1}s {2}s", "-ERR numkeys should be greater than 0"],
  ["BITOP AND {1}d {1}a {2}a", CROSSSLOT],
  ["DEL {1} {1}b {1}x {1}y {2} none", 5],
  ["DBSIZE", 2],
  ["UNLINK {3} {4}", 2],
  ["RPUSH {2}l 2 1", 2],
  ["SORT {2}l", ["1", "2"]],
  ["SORT {2}l BY nosort", ["2", "1"]],
  ["SORT {2}l BY w_*", notYet("SORT with a pattern of keys")],
  ["SORT {2}l GET *", notYet("SORT with a pattern of keys")],
  ["SORT {2}l BY w_* GET nosort", notYet("SORT with a pattern of keys")],
  ["SORT {2}l BY nosort GET w_*", notYet("SORT with a pattern of keys")],
  ["SORT {2}l BY nosort BY w_*", notYet("SORT with a pattern of keys")],
  ["SORT_RO {2}l GET w_*", notYet("SORT_RO with a pattern of keys")],
  ["SORT {2}l LIMIT 1 1", ["2"]],
  ["SORT", "-ERR wrong number of arguments for 'sort' command"],
  ["SORT {2}l STORE {1}l", CROSSSLOT],
  ["XADD {3}st 1-1 f v", "1-1"],
  ["XREAD STREAMS {3}st 0", [["{3}st", [["1-1", ["f", "v"]]]]]],
  ["XREAD STREAMS {3}st {4}st 0 0", CROSSSLOT],
  ["BLPOP {2}none {2}l 0", ["{2}l", "2"]],
  ["BLPOP {2}none 0.01", null],
  ["BLPOP {1}none {2}none 0", CROSSSLOT],
  ["BLMOVE {2}l {1}l LEFT LEFT 0", CROSSSLOT],
  ["BLMPOP 0.01 2 {1}none {2}none LEFT", CROSSSLOT],
  ["BLMPOP 0.01 1 {1}none LEFT", null],
  ["BZPOPMIN {1}none {2}none 0", CROSSSLOT],
  ["BLPOP {1}none", "-ERR wrong number of arguments for 'blpop' command"],
  ["BLPOP {1}none x", "-ERR timeout is not a float or out of range"],
  ["XREAD BLOCK 10 STREAMS {3}st $", null],
  ["XREAD BLOCK 10 STREAMS {3}st 0", [["{3}st", [["1-1", ["f", "v"]]]]]],
  ["XREAD BLOCK 10 STREAMS {3}st {4}st 0 0", CROSSSLOT],
  ["XGROUP CREATE {3}st g 0", "OK"],
  ["XREADGROUP GROUP g c BLOCK 10 STREAMS {3}st >", [["{3}st", [["1-1", ["f", "v"]]]]]],
  ["OBJECT ENCODING none", null],
  ["MEMORY USAGE none", null],
  ["TYPE {3}st", "stream"],
  ["CONFIG GET maxmemory-policy", ["maxmemory-policy", "noeviction"]],
  ["CONFIG GET maxmemory", ["maxmemory", "0"]],
  ["CONFIG GET none", []],
  ["HSCAN {4}none 0", ["0", []]],
  ["SCAN x", "-ERR invalid cursor"],
  ["RANDOMKEY x", "-ERR wrong number of arguments for 'randomkey' command"],
  ["SLOWLOG RESET", "OK"],
  ["SLOWLOG LEN", 0],
  ["SLOWLOG GET", []],
  ["LATENCY RESET", 0],
  ["SCRIPT EXISTS 0 1", [0, 0]],
  ["FUNCTION FLUSH", "OK"],
  ["FUNCTION LIST", []],
  ["FLUSHALL", "OK"],
  ["RANDOMKEY", null],
  ["DBSIZE", 0],
  ["FLUSHALL x", "-ERR syntax error"],
  ["PING", "PONG"],
  ["ECHO here", "here"],
  ["EXEC", "-ERR EXEC without MULTI"],
  ["SELECT 1", "OK"],
  ["SET {1} of-1", "OK"],
  ["SELECT 0", "OK"],
  ["GET {1}", null],
  ["CLIENT SETNAME me", "OK"],
  ["CLIENT GETNAME", "me"],
  ["FLUSHDB", "OK"],
  ["SELECT 1", "OK"],
  ["GET {1}", "of-1"],
  ["FLUSHALL", "OK"],
  ["SELECT 0", "OK"],
] as const;

/** What would be wrong, or need a connection of its own, and so gets an error. */
const REFUSED = [...["SWAPDB 0 1", "MEMORY STATS"], "JSON.GET {1}"];
/** What no engine knows, so that any of them says so. */
const MISTYPED = ["NOSUCH {1}", "NOSUCH {1} {2} x", "GTE {4}", "OBJECT NOSUCH {2}", "CLIENT NOSUCH", "nosuch"];

alone("CONFIG SET is answered when all shards show it, and another one is refused", async () => {
  await using sharded = await Sharded.start(2);
  const applied = Promise.withResolvers<undefined>();
  sharded.proxy.onParameters(async () => {
    const parameters = { database: "orders", revision: 1, byClients: "slowlog-max-len=9", byDefinition: "" };
    await sharded.configure({ parameters });
    await sharded.engines[0]?.call("CONFIG", "SET", "slowlog-max-len", 9);
    applied.resolve(undefined);
    return { revision: 1 };
  });
  const client = await sharded.client();
  assert.match(String(await client.ask("CONFIG", "SET", "hz", 10)), /CONFIG SET of hz is not available/);
  client.send("CONFIG", "SET", "slowlog-max-len", 9);
  await applied.promise;
  // the proxy has looked at both
  await until("it asks again", async () => Number(await calls(sharded, 0)) > 3);
  assert.deepEqual(client.unread, []);
  await sharded.engines[1]?.call("CONFIG", "SET", "slowlog-max-len", 9);
  assert.equal(await client.read(), "OK");
  client.close();
});

/** Four shards that find nothing slow: a busy machine keeps any command waiting. */
async function startFour(engine: string): Promise<Sharded> {
  const sharded = await Sharded.start(4, {}, engine);
  await Promise.all(sharded.engines.map((one) => one.call("CONFIG", "SET", "slowlog-log-slower-than", -1)));
  return sharded;
}

/** How often a shard was asked for parameters. */
async function calls({ engines }: Sharded, shard: number): Promise<string | undefined> {
  const text = String(await engines[shard]?.call("INFO", "commandstats"));
  return /cmdstat_config\|get:calls=(\d+)/.exec(text)?.[1];
}

for (const engine of engineNames()) {
  const test = sharing(() => startFour(engine));

  test(`four shards of ${engine} answer as one engine, or CROSSSLOT`, async (sharded) => {
    const client = await sharded.client();
    const found = [];
    for (const [request] of ANSWERS) found.push([request, await client.ask(...request.split(" "))]);
    assert.deepEqual(found, ANSWERS);
    client.close();
  });

  test(`four shards of ${engine} give the same replies to one pipeline`, async (sharded) => {
    const client = await sharded.client();
    for (const [request] of ANSWERS) client.send(...request.split(" "));
    const found = await client.readMany(ANSWERS.length);
    assert.deepEqual(
      found.map((reply, at) => [ANSWERS[at]?.[0], plain(reply)]),
      ANSWERS,
    );
    client.close();
  });

  test(`a client of four shards of ${engine} has no other user than the default one, and is answered as by an engine`, async (sharded) => {
    const client = await sharded.client();
    for (const request of ["AUTH other pw", "HELLO 3 AUTH other pw"])
      assert.match(String(await client.ask(...request.split(" "))), /^-WRONGPASS /, request);
    assert.equal(await client.ask("PING"), "PONG");
    client.close();
  });

  test(`what four shards of ${engine} cannot answer yet is refused, and the next request is answered`, async (sharded) => {
    const client = await sharded.client();
    for (const request of REFUSED) {
      const reply = String(await client.ask(...request.split(" ")));
      assert.match(reply, /^-ERR store: .* is not available at a database of several shards$/, request);
    }
    assert.equal(await client.ask("PING"), "PONG");
    client.close();
  });

  test(`a mistyped command gets at four shards of ${engine} what an engine says of it, also in MULTI`, async (sharded) => {
    const [first] = sharded.engines;
    assert.ok(first !== undefined);
    const [client, direct] = await Promise.all([sharded.client(), RawClient.connect(addressOf(first))]);
    for (const request of MISTYPED) {
      const words = request.split(" ");
      const said = await direct.ask(...words);
      assert.match(String(said), /^-ERR unknown (?:sub)?command/i, request);
      assert.equal(await client.ask(...words), said);
      assert.equal(await client.ask("MULTI"), "OK");
      assert.equal(await client.ask(...words), said);
      assert.match(String(await client.ask("EXEC")), /^-EXECABORT /, request);
    }
    client.close();
    direct.close();
  });

  test(`keys lie in the shard of their slot, and KEYS finds those of all shards of ${engine}`, async (sharded) => {
    const client = await sharded.client();
    const names = Array.from({ length: 40 }, (_, i) => `key-${i}`);
    assert.equal((await client.ask("HELLO", 3)) instanceof Map, true);
    for (const name of names) await client.ask("SET", name, "x");
    assert.deepEqual([...((await client.ask("KEYS", "key-*")) as string[])].sort(), [...names].sort());
    const sizes = await Promise.all(sharded.engines.map((one) => one.call("DBSIZE")));
    assert.equal(
      sizes.reduce<number>((sum, size) => sum + Number(size), 0),
      names.length,
    );
    assert.ok(
      sizes.every((size) => Number(size) > 0),
      sizes.join(),
    );
    assert.deepEqual(await client.ask("MGET", "key-1", "none", "key-2"), ["x", null, "x"]);
    await client.ask("FLUSHALL");
    client.close();
  });

  test(`a scan finds each key of four shards of ${engine} once, and random keys are of all shards`, async (sharded) => {
    const client = await sharded.client();
    const names = Array.from({ length: 500 }, (_, i) => `key-${i}`);
    for (const name of names) client.send("SET", name, "x");
    await client.readMany(names.length);
    const found: string[] = [];
    for (let cursor = "0", begun = false; !begun || cursor !== "0"; begun = true) {
      const [next, keys] = (await client.ask("SCAN", cursor, "COUNT", 20)) as [string, string[]];
      for (const key of keys) found.push(key);
      cursor = next;
    }
    assert.deepEqual(found.toSorted(), names.toSorted());
    const fields = Array.from({ length: 1_000 }, (_, i) => [`f${i}`, "x"]).flat();
    await client.ask("HSET", "{4}h", ...fields);
    const [cursor] = (await client.ask("HSCAN", "{4}h", "0", "COUNT", 10)) as [string];
    assert.notEqual(cursor, "0");
    assert.equal(((await client.ask("HSCAN", "{4}h", cursor, "COUNT", 5_000)) as [string])[0], "0");
    const picked = new Set<string>();
    for (let i = 0; i < 200; i++) picked.add(String(await client.ask("RANDOMKEY")));
    assert.ok(picked.size > 50, `${picked.size} different keys`);
    await client.ask("FLUSHALL");
    client.close();
  });

  for (const protocol of [2, 3])
    test(`INFO of four shards of ${engine} counts the keys of all (RESP${protocol})`, async (sharded) => {
      const client = await sharded.client();
      await client.ask("HELLO", protocol);
      for (let i = 0; i < 20; i++) await client.ask("SET", `key-${i}`, "x");
      const text = String(await client.ask("INFO"));
      assert.equal(/\r\n(?:redis|server)_mode:(\w+)/.exec(text)?.[1], "standalone");
      assert.equal(/\r\nloading:(\d)/.exec(text)?.[1], "0");
      assert.equal(/\r\ndb0:(keys=\d+),/.exec(text)?.[1], "keys=20");
      await client.ask("FLUSHALL");
      client.close();
    });
}
