import assert from "node:assert/strict";
import { done } from "../../../../test/kit/engines/proxy.ts";
import { plain } from "../../../../test/kit/engines/raw-client.ts";
import type { RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { sharing } from "../../../../test/kit/engines/shared.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import { until } from "#kit/testing/until";
import type { Reply } from "../../../ports/resp/reply.ts";
import { Push, textOf } from "../../../ports/resp/reply.ts";
import { untilBlocked } from "../../../../test/kit/engines/until-blocked.ts";

const test = sharing(() => Served.start());

test("a blocked client waits on at the new primary, and is served there", async (served) => {
  const [waiter, other, writer] = await served.clients(3);
  waiter?.send("BLPOP", "queue", 30);
  other?.send("BZPOPMIN", "scores", 0);
  await untilBlocked(served.primary, 2);
  await served.move();
  await writer?.ask("RPUSH", "queue", "late");
  await writer?.ask("ZADD", "scores", 1, "first");
  assert.deepEqual(await waiter?.read(), ["queue", "late"]);
  assert.deepEqual(await other?.read(), ["scores", "first", "1"]);
  assert.equal(await writer?.ask("LLEN", "queue"), 0);
});

test("a blocked client whose key was filled just before the move gets it once", async (served) => {
  const [waiter, writer] = await served.clients(2);
  waiter?.send("BLMOVE", "from", "to", "LEFT", "RIGHT", 30);
  await untilBlocked(served.primary, 1);
  await writer?.ask("RPUSH", "from", "x");
  await served.move();
  assert.equal(await waiter?.read(), "x");
  assert.deepEqual([await writer?.ask("LLEN", "from"), await writer?.ask("LLEN", "to")], [0, 1]);
});

test("the timeout of a blocked client is not prolonged by the move", async (served) => {
  const client = await served.client();
  const startedAt = performance.now();
  const elapsedMs = (): number => performance.now() - startedAt;
  client.send("BRPOP", "never", 6);
  const answered = client.read().then((reply) => [reply, elapsedMs()] as const);
  await until("half of its time is over", () => elapsedMs() > 3_000);
  await served.move();
  const [reply, tookMs] = await answered;
  assert.equal(reply, null);
  assert.ok(tookMs > 5_950 && tookMs < 8_900, `${tookMs} ms`);
});

test("a reader of a stream gets what is added after the move", async (served) => {
  const [reader, writer] = await served.clients(2);
  await writer?.ask("XADD", "stream", "1-1", "f", "before");
  reader?.send("XREAD", "BLOCK", 20_000, "STREAMS", "stream", "1-1");
  await untilBlocked(served.primary, 1);
  await served.move();
  await writer?.ask("XADD", "stream", "2-1", "f", "behind");
  assert.deepEqual(await reader?.read(), [["stream", [["2-1", ["f", "behind"]]]]]);
});

test("a reader from $ misses nothing that is added after the move", async (served) => {
  const [reader, modern, writer] = await served.clients(3);
  await modern?.ask("HELLO", 3);
  await writer?.ask("XADD", "next", "1-1", "f", "before");
  // one entry each: the second may be there when they ask the new primary
  reader?.send("XREAD", "COUNT", 1, "BLOCK", 0, "STREAMS", "next", "$");
  modern?.send("XREAD", "COUNT", 1, "BLOCK", 0, "STREAMS", "never", "next", "$", "$");
  await untilBlocked(served.primary, 2);
  await served.moveEngines();
  await served.primary.call("XADD", "next", "2-1", "f", "first");
  await done(served.release());
  await writer?.ask("XADD", "next", "3-1", "f", "second");
  assert.deepEqual(await reader?.read(), [["next", [["2-1", ["f", "first"]]]]]);
  assert.deepEqual(await modern?.read(), new Map([["next", [["2-1", ["f", "first"]]]]]));
});

test("an open transaction is executed once, at the new primary", async (served) => {
  const client = await served.client();
  assert.equal(await client.ask("MULTI"), "OK");
  assert.equal(await client.ask("INCR", "counted"), "QUEUED");
  await served.move();
  assert.equal(await client.ask("INCR", "counted"), "QUEUED");
  assert.deepEqual(await client.ask("EXEC"), [1, 2]);
  assert.equal(await client.ask("GET", "counted"), "2");
});

test("a transaction that the engine found faulty stays faulty after the move", async (served) => {
  const client = await served.client();
  await client.ask("MULTI");
  assert.match(textOf((await client.ask("INCR")) ?? null), /^-ERR wrong number/);
  await served.move();
  await client.ask("SET", "faulty", "1");
  assert.match(textOf((await client.ask("EXEC")) ?? null), /^-EXECABORT/);
  assert.equal(await client.ask("GET", "faulty"), null);
});

test("a watched key counts as changed by the move, and a second attempt succeeds", async (served) => {
  const client = await served.client();
  await client.ask("SET", "watched", "1");
  for (const wanted of [null, ["OK"]]) {
    await client.ask("WATCH", "watched");
    if (wanted === null) await served.move();
    await client.ask("MULTI");
    await client.ask("SET", "watched", "2");
    assert.deepEqual(await client.ask("EXEC"), wanted);
  }
});

test("UNWATCH after the move makes the next transaction an ordinary one", async (served) => {
  const client = await served.client();
  await client.ask("WATCH", "watched");
  await served.move();
  await client.ask("UNWATCH");
  await client.ask("MULTI");
  await client.ask("SET", "watched", "3");
  assert.deepEqual(await client.ask("EXEC"), ["OK"]);
});

test("subscribers miss no message and get none twice", async (served) => {
  const [subscriber, patterned, publisher] = await served.clients(3);
  subscriber?.send("SUBSCRIBE", "news", "other");
  patterned?.send("PSUBSCRIBE", "ne*");
  await subscriber?.readMany(2);
  await patterned?.read();
  const publishing = publish(publisher, "news", 400);
  await served.move();
  await served.move();
  await publishing;
  const wanted = Array.from({ length: 400 }, (_, i) => String(i));
  assert.deepEqual((await subscriber?.readMany(400))?.map(lastOf), wanted);
  assert.deepEqual((await patterned?.readMany(400))?.map(lastOf), wanted);
  subscriber?.send("UNSUBSCRIBE");
  assert.deepEqual(
    (await subscriber?.readMany(2))?.map((reply) => (Array.isArray(reply) ? [reply[0], reply[2]] : reply)),
    [
      ["unsubscribe", 1],
      ["unsubscribe", 0],
    ],
  );
  assert.equal(await subscriber?.ask("GET", "counted"), "2");
});

test("a RESP3 subscriber goes on with commands among its messages", async (served) => {
  const [subscriber, publisher] = await served.clients(2);
  await subscriber?.ask("HELLO", 3);
  await subscriber?.ask("SUBSCRIBE", "mixed");
  const publishing = publish(publisher, "mixed", 100);
  const replies: (Reply | undefined)[] = [];
  const messages: unknown[] = [];
  for (let i = 0; i < 50; i++) {
    if (i === 25) await served.move();
    subscriber?.send("INCR", "mixedCounter");
    let reply = await subscriber?.read();
    for (; reply instanceof Push; reply = await subscriber?.read()) messages.push(reply.values.at(-1));
    replies.push(reply);
  }
  await publishing;
  while (messages.length < 100) {
    const reply = await subscriber?.read();
    assert.ok(reply instanceof Push);
    messages.push(reply.values.at(-1));
  }
  assert.deepEqual(
    replies,
    replies.map((_, i) => i + 1),
  );
  assert.deepEqual(
    messages,
    messages.map((_, i) => String(i)),
  );
});

test("database, protocol and name are the same after the move", async (served) => {
  const [third, modern] = await served.clients(2);
  await third?.ask("SELECT", 3);
  await third?.ask("SET", "inThird", "yes");
  await third?.ask("CLIENT", "SETNAME", "bob");
  await modern?.ask("HELLO", 3);
  await modern?.ask("HSET", "hash", "a", "1");
  await served.move();
  assert.equal(await third?.ask("GET", "inThird"), "yes");
  assert.equal(await third?.ask("CLIENT", "GETNAME"), "bob");
  assert.deepEqual(await modern?.ask("HGETALL", "hash"), new Map([["a", "1"]]));
});

test("EVALSHA works at the new primary without loading the script again", async (served) => {
  const client = await served.client();
  const sha = textOf((await client.ask("SCRIPT", "LOAD", "return redis.call('INCR', KEYS[1])")) ?? null);
  await client.ask("EVAL", "return 7", 0);
  await served.move();
  assert.equal(await client.ask("EVALSHA", sha, 1, "byScript"), 1);
  assert.equal(await client.ask("EVALSHA", "b3f6acd7c3e7e4d7e8b8c2ed45f6ffb25a8db8b0", 0).then(Boolean), true);
});

test("a user of the engine keeps its rights", async (served) => {
  for (const engine of [served.primary, served.replica])
    await engine.call("ACL", "SETUSER", "ann", "on", ">pw", "~a:*", "+@all");
  const client = await served.client();
  assert.equal(await client.ask("AUTH", "ann", "pw"), "OK");
  assert.match(textOf((await client.ask("SET", "b:1", "x")) ?? null), /^-NOPERM/);
  await served.move();
  assert.match(textOf((await client.ask("SET", "b:1", "x")) ?? null), /^-NOPERM/);
  assert.equal(await client.ask("SET", "a:1", "x"), "OK");
  assert.match(textOf((await client.ask("AUTH", "ann", "wrong")) ?? null), /^-WRONGPASS/);
});

test("WAIT answers for the client's own writes", async (served) => {
  const client = await served.client();
  await client.ask("SET", "waited", "1");
  assert.equal(await client.ask("WAIT", 1, 2000), 1);
});

test("connections for pinned sessions are dialled before the hold, and dropped when it is aborted", async (served) => {
  const clients = await served.clients(40);
  for (const client of clients) client.send("BLPOP", "nothing", 0);
  await untilBlocked(served.primary, 40);
  const count = async (): Promise<number> =>
    Number(/connected_clients:(\d+)/.exec(textOf(await served.replica.call("INFO", "clients")))?.[1]);
  const before = await count();
  // as many as half a second allows
  const areDialled = async (): Promise<boolean> => {
    await done(served.prepare());
    if ((await count()) >= before + 40) return true;
    await done(served.abort());
    return false;
  };
  await until("they are dialled", areDialled);
  await done(served.abort());
  await until("they are dropped", async () => (await count()) <= before);
  for (const client of clients) client.close();
});

test("a session that needs no pinned connection any more gives it back", async (served) => {
  const client = await served.client();
  for (let i = 0; i < 20; i++) {
    client.send("MULTI");
    client.send("INCR", "often");
    client.send("EXEC");
    assert.deepEqual(await client.readMany(3), ["OK", "QUEUED", [i + 1]]);
  }
  const list = textOf(await served.primary.call("CLIENT", "LIST", "TYPE", "normal"));
  const connections = list.trim().split("\n").length;
  assert.ok(connections < 25, `${connections} connections at the engine`);
});

test("no client was cut", async (served) => {
  assert.equal((await served.proxy.stats()).cut, 0);
});

async function publish(client: RawClient | undefined, channel: string, count: number): Promise<void> {
  for (let i = 0; i < count; i++) assert.ok(typeof (await client?.ask("PUBLISH", channel, i)) === "number");
}

function lastOf(reply: Reply | undefined): unknown {
  return Array.isArray(reply) ? reply.at(-1) : plain(reply);
}
