import assert from "node:assert/strict";
import { done } from "../../../../test/kit/engines/proxy.ts";
import { plain, type RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import { sharing } from "../../../../test/kit/engines/shared.ts";
import { demote, promoteBeside } from "../../../../test/kit/engines/switchover.ts";
import { untilBlocked } from "../../../../test/kit/engines/until-blocked.ts";
import { until } from "#kit/testing/until";
import { encodeCommand } from "../../../ports/resp/encode.ts";

const test = sharing(() => Served.start());

/** What waits behind a BLPOP, and the reply to it once that has its element. */
const BEHIND: Readonly<Record<string, readonly [readonly string[], unknown]>> = {
  "another blocking command": [
    ["BRPOP", "q", "0"],
    ["q", "b"],
  ],
  "a write": [["INCR", "counted"], 1],
  "a script": [["EVAL", "return redis.call('INCR', 'counted')", "0"], 1],
  "a script that handles its own errors": [
    ["EVAL", "redis.pcall('INCR', 'counted') return redis.call('GET', 'counted')", "0"],
    "1",
  ],
};

for (const [what, [request]] of Object.entries(BEHIND))
  test(`a client that leaves while ${what} waits behind its blocking command takes no element`, async (served) => {
    const [client, other] = [await served.client(), await served.client()];
    await other.ask("DEL", "counted", "q");
    client.send("BLPOP", "q", "0");
    client.send(...request);
    await untilBehind(served, other, request);
    client.end();
    await untilBlocked(served.primary, 0);
    await other.ask("RPUSH", "q", "a");
    assert.equal(await other.ask("LLEN", "q"), 1);
    assert.equal(await other.ask("GET", "counted"), null);
    for (const one of [client, other]) one.close();
  });

/** What the proxy itself answers, or keeps until it has the reply to the blocking command, and how a client leaves. */
const UNREAD: Readonly<Record<string, readonly (readonly string[])[]>> = {
  "a question that the proxy answers": [["CLIENT", "GETNAME"]],
  "a choice of another database": [["SELECT", "1"]],
  "another protocol": [["HELLO", "3"]],
  "the end of all state": [["RESET"]],
  "a scan": [["SCAN", "0"]],
  "a transaction with a command of the proxy": [["MULTI"], ["CONFIG", "GET", "maxmemory"], ["EXEC"]],
  "the end of all subscriptions": [["HELLO", "3"], ["SUBSCRIBE", "c"], ["UNSUBSCRIBE"], ["PING"]],
  "a question, and requests in many parts behind it": Array.from({ length: 500 }, () => ["CLIENT", "GETNAME"]),
  "a question, and a large request behind it": [
    ["CLIENT", "GETNAME"],
    ["SET", "large", "x".repeat(500_000)],
  ],
};
const LEAVES = { "with FIN": "end", "with FIN, and reads nothing more": "close", "with RST": "reset" } as const;

for (const [what, requests] of Object.entries(UNREAD))
  for (const [how, leave] of Object.entries(LEAVES))
    test(`a client that leaves ${how} takes no element when ${what} follows its blocking command`, async (served) => {
      const [client, other] = [await served.client(), await served.client()];
      await other.ask("DEL", "q");
      client.send("BLPOP", "q", "0");
      await untilBlocked(served.primary, 1);
      for (const request of requests) await sentAlone(served, client, request);
      client[leave]();
      await untilBlocked(served.primary, 0);
      await other.ask("RPUSH", "q", "a");
      assert.equal(await other.ask("LLEN", "q"), 1);
      for (const one of [client, other]) one.close();
    });

test("only so much is read behind a blocking command that what follows it waits at the client, and all of it is answered in the end", async (served) => {
  const [client, other] = [await served.client(), await served.client()];
  await other.ask("DEL", "q");
  client.send("BLPOP", "q", "0");
  await untilBlocked(served.primary, 1);
  const before = await receivedBytes(served);
  const count = 1_000;
  client.send("CLIENT", "GETNAME");
  for (let n = 0; n < count; n++) client.send("ECHO", String(n).padStart(10_000));
  await until("much is read", async () => (await receivedBytes(served)) - before > 2 ** 20);
  for (let n = 0; n < 100; n++) await other.ask("PING");
  assert.ok((await receivedBytes(served)) - before < 2 * 2 ** 20);
  await other.ask("RPUSH", "q", "a");
  assert.deepEqual(await client.read(), ["q", "a"]);
  assert.equal(await client.read(), null);
  const echoes = await client.readMany(count);
  assert.deepEqual(echoes.map(Number), [...echoes.keys()]);
  for (const one of [client, other]) one.close();
});

for (const [what, [request, reply]] of Object.entries(BEHIND)) {
  test(`${what} behind a blocking command delays no move, and is executed once, behind that command`, async (served) => {
    const [client, other] = [await served.client(), await served.client()];
    await other.ask("DEL", "counted", "q");
    client.send("BLPOP", "q", "0");
    client.send(...request);
    await untilBehind(served, other, request);
    await served.move();
    await untilBlocked(served.primary, 1);
    await other.ask("RPUSH", "q", "a", "b");
    assert.deepEqual(await client.read(), ["q", "a"]);
    assert.deepEqual(await client.read(), reply);
    for (const one of [client, other]) one.close();
  });

  test(`${what} behind a blocking command is sent again when the engine is demoted before the proxy leaves it`, async (served) => {
    const [client, other] = [await served.client(), await served.client()];
    await other.ask("DEL", "counted", "q");
    client.send("BLPOP", "q", "0");
    client.send(...request);
    await untilBehind(served, other, request);
    await served.moveEngines();
    await done(served.release());
    await untilBlocked(served.primary, 1);
    await other.ask("RPUSH", "q", "a", "b");
    assert.deepEqual(await client.read(), ["q", "a"]);
    assert.deepEqual(await client.read(), reply);
    for (const one of [client, other]) one.close();
  });
}

test("CLIENT UNBLOCK ends the wait of a blocking command with requests behind it", async (served) => {
  const [client, other] = [await served.client(), await served.client()];
  const id = Number(await client.ask("CLIENT", "ID"));
  await other.ask("DEL", "q");
  client.send("BLPOP", "q", "0");
  client.send("SET", "behind", "1");
  await untilBlocked(served.primary, 1);
  assert.equal(await other.ask("CLIENT", "UNBLOCK", id), 1);
  assert.deepEqual(await client.readMany(2), [null, "OK"]);
  for (const one of [client, other]) one.close();
});

/** Reads that wait behind a BLPOP, and their replies at a primary where another client has written already. */
const READS: Readonly<Record<string, readonly [readonly (readonly string[])[], readonly unknown[]]>> = {
  "a read": [[["GET", "read"]], ["new"]],
  "a transaction of reads": [
    [["MULTI"], ["GET", "read"], ["EXISTS", "read"], ["EXEC"]],
    ["OK", "QUEUED", "QUEUED", ["new", 1]],
  ],
};

for (const [what, [requests, answers]] of Object.entries(READS))
  test(`${what} behind a blocking command that ends during a move shows what the next primary has`, async (served) => {
    const [client, other] = [await served.client(), await served.client()];
    await other.ask("SET", "read", "old");
    client.send("BLPOP", "none", "0");
    for (const request of requests) client.send(...request);
    await untilBlocked(served.primary, 1);
    await done(served.prepare());
    await done(served.hold({ holdMs: 60_000 }));
    await promoteBeside(served.primary, served.replica);
    // as a client of another proxy does that is released first
    await served.replica.call("SET", "read", "new");
    await endWait(served);
    assert.equal(await client.read(), null);
    const [from, to] = [served.primary, served.replica];
    [served.primary, served.replica] = [to, from];
    await done(served.release());
    assert.deepEqual(await client.readMany(answers.length), answers);
    await demote(from, to);
    for (const one of [client, other]) one.close();
  });

test("an XREAD that waits behind a blocking command in a hold shows the entries of the next primary, and its end by CLIENT UNBLOCK counts", async (served) => {
  const [client, other] = [await served.client(), await served.client()];
  const id = Number(await client.ask("CLIENT", "ID"));
  await other.ask("XADD", "stream", "1-1", "a", "1");
  client.send("BLPOP", "none", "0");
  client.send("XREAD", "BLOCK", "0", "STREAMS", "stream", "0");
  client.send("XREAD", "BLOCK", "0", "STREAMS", "stream", "9-9");
  await untilBlocked(served.primary, 1);
  await done(served.prepare());
  await done(served.hold({ holdMs: 60_000 }));
  await promoteBeside(served.primary, served.replica);
  await served.replica.call("XADD", "stream", "2-1", "a", "2");
  await endWait(served);
  assert.equal(await client.read(), null);
  const [from, to] = [served.primary, served.replica];
  [served.primary, served.replica] = [to, from];
  await done(served.release());
  const entries = [
    ["1-1", ["a", "1"]],
    ["2-1", ["a", "2"]],
  ];
  assert.deepEqual(await client.read(), [["stream", entries]]);
  await untilBlocked(served.primary, 1);
  assert.equal(await other.ask("CLIENT", "UNBLOCK", id, "ERROR"), 1);
  assert.match(String(plain(await client.read())), /^-UNBLOCKED /);
  await demote(from, to);
  for (const one of [client, other]) one.close();
});

/** What must not wait at the engine behind a BLPOP whose wait ends in a move, and the replies of the next primary. */
const FOLLOWS: Readonly<Record<string, readonly [readonly (readonly string[])[], readonly unknown[]]>> = {
  "a script": [[["EVAL", "return 1", "0"]], [1]],
  "a script that handles its own errors, and what follows it": [
    [
      ["EVAL", "redis.pcall('INCR', 'counted') return redis.call('GET', 'counted')", "0"],
      ["INCR", "counted"],
      ["GET", "counted"],
    ],
    ["1", 2, "2"],
  ],
  "a transaction with a script": [
    [["MULTI"], ["EVAL", "redis.pcall('INCR', 'counted') return redis.call('GET', 'counted')", "0"], ["EXEC"]],
    ["OK", "QUEUED", ["1"]],
  ],
  "a blocking command behind a script": [
    [
      ["EVAL", "redis.pcall('RPUSH', 'q', 'a') return 1", "0"],
      ["BLPOP", "q", "0"],
    ],
    [1, ["q", "a"]],
  ],
};

for (const [what, [requests, answers]] of Object.entries(FOLLOWS))
  for (const order of ["before the engine is demoted", "behind that"] as const)
    test(`${what} behind a blocking command that ends during a move, released ${order}: the next primary executes it, once`, async (served) => {
      const [client, other] = [await served.client(), await served.client()];
      await other.ask("DEL", "counted", "q");
      client.send("BLPOP", "none", "0");
      for (const request of requests) client.send(...request);
      await untilTaken(other, requests.at(-1));
      await untilBlocked(served.primary, 1);
      const [from, to] = [served.primary, served.replica];
      await done(served.prepare());
      await done(served.hold({ holdMs: 60_000 }));
      await promoteBeside(from, to);
      await endWait(served);
      assert.equal(await client.read(), null);
      [served.primary, served.replica] = [to, from];
      if (order === "behind that") await demote(from, to);
      await done(served.release());
      if (order !== "behind that") await demote(from, to);
      assert.deepEqual(await client.readMany(answers.length), answers);
      for (const one of [client, other]) one.close();
    });

test("a script behind a blocking command that ends in a hold goes on at the same primary when the move is given up", async (served) => {
  const [client, other] = [await served.client(), await served.client()];
  await other.ask("DEL", "counted");
  client.send("BLPOP", "none", "0");
  client.send("EVAL", "return redis.call('INCR', 'counted')", "0");
  client.send("INCR", "counted");
  await untilTaken(other, ["INCR"]);
  await untilBlocked(served.primary, 1);
  await done(served.prepare());
  await done(served.hold({ holdMs: 60_000 }));
  await endWait(served);
  assert.equal(await client.read(), null);
  await done(served.abort());
  assert.deepEqual(await client.readMany(2), [1, 2]);
  for (const one of [client, other]) one.close();
});

/** Ends the wait of the BLPOP at the engine, as its timeout would. */
async function endWait({ primary }: Served): Promise<void> {
  const [, blocked] = /^id=(\d+) .* cmd=blpop /m.exec(String(await primary.call("CLIENT", "LIST"))) ?? [];
  assert.equal(await primary.call("CLIENT", "UNBLOCK", blocked ?? ""), 1);
}

/** Resolves when what was sent behind a BLPOP is where it waits: what arrives at a connection that the engine ends has no known outcome. */
async function untilBehind({ primary }: Served, other: RawClient, request: readonly string[]): Promise<void> {
  await untilTaken(other, request);
  if (request[0] === "EVAL") return;
  await until("a request waits behind a BLPOP", async () =>
    / qbuf=[1-9]\d* .* cmd=blpop /.test(String(await primary.call("CLIENT", "LIST"))),
  );
}

/** Resolves when the proxy has read the request, apart from all before. */
async function sentAlone(served: Served, client: RawClient, request: readonly string[]): Promise<void> {
  const bytes = encodeCommand(request);
  const before = await receivedBytes(served);
  client.write(bytes);
  await until("the request is read", async () => (await receivedBytes(served)) >= before + bytes.length);
}

async function receivedBytes({ proxy }: Served): Promise<number> {
  return (await proxy.stats()).counted?.receivedBytes ?? 0;
}

/** Resolves when the proxy has taken this request of another client. */
async function untilTaken(other: RawClient, request: readonly string[] = []): Promise<void> {
  const name = (request[0] ?? "").toLowerCase();
  await until(`the proxy has taken ${name}`, async () =>
    String(await other.ask("CLIENT", "LIST")).includes(` cmd=${name} `),
  );
}
