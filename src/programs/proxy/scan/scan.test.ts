import assert from "node:assert/strict";
import { loopbackAddress, startEngine } from "../../../../test/kit/engines/engine.ts";
import { addressOf, done, endpointFor, startProxy, withShard } from "../../../../test/kit/engines/proxy.ts";
import { RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { sharing } from "../../../../test/kit/engines/shared.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import { suspend } from "../../../../test/kit/engines/suspend.ts";
import { switchOver } from "../../../../test/kit/engines/switchover.ts";
import { until } from "#kit/testing/until";
import { listOf, textOf } from "../../../ports/resp/reply.ts";
import type { Reply } from "../../../ports/resp/reply.ts";

const KEYS = 4000;
const test = sharing(filled);

const scans = [
  { name: "SCAN", args: ["SCAN"], width: 1, sizes: KEYS + 3 },
  { name: "HSCAN", args: ["HSCAN", "hash"], width: 2, sizes: KEYS },
  { name: "SSCAN", args: ["SSCAN", "set"], width: 1, sizes: KEYS },
  { name: "ZSCAN", args: ["ZSCAN", "sorted"], width: 2, sizes: KEYS },
] as const;

for (const { name, args, width, sizes } of scans)
  test(`${name} goes on over a move, on any connection, and sees all once`, async (served) => {
    const [first, second] = await served.clients(2);
    const scan = new Scan(args, width);
    await scan.goOn(first, 8);
    await served.move();
    await scan.goOn(second, 8);
    await served.move();
    await scan.goOn(first);
    assert.equal(scan.seen.size, sizes);
    assert.equal(scan.count, sizes);
  });

test("a scan goes on through another proxy of the cluster", async (served) => {
  await using second = await startProxy();
  const endpoint = withShard(endpointFor(served.primary), { epoch: served.epoch });
  await done(second.send({ op: "configure", endpoints: [endpoint] }));
  const scan = new Scan(["SCAN"]);
  await scan.goOn(await served.client(), 10);
  await switchOver([served.proxy, second], ++served.epoch, served.primary, served.replica);
  [served.primary, served.replica] = [served.replica, served.primary];
  await scan.goOn(await RawClient.connect(endpoint.listen));
  assert.deepEqual([scan.seen.size, scan.count], [KEYS + 3, KEYS + 3]);
});

test("through a proxy that does not know where it began, a scan begins anew and misses nothing", async (served) => {
  const scan = new Scan(["SCAN"]);
  await scan.goOn(await served.client(), 10);
  await served.move();
  await using late = await startProxy();
  const endpoint = withShard(endpointFor(served.primary), { epoch: served.epoch });
  await done(late.send({ op: "configure", endpoints: [endpoint] }));
  await scan.goOn(await RawClient.connect(endpoint.listen));
  assert.equal(scan.seen.size, KEYS + 3);
});

test("a scan of another protocol version and database goes on as well", async (served) => {
  const client = await served.client();
  await client.ask("SELECT", 3);
  await client.ask("EVAL", "for i = 1, 500 do redis.call('SET', i, i) end", 0);
  const [modern] = await served.clients(1);
  await modern?.ask("SELECT", 3);
  await modern?.ask("HELLO", 3);
  const scan = new Scan(["SCAN"]);
  await scan.goOn(client, 2);
  await served.move();
  await scan.goOn(modern);
  assert.deepEqual([scan.seen.size, scan.count], [500, 500]);
});

test("the scan of a user has the rights of the user at the former primary", async (served) => {
  const rules = ["SETUSER", "reader", "on", ">secret", "~hash", "+hscan"];
  for (const engine of [served.primary, served.replica]) await engine.call("ACL", ...rules);
  const client = await served.client();
  await client.ask("AUTH", "reader", "secret");
  const scan = new Scan(["HSCAN", "hash"], 2);
  await scan.goOn(client, 5);
  await served.move();
  assert.match(textOf((await client.ask("HSCAN", "set", scan.cursor)) ?? ""), /^-NOPERM/);
  await scan.goOn(client);
  assert.equal(scan.count, KEYS);
});

test("inside a transaction the cursor of another server begins anew", async (served) => {
  const client = await served.client();
  const scan = new Scan(["SSCAN", "set"]);
  await scan.goOn(client, 5);
  await served.move();
  await client.ask("MULTI");
  assert.equal(await client.ask("SSCAN", "set", scan.cursor, "COUNT", 10 * KEYS), "QUEUED");
  const [answer] = listOf((await client.ask("EXEC")) ?? []);
  assert.equal(listOf(listOf(answer ?? [])[1] ?? []).length, KEYS);
});

test("a scan that is queued in a transaction begins anew when the primary moves, and its cursor goes on over the next move", async (served) => {
  const client = await served.client();
  const scan = new Scan(["SSCAN", "set"]);
  await scan.goOn(client, 5);
  await client.ask("MULTI");
  await client.ask("SSCAN", "set", scan.cursor, "COUNT", 10 * KEYS);
  await client.ask("SSCAN", "set", 0, "COUNT", 100);
  await client.ask("CLIENT", "ID");
  await served.move();
  const [whole, begun] = listOf((await client.ask("EXEC")) ?? []);
  assert.equal(listOf(listOf(whole ?? [])[1] ?? []).length, KEYS);
  const [cursor, members] = listOf(begun ?? []);
  const next = new Scan(["SSCAN", "set"]);
  next.cursor = textOf(cursor ?? "");
  for (const member of listOf(members ?? [])) next.seen.add(member);
  await served.move();
  await next.goOn(client);
  assert.deepEqual([next.seen.size, next.count + listOf(members ?? []).length], [KEYS, KEYS]);
  client.close();
});

test("a malformed scan is refused by the engine, and a scan keeps its place among other requests", async (served) => {
  const client = await served.client();
  assert.equal(await client.ask("SCAN", "x"), "-ERR invalid cursor");
  assert.match(textOf((await client.ask("HSCAN", "hash")) ?? ""), /^-ERR wrong number/);
  client.send("SET", "place", 1);
  client.send("SCAN", 0, "MATCH", "place", "COUNT", 10 * KEYS);
  client.send("DEL", "place");
  assert.deepEqual(await client.readMany(3), ["OK", ["0", ["place"]], 1]);
});

test("a scan whose server hangs begins anew", async (served) => {
  await served.move();
  await using impatient = await startProxy();
  const quick = withShard(endpointFor(served.primary, { holdMs: 1_500 }), { epoch: served.epoch });
  await done(impatient.send({ op: "configure", endpoints: [quick] }));
  const client = await RawClient.connect(quick.listen);
  const scan = new Scan(["SCAN"]);
  await scan.goOn(client, 10);
  await served.move();
  const target = addressOf(served.primary);
  await done(impatient.send({ op: "release", bdb: 1, epoch: served.epoch, target }));
  using _hanging = await suspend(served.replica);
  await scan.goOn(client);
  assert.equal(scan.seen.size, KEYS + 3);
});

test("a scan whose server has started again in the same epoch begins anew, and misses nothing; then it goes on", async () => {
  const place = { host: loopbackAddress(), port: 6379 };
  const endpoint = endpointFor(place);
  await using proxy = await startProxy();
  const first = await startEngine(place);
  await done(proxy.send({ op: "configure", endpoints: [endpoint] }));
  const client = await RawClient.connect(endpoint.listen);
  await client.ask("EVAL", FILL, 0);
  const scan = new Scan(["SSCAN", "set"]);
  await scan.goOn(client, 20);
  await first.stop();
  await using _again = await startEngine(place);
  await until("the endpoint serves again", async () => (await client.ask("PING")) === "PONG");
  await client.ask("EVAL", FILL, 0);
  const before = scan.seen.size;
  await scan.goOn(client);
  assert.equal(scan.seen.size, KEYS);
  assert.ok(before < KEYS && scan.count < 2 * KEYS + before, "it began anew once");
  client.close();
});

// stays the last one: there is no replica any more behind it
test("a scan whose server is gone begins anew, and misses nothing", async (served) => {
  const client = await served.client();
  const scan = new Scan(["SCAN"]);
  await scan.goOn(client, 20);
  await served.move();
  await served.replica.stop();
  await scan.goOn(client);
  assert.equal(scan.seen.size, KEYS + 3);
  assert.ok(scan.count > scan.seen.size, "some are seen twice");
  assert.equal((await served.proxy.stats()).cut, 0);
});

const FILL = `for i = 1, ${KEYS} do
  redis.call('SET', 'key:' .. i, i); redis.call('HSET', 'hash', 'f' .. i, i)
  redis.call('SADD', 'set', 'm' .. i); redis.call('ZADD', 'sorted', i, 'z' .. i)
end`;

/** A database with keys of each kind that can be scanned. */
async function filled(): Promise<Served> {
  const served = await Served.start();
  const client = await served.client();
  await client.ask("EVAL", FILL, 0);
  client.close();
  return served;
}

/** A scan as a client library makes it. */
class Scan {
  readonly seen = new Set<Reply>();
  /** What was given, repeated or not. */
  count = 0;
  cursor = "0";
  readonly #args: readonly string[];
  readonly #width: number;

  constructor(args: readonly string[], width = 1) {
    this.#args = args;
    this.#width = width;
  }

  /** Goes on by so many calls, or to the end. */
  async goOn(client: RawClient | undefined, calls = Infinity): Promise<void> {
    for (let i = 0; i < calls; i++) {
      const [cursor, found] = listOf((await client?.ask(...this.#args, this.cursor, "COUNT", 100)) ?? []);
      listOf(found ?? []).forEach((item, at) => {
        if (at % this.#width === 0) this.seen.add(item);
      });
      this.count += listOf(found ?? []).length / this.#width;
      this.cursor = textOf(cursor ?? "");
      if (this.cursor === "0") return;
    }
  }
}
