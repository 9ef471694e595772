import assert from "node:assert/strict";
import { plain } from "../../../../test/kit/engines/raw-client.ts";
import type { RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import { sharing } from "../../../../test/kit/engines/shared.ts";
import { memoryOf } from "../../../../test/kit/facts/memory.ts";
import { ReplyError } from "../../../ports/resp/reply.ts";

const test = sharing(() => Served.start());
/** What the proxy answers itself, in one transaction with what the engine does. */
const MIXED = [
  ["SET", "mixed", "1"],
  ["CLIENT", "SETNAME", "one"],
  ["CLIENT", "GETNAME"],
  ["INCR", "mixed"],
  ["ACL", "WHOAMI"],
  ["CONFIG", "GET", "maxmemory-policy"],
  ["CLIENT", "UNBLOCK", "x"],
  ["CLIENT", "NO-EVICT", "on"],
  ["GET", "mixed"],
];

for (const protocol of [2, 3])
  test(`what the proxy answers has its place in the reply to EXEC, also behind a move (RESP${protocol})`, async (served) => {
    const client = await served.client();
    await client.ask("HELLO", protocol);
    await queue(client, MIXED);
    await served.move();
    client.send("EXEC");
    client.send("GET", "mixed");
    const executed = await client.read();
    const parameters = ["maxmemory-policy", "noeviction"];
    assert.deepEqual(Array.isArray(executed) ? executed.map(plain) : plain(executed), [
      ...["OK", "OK", "one", 2, "default"],
      protocol === 3 ? new Map([["maxmemory-policy", "noeviction"]]) : parameters,
      ...["-ERR value is not an integer or out of range", "OK", "2"],
    ]);
    assert.equal(await client.read(), "2");
    assert.equal(await client.ask("CLIENT", "GETNAME"), "one");
    client.close();
  });

test("what is sent while the second of two transactions is executed is answered behind it", async (served) => {
  const client = await served.client();
  const slow = ["EVAL", "for _ = 1, 20000000 do end return 'slow'", "0"];
  for (const request of [["MULTI"], slow, ["EXEC"]]) client.send(...request);
  assert.deepEqual(await client.readMany(2), ["OK", "QUEUED"]);
  for (const request of [["MULTI"], slow, ["CONFIG", "GET", "no-such"], ["EXEC"]]) client.send(...request);
  assert.deepEqual(await client.read(), ["slow"]);
  client.send("RPUSH", "behind", "a");
  assert.deepEqual(await client.readMany(5), ["OK", "QUEUED", "QUEUED", ["slow", []], 1]);
  client.close();
});

test("a transaction lists and ends clients at its EXEC, and not before", async (served) => {
  const [client, other] = [await served.client(), await served.client()];
  const id = String(await other.ask("CLIENT", "ID"));
  await queue(client, [
    ["CLIENT", "LIST", "ID", id],
    ["CLIENT", "KILL", "ID", id],
    ["CLIENT", "KILL", "ID", id],
  ]);
  assert.equal(await other.ask("PING"), "PONG");
  const [line, killed, again] = (await client.ask("EXEC")) as readonly unknown[];
  assert.match(String(line), new RegExp(`^id=${id} `));
  assert.deepEqual([killed, again], [1, 0]);
  assert.equal(await other.read(), undefined);
  client.close();
});

test("of a transaction that is not executed, the proxy does nothing either", async (served) => {
  const [client, writer] = [await served.client(), await served.client()];
  const rename = [["CLIENT", "SETNAME", "never"]];
  await queue(client, rename);
  assert.equal(await client.ask("DISCARD"), "OK");
  await client.ask("WATCH", "watched");
  await queue(client, rename);
  await writer.ask("SET", "watched", "1");
  assert.equal(await client.ask("EXEC"), null);
  await queue(client, rename);
  assert.match(String(await client.ask("NOSUCH")), /^-ERR unknown command/);
  assert.match(String(await client.ask("EXEC")), /^-EXECABORT/);
  await client.ask("WATCH", "watched");
  await queue(client, rename);
  await served.move();
  assert.equal(await client.ask("EXEC"), null);
  assert.equal(await client.ask("CLIENT", "GETNAME"), null);
  client.close();
});

test("SELECT in a transaction is for what follows, also at the next primary", async (served) => {
  const [client, other] = [await served.client(), await served.client()];
  await queue(client, [
    ["SET", "where", "0"],
    ["SELECT", "3"],
    ["SET", "where", "3"],
    ["SELECT", "99999"],
  ]);
  const executed = (await client.ask("EXEC")) as readonly unknown[];
  assert.deepEqual(executed.slice(0, 3), ["OK", "OK", "OK"]);
  assert.ok(executed[3] instanceof ReplyError);
  assert.deepEqual([await client.ask("GET", "where"), await other.ask("GET", "where")], ["3", "0"]);
  await served.move();
  assert.equal(await client.ask("GET", "where"), "3");
  client.close();
  other.close();
});

test("what engines take no further in a transaction is refused there", async (served) => {
  const client = await served.client();
  for (const request of [["CLIENT", "REPLY", "OFF"], ["MONITOR"], ["SUBSCRIBE", "a"], ["HELLO", "3"]]) {
    await client.ask("MULTI");
    assert.match(String(await client.ask(...request)), /is not available inside MULTI$/);
    assert.match(String(await client.ask("EXEC")), /^-EXECABORT/);
  }
  client.close();
});

test("a transaction takes only so many requests that the proxy answers", async (served) => {
  const client = await served.client();
  const names = "x".repeat(1_000);
  await queue(client, Array<readonly string[]>(15).fill(["CLIENT", "SETNAME", names]));
  assert.match(String(await client.ask("CLIENT", "SETNAME", names)), /^-ERR store: .* at most 16384 bytes of /);
  assert.match(String(await client.ask("EXEC")), /^-EXECABORT/);
  client.close();
});

test("answers of the proxy that take too much memory end the client that asked, and no other", async (served) => {
  const [client, other, ...listed] = await served.clients(900);
  assert.ok(client !== undefined && other !== undefined);
  for (const one of listed) one.send("CLIENT", "SETNAME", "x".repeat(500));
  await Promise.all(listed.map((one) => one.read()));
  await queue(client, Array<readonly string[]>(500).fill(["CLIENT", "LIST"]));
  assert.equal(await client.ask("EXEC"), undefined);
  assert.equal(await other.ask("PING"), "PONG");
  assert.ok((memoryOf(served.proxy.pid)?.most ?? Infinity) < 450, "the proxy stays small");
  for (const one of [other, ...listed]) one.close();
});

async function queue(client: RawClient, requests: readonly (readonly string[])[]): Promise<void> {
  assert.equal(await client.ask("MULTI"), "OK");
  for (const request of requests) assert.equal(await client.ask(...request), "QUEUED", request.join(" "));
}
