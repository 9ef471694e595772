import assert from "node:assert/strict";
import { plain } from "../../../../test/kit/engines/raw-client.ts";
import type { RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { sharing } from "../../../../test/kit/engines/shared.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import { until } from "../../../../test/kit/time/until.ts";

const test = sharing(() => Served.start());

test("CLIENT LIST shows the clients of the database with the fields that libraries read", async (served) => {
  const [one, other] = [await served.client(), await served.client()];
  await one.ask("CLIENT", "SETNAME", "worker:1");
  await one.ask("CLIENT", "SETINFO", "LIB-NAME", "ioredis");
  await one.ask("SELECT", 3);
  await other.ask("SUBSCRIBE", "a", "b");
  const id = await one.ask("CLIENT", "ID");
  const lines = String(await one.ask("CLIENT", "LIST"))
    .trim()
    .split("\n");
  const own = lines.find((line) => line.startsWith(`id=${id} `)) ?? "";
  assert.match(
    own,
    / addr=127\.[\d.]+:\d+ laddr=127\.[\d.]+:12000 name=worker:1 age=\d+ flags=N db=3 sub=0 .* user=default resp=2 lib-name=ioredis lib-ver=$/,
  );
  assert.match(lines.join("\n"), /flags=P db=0 sub=2 psub=0 ssub=0/);
  // a second may have passed
  const ageless = (line: unknown): string => String(line).replace(/ age=\d+ /, " ");
  assert.equal(ageless(await one.ask("CLIENT", "LIST", "ID", String(id))), ageless(`${own}\n`));
  assert.match(String(await one.ask("CLIENT", "LIST", "TYPE", "pubsub")), /^id=\d+ .* sub=2 [^\n]*\n$/);
  assert.equal(await one.ask("CLIENT", "LIST", "TYPE", "replica"), "");
  assert.equal(await one.ask("CLIENT", "LIST", "TYPE", "odd"), "-ERR Unknown client type 'odd'");
  assert.equal(ageless(await one.ask("CLIENT", "INFO")), ageless(`${own}\n`));
  one.close();
  other.close();
});

test("a client cannot call itself what would end its line of CLIENT LIST, or what would take much memory", async (served) => {
  const client = await served.client();
  const long = "x".repeat(513);
  const refused = [
    [["CLIENT", "SETNAME", "a b"], /^-ERR Client names cannot contain/],
    [["HELLO", 3, "SETNAME", "a\nid=1 addr=mine"], /^-ERR Client names cannot contain/],
    [["CLIENT", "SETINFO", "LIB-VER", "1\n2"], /^-ERR LIB-VER cannot contain/],
    [["CLIENT", "SETNAME", long], /^-ERR store: Client names cannot have more than 512 bytes/],
    [["HELLO", 3, "SETNAME", long], /^-ERR store: Client names cannot have more/],
    [["CLIENT", "SETINFO", "LIB-NAME", long], /^-ERR store: LIB-NAME cannot have more/],
  ] as const;
  for (const [request, why] of refused) assert.match(String(await client.ask(...request)), why);
  assert.match(String(await client.ask("CLIENT", "INFO")), / name= .* lib-name= lib-ver=\n$/);
  assert.equal(await client.ask("CLIENT", "SETNAME", long.slice(1)), "OK");
  client.close();
});

test("CLIENT KILL ends clients of the database, by address or by filters", async (served) => {
  const [one, other, third] = [await served.client(), await served.client(), await served.client()];
  const [id, address] = [await other.ask("CLIENT", "ID"), await addressOf(third)];
  assert.equal(await one.ask("CLIENT", "KILL", "ID", String(id)), 1);
  assert.equal(await other.read(), undefined);
  assert.equal(await one.ask("CLIENT", "KILL", address), "OK");
  assert.equal(await third.read(), undefined);
  assert.equal(await one.ask("CLIENT", "KILL", address), "-ERR No such client");
  assert.equal(await one.ask("CLIENT", "KILL", "ADDR", await addressOf(one)), 0);
  assert.equal(await one.ask("CLIENT", "KILL", "ADDR", await addressOf(one), "SKIPME", "no"), 1);
  assert.equal(await one.read(), undefined);
});

test("another user of the engine sees and harms no other client", async (served) => {
  await served.primary.call("ACL", "SETUSER", "ann", "on", ">pw", "~*", "+@all");
  const client = await served.client();
  assert.equal(await client.ask("AUTH", "ann", "pw"), "OK");
  assert.match(String(await client.ask("CLIENT", "INFO")), / user=ann /);
  for (const request of [
    ["CLIENT", "LIST"],
    ["CLIENT", "KILL", "TYPE", "normal"],
    ["CONFIG", "GET", "*"],
  ])
    assert.match(String(await client.ask(...request)), /^-NOPERM/);
  client.close();
});

test("CLIENT UNBLOCK ends the wait of another client", async (served) => {
  const [one, waiter] = [await served.client(), await served.client()];
  const id = String(await waiter.ask("CLIENT", "ID"));
  for (const [how, wanted] of [
    ["TIMEOUT", null],
    ["ERROR", "-UNBLOCKED client unblocked via CLIENT UNBLOCK"],
  ] as const) {
    waiter.send("BLPOP", "nothing", 0);
    await until("it waits", async () =>
      String(await served.primary.call("INFO", "clients")).includes("blocked_clients:1"),
    );
    assert.equal(await one.ask("CLIENT", "UNBLOCK", id, how), 1);
    assert.equal(plain(await waiter.read()), wanted);
  }
  assert.equal(await one.ask("CLIENT", "UNBLOCK", id), 0);
  assert.equal(await one.ask("CLIENT", "UNBLOCK", "x"), "-ERR value is not an integer or out of range");
  assert.equal(await waiter.ask("PING"), "PONG");
});

test("CLIENT PAUSE keeps writes, or everything, back until it ends", async (served) => {
  const [one, other] = [await served.client(), await served.client()];
  assert.equal(await one.ask("CLIENT", "PAUSE", 60_000, "WRITE"), "OK");
  other.send("GET", "paused");
  other.send("SET", "paused", "1");
  assert.equal(await other.read(), null);
  assert.equal(await one.ask("GET", "paused"), null);
  assert.equal(await served.primary.call("EXISTS", "paused"), 0);
  assert.equal(await one.ask("CLIENT", "UNPAUSE"), "OK");
  assert.equal(await other.read(), "OK");
  const startedAt = performance.now();
  assert.equal(await one.ask("CLIENT", "PAUSE", 300), "OK");
  assert.equal(await other.ask("GET", "paused"), "1");
  assert.ok(performance.now() - startedAt >= 295);
});

test("CLIENT REPLY leaves out replies of engine and proxy", async (served) => {
  const client = await served.client();
  client.send("CLIENT", "REPLY", "OFF");
  client.send("SET", "silent", "1");
  client.send("CLIENT", "ID");
  client.send("EVAL", "return 1", 0);
  assert.equal(await client.ask("CLIENT", "REPLY", "ON"), "OK");
  for (const request of [
    ["INCR", "silent"],
    ["CLIENT", "ID"],
    ["BLPOP", "none", "0.01"],
    ["HSCAN", "none", "0"],
  ]) {
    client.send("CLIENT", "REPLY", "SKIP");
    client.send(...request);
    assert.equal(await client.ask("ECHO", "next"), "next");
  }
  assert.equal(await client.ask("GET", "silent"), "2");
  assert.equal(await client.ask("CLIENT", "NO-EVICT", "on"), "OK");
  assert.equal(await client.ask("CLIENT", "GETREDIR"), -1);
  await client.ask("HELLO", 3);
  assert.deepEqual(
    await client.ask("CLIENT", "TRACKINGINFO"),
    new Map<string, unknown>([
      ["flags", ["off"]],
      ["redirect", -1],
      ["prefixes", []],
    ]),
  );
});

async function addressOf(client: RawClient): Promise<string> {
  return / addr=(\S+)/.exec(String(await client.ask("CLIENT", "INFO")))?.[1] ?? "";
}
