import assert from "node:assert/strict";
import { test as testOnce } from "node:test";
import { engineNames, startEngine } from "../../../../test/kit/engines/engine.ts";
import { done, endpointFor, startProxy } from "../../../../test/kit/engines/proxy.ts";
import { plain, RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { sharing } from "../../../../test/kit/engines/shared.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import { until } from "#kit/testing/until";
import type { Address } from "../../../ports/management/proxy-control.ts";
import { textOf } from "../../../ports/resp/reply.ts";

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
    / addr=127\.[\d.]+:\d+ laddr=127\.[\d.]+:12000 fd=0 name=worker:1 age=\d+ idle=\d+ flags=N db=3 sub=0 .* cmd=client\|list user=default redir=-1 resp=2 lib-name=ioredis lib-ver=$/,
  );
  assert.match(lines.join("\n"), /flags=P db=0 sub=2 psub=0 ssub=0/);
  // a second may have passed
  const ageless = (line: unknown): string => String(line).replaceAll(/ (?:age|idle|cmd)=\S+/g, "");
  assert.equal(ageless(await one.ask("CLIENT", "LIST", "ID", String(id))), ageless(`${own}\n`));
  assert.match(String(await one.ask("CLIENT", "LIST", "TYPE", "pubsub")), /^id=\d+ .* sub=2 [^\n]*\n$/);
  assert.equal(await one.ask("CLIENT", "LIST", "TYPE", "replica"), "");
  assert.equal(await one.ask("CLIENT", "LIST", "TYPE", "odd"), "-ERR Unknown client type 'odd'");
  assert.equal(ageless(await one.ask("CLIENT", "INFO")), ageless(`${own}\n`));
  one.close();
  other.close();
});

test("CLIENT LIST says what each client waits in, has queued and watches, and since when it sends nothing", async (served) => {
  const [one, blocked, other] = [await served.client(), await served.client(), await served.client()];
  const lineOf = async (id: unknown): Promise<string> => String(await one.ask("CLIENT", "LIST", "ID", String(id)));
  const [blockedId, otherId] = [await blocked.ask("CLIENT", "ID"), await other.ask("CLIENT", "ID")];
  blocked.send("BLPOP", "nothing", 0);
  await until("it blocks", async () => / flags=b .* cmd=blpop /.test(await lineOf(blockedId)));
  assert.match(await lineOf(otherId), / cmd=client\|id /);
  await other.ask("GET", "k");
  assert.match(await lineOf(otherId), / flags=N .* multi=-1 watch=0 .* cmd=get .* redir=-1 /);
  await other.ask("WATCH", "a", "b");
  await other.ask("MULTI");
  await other.ask("SET", "k", "1");
  assert.match(await lineOf(otherId), / flags=x .* multi=1 watch=2 .* cmd=set /);
  await other.ask("EXEC");
  assert.match(await lineOf(otherId), / flags=N .* multi=-1 watch=0 .* cmd=exec /);
  await other.ask("HELLO", 3);
  await other.ask("CLIENT", "TRACKING", "ON");
  assert.match(await lineOf(otherId), / flags=t .* redir=0 resp=3 /);
  await until("it has been idle for a second", async () => / idle=[1-9]/.test(await lineOf(blockedId)));
  assert.match(await lineOf(await one.ask("CLIENT", "ID")), / idle=0 /);
  for (const client of [one, blocked, other]) client.close();
});

for (const engine of engineNames())
  test(`CLIENT LIST has the fields of ${engine}, in their order`, async (served) => {
    await using direct = await startEngine({ engine });
    const client = await served.client();
    const fields = (line: unknown): readonly string[] =>
      [...String(line).matchAll(/(\S+)=/g)].map(([, name = ""]) => name);
    const own = fields(await client.ask("CLIENT", "INFO"));
    const others = fields(textOf(await direct.call("CLIENT", "INFO")));
    assert.deepEqual(
      others.filter((name) => !own.includes(name)),
      others.filter((name) => COUNTED_BY_ENGINES.has(name)),
    );
    assert.deepEqual(
      own.filter((name) => others.includes(name)),
      others.filter((name) => own.includes(name)),
    );
    client.close();
  });

