import assert from "node:assert/strict";
import { startEngine } from "../../../../test/kit/engines/engine.ts";
import { addressOf, done, endpointFor, startProxy, withShard } from "../../../../test/kit/engines/proxy.ts";
import { plain, RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { sharing } from "../../../../test/kit/engines/shared.ts";
import { startAll } from "../../../../test/kit/engines/start-all.ts";
import { until } from "#kit/testing/until";
import type { Reply } from "../../../ports/resp/reply.ts";

const open = endpointFor(undefined);
const locked = endpointFor(undefined, { bdb: 2, password: "s3cret" });
const test = sharing(startBoth);

const client = () => RawClient.connect(open.listen);
const guest = () => RawClient.connect(locked.listen);

test("a client without the password can only authenticate", async () => {
  const one = await guest();
  for (const request of [["GET", "k"], ["MULTI"], ["SUBSCRIBE", "c"], ["CLIENT", "ID"], ["HELLO", "3"], ["INFO"]])
    assert.match(String(await one.ask(...request)), /^-NOAUTH/);
  assert.match(String(await one.ask("AUTH", "guess")), /^-WRONGPASS/);
  assert.match(String(await one.ask("AUTH", "default", "guess")), /^-WRONGPASS/);
  assert.match(String(await one.ask("AUTH", "unknown", "s3cret")), /^-WRONGPASS/);
  assert.match(String(await one.ask("GET", "k")), /^-NOAUTH/);
  assert.equal(await one.ask("AUTH", "s3cret"), "OK");
  assert.equal(await one.ask("SET", "k", "v"), "OK");
  assert.equal(await one.ask("RESET"), "RESET");
  assert.match(String(await one.ask("GET", "k")), /^-NOAUTH/);
});

test("HELLO authenticates and changes the protocol", async () => {
  const one = await guest();
  assert.match(String(await one.ask("HELLO", 3, "AUTH", "default", "guess")), /^-WRONGPASS/);
  const greeting = await one.ask("HELLO", 3, "AUTH", "default", "s3cret", "SETNAME", "me");
  assert.ok(greeting instanceof Map);
  assert.deepEqual([greeting.get("proto"), greeting.get("id")], [3, await one.ask("CLIENT", "ID")]);
  assert.equal(await one.ask("CLIENT", "GETNAME"), "me");
  assert.ok((await one.ask("HGETALL", "none")) instanceof Map);
  assert.ok(Array.isArray(await one.ask("HELLO", 2)));
  assert.deepEqual(await one.ask("HGETALL", "none"), []);
  assert.match(String(await one.ask("HELLO", 4)), /^-NOPROTO/);
});

test("databases are separate, and one that the engine does not have is refused", async () => {
  const one = await client();
  assert.equal(await one.ask("SELECT", 5), "OK");
  await one.ask("SET", "here", "5");
  assert.match(String(await one.ask("SELECT", 99)), /^-ERR DB index is out of range/);
  assert.equal(await one.ask("GET", "here"), "5");
  assert.equal(await (await client()).ask("GET", "here"), null);
});

for (const request of [["SHUTDOWN"], ["DEBUG", "SLEEP", "1"], ["REPLICAOF", "NO", "ONE"], ["CONFIG", "REWRITE"]])
  test(`${request.join(" ")} is not for clients`, async () => {
    const one = await client();
    assert.match(String(await one.ask(...request)), /^-ERR store: .* is not available at an endpoint: [a-z]/);
    assert.equal(await one.ask("PING"), "PONG");
  });

test("CONFIG GET shows the parameters of the database, and no password", async ({ engine }) => {
  const [one, other] = [await client(), await guest()];
  await engine.call("CONFIG", "SET", "slowlog-log-slower-than", 4711);
  assert.deepEqual(await one.ask("CONFIG", "GET", "slowlog-log-slower-than"), ["slowlog-log-slower-than", "4711"]);
  assert.deepEqual(await one.ask("CONFIG", "GET", "port"), ["port", "12000"]);
  await one.ask("HELLO", 3);
  assert.deepEqual(await one.ask("config", "get", "maxclients"), new Map([["maxclients", "10000"]]));
  assert.match(String(await one.ask("CONFIG", "GET")), /^-ERR wrong number of arguments/);
  await other.ask("AUTH", "s3cret");
  const all = await other.ask("CONFIG", "GET", "*");
  assert.ok(Array.isArray(all) && all.length > 200);
  assert.equal(all.includes("s3cret"), false);
});

test("replies of engine and proxy come in the order of the requests", async () => {
  const one = await client();
  one.send("SET", "a", "1");
  one.send("CLIENT", "GETNAME");
  one.send("INCR", "a");
  one.send("MULTI");
  one.send("INCR", "a");
  one.send("MONITOR");
  one.send("GET", "a");
  one.send("EXEC");
  one.send("BLPOP", "none", "0.01");
  one.send("SELECT", "1");
  one.send("GET", "a");
  one.write("select 0\r\nGET a\r\n\r\n");
  one.write("*0\r\n*-1\r\n");
  one.send("NOSUCH");
  const got = (await one.readMany(14)).map(plain);
  assert.match(String(got[5]), /MONITOR is not available inside MULTI/);
  assert.match(String(got[7]), /^-EXECABORT/);
  assert.match(String(got[13]), /^-ERR unknown command/);
  const expected: (Reply | undefined)[] = ["OK", null, 2, "OK", "QUEUED", got[5], "QUEUED", got[7], null, "OK", null];
  assert.deepEqual(got.slice(0, 13), [...expected, "OK", "2"]);
});

test("a deep pipeline in odd chunks comes back whole", async () => {
  const one = await client();
  const requests = Buffer.concat(
    Array.from({ length: 20_000 }, (_, i) => Buffer.from(`*2\r\n$4\r\nECHO\r\n$5\r\n${10_000 + (i % 90_000)}\r\n`)),
  );
  for (let at = 0; at < requests.length; at += 9_973) one.write(requests.subarray(at, at + 9_973));
  const replies = await one.readMany(20_000);
  assert.deepEqual(replies.slice(0, 3), ["10000", "10001", "10002"]);
  assert.equal(replies.at(-1), "29999");
});

test("values larger than any buffer go through, while others are served", async () => {
  const [one, other] = [await client(), await client()];
  const large = "x".repeat(5 * 2 ** 20);
  one.send("SET", "large", large);
  one.send("GET", "large");
  assert.equal(await other.ask("PING"), "PONG");
  const [set, got] = await one.readMany(2);
  assert.equal(set, "OK");
  assert.equal(String(got).length, large.length);
});

test("a reply far above the limit of queued bytes arrives whole at a client that reads it", async ({ engine }) => {
  const one = await client();
  await engine.call("SET", "huge", Buffer.alloc(80 * 2 ** 20, "h"));
  assert.equal(String(await one.ask("GET", "huge")).length, 80 * 2 ** 20);
});

test("a guest cannot make the proxy keep a large request", async () => {
  const one = await guest();
  one.write(`*2\r\n$4\r\nAUTH\r\n$1000000\r\n${"x".repeat(200_000)}`);
  assert.equal(await one.read(), undefined);
});

test("a client that reads no replies is cut, and the others are served", async ({ proxy }) => {
  const [deaf, other] = [await client(), await client()];
  await other.ask("SET", "large", "x".repeat(2 ** 20));
  const { cut } = await proxy.stats();
  deaf.pause();
  deaf.write("GET large\r\n".repeat(200));
  await until("it is cut", async () => (await proxy.stats()).cut === cut + 1);
  assert.equal(await other.ask("PING"), "PONG");
  deaf.close();
});

test("a malformed request gets an error behind earlier replies, and the connection ends", async () => {
  const one = await client();
  one.write("*1\r\n$4\r\nPING\r\n*1\r\n+PING\r\n");
  assert.equal(await one.read(), "PONG");
  assert.match(String(plain(await one.read())), /^-ERR Protocol error/);
  assert.equal(await one.read(), undefined);
});

for (const [bytes, what] of [
  ["*x\r\n", "no number of strings"],
  ["*2000000000000\r\n", "too many strings"],
  ["*1\r\nPING\r\n", "no string"],
  ["*1\r\n$x\r\n", "no length"],
  ["*1\r\n$-3\r\n", "a negative length"],
  ["GET 'a\r\n", "a quote that does not end"],
] as const)
  test(`${what} is refused with the words of the engine`, async ({ engine }) => {
    const [atEngine, atEndpoint] = [await RawClient.connect(engine), await client()];
    for (const one of [atEngine, atEndpoint]) one.write(bytes);
    for (const _frame of ["error", "end"])
      assert.deepEqual(plain(await atEndpoint.read()), plain(await atEngine.read()));
    for (const one of [atEngine, atEndpoint]) one.close();
  });

test("an HTTP request is cut before it can do anything", async ({ engine }) => {
  const one = await client();
  one.write("POST / HTTP/1.1\r\nHost: x\r\n\r\nSET owned 1\r\n");
  assert.equal(await one.read(), undefined);
  assert.equal(await engine.call("GET", "owned"), null);
});

test("a client that ends its side gets all replies before the end", async () => {
  const one = await client();
  for (let i = 0; i < 100; i++) one.send("INCR", "bye");
  one.end();
  assert.equal((await one.readMany(100)).at(-1), 100);
  assert.equal(await one.read(), undefined);
});

test("QUIT is answered before the end", async () => {
  const one = await client();
  assert.equal(await one.ask("QUIT"), "OK");
  assert.equal(await one.read(), undefined);
});

test("an endpoint that is removed from the configuration ends its clients", async ({ engine, proxy }) => {
  const one = await guest();
  await done(proxy.send({ op: "configure", endpoints: [withShard(open, { primary: addressOf(engine) })] }));
  assert.equal(await one.read(), undefined);
  await assert.rejects(guest(), /ECONNREFUSED/);
  assert.equal(await (await client()).ask("PING"), "PONG");
});

/** Both endpoints at one proxy, each with an engine of its own. */
async function startBoth() {
  const [engine, lockedEngine, proxy] = await startAll(
    startEngine(),
    startEngine({ password: "s3cret" }),
    startProxy(),
  );
  const endpoints = [
    withShard(open, { primary: addressOf(engine) }),
    withShard(locked, { primary: addressOf(lockedEngine) }),
  ];
  await done(proxy.send({ op: "configure", endpoints }));
  return {
    engine,
    proxy,
    [Symbol.asyncDispose]: async () => {
      await Promise.allSettled([engine.stop(), lockedEngine.stop()]);
      await proxy.stop();
    },
  };
}
