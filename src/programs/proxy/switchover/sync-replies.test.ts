import assert from "node:assert/strict";
import { test } from "node:test";
import { addressOf, done, withShard } from "../../../../test/kit/engines/proxy.ts";
import { plain, type RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import { suspend } from "../../../../test/kit/engines/suspend.ts";
import { until } from "#kit/testing/until";
import { listOf, textOf } from "../../../ports/resp/reply.ts";
import type { Address, SyncReplicas } from "../../../ports/management/proxy-control.ts";

test("a reply waits until the replica of the set has what it acknowledges", async () => {
  await using served = await Served.start();
  await configure(served, { members: [addressOf(served.replica)] });
  const [writer, other, blocked] = await clients(served);
  assert.equal(await writer.ask("SET", "k", "1"), "OK");
  assert.equal(await served.replica.call("GET", "k"), "1");
  assert.deepEqual(await transaction(other), ["OK", "QUEUED", [2]]);
  blocked.send("BLPOP", "queue", 0);
  assert.equal(await writer.ask("RPUSH", "queue", "x"), 1);
  assert.deepEqual(plain(await blocked.read()), ["queue", "x"]);
  using replica = await suspend(served.replica);
  writer.send("INCR", "k");
  other.send("GET", "k");
  await until("the engine has done it", async () => (await served.primary.call("GET", "k")) === "3");
  await configure(served, { members: [addressOf(served.replica)], joining: [], version: 2 });
  assert.deepEqual([writer.unread, other.unread], [[], []]);
  replica.resume();
  assert.deepEqual([await writer.read(), await other.read()], [3, "3"]);
});

test("without a member of the set replies pass in the mode degrade, and wait in the mode wait", async () => {
  await using served = await Served.start();
  using replica = await suspend(served.replica);
  const [client] = await clients(served);
  await configure(served, { members: [addressOf(served.replica)] });
  client.send("INCR", "n");
  await until("the engine has done it", async () => (await served.primary.call("GET", "n")) === "1");
  await configure(served, { members: [], version: 2 });
  assert.equal(await client.read(), 1);
  await configure(served, { members: [], version: 3 }, "wait");
  client.send("INCR", "n");
  await until("the engine has done it", async () => (await served.primary.call("GET", "n")) === "2");
  assert.deepEqual(client.unread, []);
  await configure(served, { members: [], version: 4 });
  assert.equal(await client.read(), 2);
  replica.resume();
});

test("no reply passes while the set of the epoch is not known, and a replica that joins is waited for", async () => {
  await using served = await Served.start();
  const [client] = await clients(served);
  await configure(served, undefined);
  client.send("INCR", "n");
  await until("the engine has done it", async () => (await served.primary.call("GET", "n")) === "1");
  assert.equal((await confirm(served, 1)).ok, false);
  using replica = await suspend(served.replica);
  await configure(served, { members: [], joining: [addressOf(served.replica)] });
  assert.equal((await confirm(served, 1)).ok, true);
  assert.equal((await confirm(served, 2)).ok, false);
  assert.deepEqual(client.unread, []);
  replica.resume();
  assert.equal(await client.read(), 1);
});

test("what an engine refuses before it looks at data passes at once", async () => {
  await using served = await Served.start();
  const [client] = await clients(served);
  await configure(served, undefined);
  assert.match(String(await client.ask("LPUSH", "k")), /wrong number/);
});

test("a script cannot show what it has written in the words of a refusal", async () => {
  await using served = await Served.start();
  using replica = await suspend(served.replica);
  const [client] = await clients(served);
  await configure(served, { members: [addressOf(served.replica)] });
  const script = "redis.call('SET', KEYS[1], ARGV[1]) return redis.error_reply(ARGV[2] .. redis.call('GET', KEYS[1]))";
  const words = ["ERR syntax error ", "READONLY You can't write against a read only replica.", "OOM ", "NOPERM "];
  for (const word of words) client.send("EVAL", script, 1, "k", "fresh", word);
  await until("the engine has done it", async () => (await served.primary.call("GET", "k")) === "fresh");
  assert.deepEqual(client.unread, []);
  replica.resume();
  for (const word of words) assert.equal(plain(await client.read()), `-${word}fresh`);
});

test("a switchover under load fails no request, and replies of the new primary wait for the old one", async () => {
  await using served = await Served.start();
  await configure(served, { members: [addressOf(served.replica)] });
  const [writer, blocked] = await clients(served);
  blocked.send("BLPOP", "queue", 0);
  assert.equal(await writer.ask("INCR", "n"), 1);
  await served.move();
  writer.send("INCR", "n");
  await until("the new primary has done it", async () => (await served.primary.call("GET", "n")) === "2");
  assert.deepEqual(writer.unread, []);
  await configure(served, { members: [addressOf(served.replica)], version: 2 });
  assert.equal(await writer.read(), 2);
  assert.equal(await served.replica.call("GET", "n"), "2");
  assert.equal(await writer.ask("RPUSH", "queue", "x"), 1);
  assert.deepEqual(plain(await blocked.read()), ["queue", "x"]);
});

test("while replies wait for replicas, a scan goes on at the primary alone", async () => {
  await using served = await Served.start();
  await configure(served, { members: [addressOf(served.replica)] });
  const [client] = await clients(served);
  await client.ask("EVAL", "for i = 1, 2000 do redis.call('SADD', 's', 'member' .. i) end", 0);
  const [cursor] = listOf((await client.ask("SSCAN", "s", "0")) ?? null);
  await served.move();
  await configure(served, { members: [addressOf(served.replica)] });
  const former = served.replica;
  await until("the former primary has all", async () => (await former.call("SCARD", "s")) === 2000);
  await former.call("CONFIG", "SET", "replica-read-only", "no");
  await former.call("SADD", "s", "stray");
  const seen = new Set<string>();
  for (let at = textOf(cursor ?? null); at !== "0" || seen.size === 0;) {
    const [next, found] = listOf((await client.ask("SSCAN", "s", at, "COUNT", 500)) ?? null);
    for (const member of listOf(found ?? null)) seen.add(textOf(member));
    at = textOf(next ?? null);
  }
  assert.deepEqual([seen.size, seen.has("stray")], [2000, false]);
});

test("what MONITOR shows waits for no round: rounds show there too, and would never end", async () => {
  await using served = await Served.start();
  await configure(served, { members: [addressOf(served.replica)] });
  const [watcher, client] = await clients(served);
  assert.equal(await watcher.ask("MONITOR"), "OK");
  assert.equal(await client.ask("SET", "k", "1"), "OK");
  const rounds = async (): Promise<number> => {
    const stats = String(await served.primary.call("INFO", "commandstats"));
    return Number(/cmdstat_swapdb:calls=(\d+)/.exec(stats)?.[1] ?? 0);
  };
  let before = 0;
  const isQuiet = async (): Promise<boolean> => before === (before = await rounds());
  await until("rounds end", isQuiet, { everyMs: 50 });
  await until("the write is shown", () => watcher.unread.some((line) => String(line).includes('"SET" "k" "1"')));
});

async function clients(served: Served): Promise<[RawClient, RawClient, RawClient]> {
  const [one, two, three] = await served.clients(3);
  assert.ok(one !== undefined && two !== undefined && three !== undefined);
  for (const client of [one, two, three]) await client.ask("PING");
  return [one, two, three];
}

async function transaction(client: RawClient): Promise<unknown[]> {
  client.send("MULTI");
  client.send("INCR", "k");
  client.send("EXEC");
  return [await client.read(), await client.read(), plain(await client.read())];
}

function confirm(served: Served, version: number) {
  return served.proxy.send({ op: "confirm", bdb: 1, epoch: served.epoch, version, withinMs: 0 });
}

interface Places {
  readonly members: readonly Address[];
  readonly joining?: readonly Address[];
  readonly version?: number;
}

/** What the agent sends when the record has this set; undefined: none yet. */
async function configure(served: Served, places: Places | undefined, withoutReplica: "degrade" | "wait" = "degrade") {
  const set = places && { version: 1, joining: [], ...places };
  const sync: SyncReplicas = { withoutReplica, epoch: served.epoch, ...(set && { set }) };
  const primary = addressOf(served.primary);
  const endpoint = withShard(served.endpoint, { epoch: served.epoch, primary, sync });
  await done(served.proxy.send({ op: "configure", endpoints: [endpoint] }));
}