/** Bytes and threads of the engine alone. */
const COUNTED_BY_ENGINES: ReadonlySet<string> = new Set(["io-thread", "tot-net-in", "tot-net-out", "tot-cmds", "capa"]);

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

test("a client that ends itself by CLIENT KILL gets the reply, and nothing behind it is executed", async (served) => {
  const [client, other] = [await served.client(), await served.client()];
  await other.ask("DEL", "behind");
  const id = Number(await client.ask("CLIENT", "ID"));
  client.send("CLIENT", "KILL", "ID", id, "SKIPME", "no");
  client.send("SET", "behind", "1");
  assert.deepEqual(await client.readMany(2), [1, undefined]);
  assert.equal(await other.ask("GET", "behind"), null);
  other.close();
});

for (const engine of engineNames())
  testOnce(`CLIENT LIST and KILL take the filters of ${engine}, as that does`, async () => {
    await using direct = await startEngine({ engine });
    await using behind = await startEngine({ engine });
    await using proxy = await startProxy();
    const endpoint = endpointFor(behind);
    await done(proxy.send({ op: "configure", endpoints: [endpoint] }));
    const [own, other] = [await filteredAt(endpoint.listen), await filteredAt(direct)];
    assert.deepEqual(own, other);
    assert.ok(own.includes("LIST ID A B: AB"), own.join("\n"));
  });

/** Of clients A, which asks, and B. */
const FILTERED = [
  ...["LIST USER nope", "KILL USER nope", "LIST USER nope FOO 1", "LIST FOO 1 USER nope", "KILL USER nope TYPE x"],
  ...["LIST ID 0", "LIST ID -1", "LIST ID 7777 x", "LIST ID x", "KILL ID x", "KILL ID 0", "KILL ID 7777 x", "KILL ID"],
  ...["KILL MAXAGE 0", "KILL MAXAGE x", "KILL MAXAGE 100000", "LIST TYPE x", "LIST TYPE normal x", "KILL USER"],
  ...["LIST USER default", "LIST SKIPME yes", "LIST SKIPME no", "LIST ID A B", "LIST ID A B TYPE normal"],
  ...[
    "LIST TYPE normal ID A",
    "LIST TYPE normal SKIPME yes",
    "LIST ID A ID B SKIPME yes",
    "LIST ADDR x",
    "LIST LADDR x",
  ],
  ...["LIST MAXAGE 0", "LIST MAXAGE x", "LIST MAXAGE 1000", "LIST FOO 1", "LIST USER", "LIST SKIPME maybe", "LIST ID"],
  ...["KILL ID 7777 8888", "KILL ID 7777 ADDR x", "KILL TYPE pubsub USER default", "KILL ID A 7777", "KILL ID A B"],
];

/** What the answers are, with the letters of the clients for their lines. */
async function filteredAt(address: Address): Promise<readonly string[]> {
  const [a, b] = [await RawClient.connect(address), await RawClient.connect(address)];
  const ids = new Map<string, string>();
  for (const [letter, client] of Object.entries({ A: a, B: b }))
    ids.set(letter, String(await client.ask("CLIENT", "ID")));
  const letterOf = (id: string): string => [...ids].find(([, one]) => one === id)?.[0] ?? "";
  const answers: string[] = [];
  for (const text of FILTERED) {
    const answer = await a.ask("CLIENT", ...text.split(" ").map((word) => ids.get(word) ?? word));
    const lines = String(answer).replaceAll(/^id=(\d+) .*\n/gm, (_, id: string) => letterOf(id));
    answers.push(`${text}: ${lines}`);
  }
  for (const one of [a, b]) one.close();
  return answers;
}

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
