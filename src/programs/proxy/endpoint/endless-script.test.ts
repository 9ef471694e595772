import assert from "node:assert/strict";
import { engineNames, startEngine } from "../../../../test/kit/engines/engine.ts";
import type { TestEngine } from "../../../../test/kit/engines/engine.ts";
import { done, endpointFor, startProxy } from "../../../../test/kit/engines/proxy.ts";
import { RawClient, plain } from "../../../../test/kit/engines/raw-client.ts";
import { startLedger } from "../../../../test/kit/load/load-ledger.ts";
import { sharing } from "../../../../test/kit/engines/shared.ts";
import { startAll } from "../../../../test/kit/engines/start-all.ts";
import { until } from "#kit/testing/until";
import type { Address, EndpointConfig } from "../../../ports/management/proxy-control.ts";
import { callEngine, engineCodeOf } from "../../../ports/resp/engine-client.ts";
import { assertWithin } from "#kit/testing/assert-within";

const ENDLESS = "while true do end";
const LIBRARY = `#!lua name=endless\nredis.register_function("endless", function() ${ENDLESS} end)`;
const LONG = `local function ms() local t = redis.call("TIME") return t[1] * 1000 + t[2] / 1000 end
local began = ms() while ms() - began < 600 do end return "slow"`;
const KILLED_WITHIN_MS = 1000;
const test = sharing(startEach);

for (const name of engineNames()) {
  test(`${name}: SCRIPT KILL ends an endless script at once, and other clients are served again`, async (served) => {
    const { listen } = served.of(name);
    const [runaway, other, killer] = await clients(listen, 3);
    await other.ask("SET", "k", "v");
    assert.match(String(await killer.ask("SCRIPT", "KILL")), /^-NOTBUSY/);
    runaway.send("EVAL", ENDLESS, 0);
    await atEngine(served, name);
    other.send("GET", "k");
    assert.equal(await inTime(killer.ask("SCRIPT", "KILL")), "OK");
    await wasKilled(runaway);
    assert.equal(await runaway.ask("PING"), "PONG");
    assert.equal(await other.read(), "v");
  });

  test(`${name}: FUNCTION KILL ends an endless function at once`, async (served) => {
    const { listen } = served.of(name);
    const [runaway, other, killer] = await clients(listen, 3);
    await other.ask("FUNCTION", "LOAD", "REPLACE", LIBRARY);
    runaway.send("FCALL", "endless", 0);
    await atEngine(served, name);
    assert.equal(await inTime(killer.ask("FUNCTION", "KILL")), "OK");
    await wasKilled(runaway);
    assert.equal(await other.ask("GET", "none"), null);
  });
}

test("a script that ends in time disturbs no other client", async (served) => {
  const { listen } = served.of(served.first);
  const [slow, transaction, script] = await clients(listen, 3);
  const [numbered] = await clients(listen, 2);
  await numbered.ask("SELECT", 3);
  await transaction.ask("MULTI");
  await using ledger = await startLedger({ ...listen, connections: 20 });
  // as long on each machine: always past the engine's own limit, so that others meet it
  slow.send("EVAL", LONG, 0);
  // a busy machine may look only when it is over
  const isMet = async (): Promise<boolean> =>
    slow.unread.length > 0 || (await pinged(served, served.first, 50)) !== "PONG";
  await until("no reply for a moment", isMet);
  transaction.send("INCR", "counted");
  transaction.send("EXEC");
  script.send("EVAL", "return 7", 0);
  numbered.send("EVAL", "return 8", 0);
  assert.equal(await slow.read(), "slow");
  assert.deepEqual(
    [await transaction.readMany(2), await script.read(), await numbered.read()],
    [["QUEUED", [1]], 7, 8],
  );
  const { failed, lost, complaints } = await ledger.stop();
  assert.deepEqual([failed, lost, complaints], [0, 0, []]);
  assert.equal((await served.proxy.stats()).cut, 0);
});

test("a script past the engines' own limit lets other clients know, whatever they ask", async (served) => {
  const { listen } = served.of(served.first);
  const [runaway, plain, killer] = await clients(listen, 3);
  const [script, numbered] = await clients(listen, 2);
  await numbered.ask("SELECT", 3);
  runaway.send("EVAL", ENDLESS, 0);
  await atEngine(served, served.first);
  const began = performance.now();
  const asked = [plain.ask("GET", "k"), script.ask("EVAL", "return 1", 0), numbered.ask("EVAL", "return 1", 0)];
  for (const reply of await Promise.all(asked)) assert.match(String(reply), /^-BUSY /);
  const took = performance.now() - began;
  assert.ok(took > 4_000, `${took} ms`);
  assertWithin(7_000, took, "other clients know");
  assert.match(String(await inTime(plain.ask("GET", "k"))), /^-BUSY /);
  assert.equal(await inTime(killer.ask("SCRIPT", "KILL")), "OK");
  await wasKilled(runaway);
  assert.equal(await plain.ask("GET", "none"), null);
});

test("a database may let other clients know earlier, and CONFIG GET shows its own limit", async (served) => {
  const own = served.endpoints.map((endpoint) => ({ ...endpoint, scriptLimitMs: 1_500 }));
  await done(served.proxy.send({ op: "configure", endpoints: own }));
  const [runaway, other, killer] = await clients(served.of(served.first).listen, 3);
  for (const name of ["lua-time-limit", "busy-reply-threshold"])
    assert.deepEqual(await other.ask("CONFIG", "GET", name), [name, "1500"]);
  const began = performance.now();
  runaway.send("EVAL", ENDLESS, 0);
  await atEngine(served, served.first);
  assert.match(String(await other.ask("GET", "k")), /^-BUSY /);
  const took = performance.now() - began;
  assert.ok(took > 1_000, `${took} ms`);
  assertWithin(4_000, took, "other clients know");
  assert.equal(await inTime(killer.ask("SCRIPT", "KILL")), "OK");
  await wasKilled(runaway);
  await done(served.proxy.send({ op: "configure", endpoints: served.endpoints }));
});

test("a script that has written cannot be killed, and the engine says so", async (served) => {
  const { listen } = served.of(served.first);
  const [writer, killer] = await clients(listen, 2);
  writer.send("EVAL", `redis.call("SET", "written", 1) local n = 0 while n < 2e8 do n = n + 1 end return n`, 0);
  await atEngine(served, served.first);
  assert.match(
    String(await inTime(killer.ask("SCRIPT", "KILL"))),
    /^-UNKILLABLE Sorry the script already executed write/,
  );
  assert.equal(await writer.read(), 2e8);
});

test("a user ends scripts with its own rights", async (served) => {
  const { listen } = served.of(served.first);
  const [runaway, allowed, denied] = await clients(listen, 3);
  await served.engine(served.first).call("ACL", "SETUSER", "may", "on", ">one", "~*", "+@all");
  await served.engine(served.first).call("ACL", "SETUSER", "mayNot", "on", ">two", "~*", "+@all", "-script");
  assert.equal(await allowed.ask("AUTH", "may", "one"), "OK");
  assert.equal(await denied.ask("AUTH", "mayNot", "two"), "OK");
  runaway.send("EVAL", ENDLESS, 0);
  await atEngine(served, served.first);
  assert.match(String(await denied.ask("SCRIPT", "KILL")), /^-NOPERM/);
  assert.equal(await inTime(allowed.ask("SCRIPT", "KILL")), "OK");
  await wasKilled(runaway);
});

/** Every engine of this machine behind one proxy, each with an endpoint. */
class Each implements AsyncDisposable {
  readonly first: string;
  readonly proxy: Awaited<ReturnType<typeof startProxy>>;
  readonly #engines: ReadonlyMap<string, TestEngine>;
  readonly #endpoints: ReadonlyMap<string, EndpointConfig>;

  constructor(proxy: Each["proxy"], engines: readonly TestEngine[]) {
    this.proxy = proxy;
    this.first = engines[0]?.name ?? "";
    this.#engines = new Map(engines.map((engine) => [engine.name, engine]));
    this.#endpoints = new Map(
      engines.map((engine, i) => [engine.name, endpointFor(engine, { bdb: i + 1, holdMs: 20_000 })]),
    );
  }

  get endpoints(): readonly EndpointConfig[] {
    return [...this.#endpoints.values()];
  }

  of(name: string): EndpointConfig {
    const found = this.#endpoints.get(name);
    assert.ok(found !== undefined);
    return found;
  }

  engine(name: string): TestEngine {
    const found = this.#engines.get(name);
    assert.ok(found !== undefined);
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#engines.values()].map((engine) => engine.stop()));
    await this.proxy.stop();
  }
}

async function startEach(): Promise<Each> {
  const args = ["--lua-time-limit", "250"];
  const [proxy, ...engines] = await startAll(
    startProxy(),
    ...engineNames().map((engine) => startEngine({ engine, args })),
  );
  const each = new Each(proxy, engines);
  await done(proxy.send({ op: "configure", endpoints: each.endpoints }));
  return each;
}

async function clients(listen: Address, count: 2 | 3): Promise<[RawClient, RawClient, RawClient]> {
  const made = await Promise.all(Array.from({ length: count }, () => RawClient.connect(listen)));
  const [one, two, three = one] = made;
  assert.ok(one !== undefined && two !== undefined && three !== undefined);
  return [one, two, three];
}

/** Waits until a script has run for as long as the engine allows without a word. */
async function atEngine(served: Each, name: string): Promise<void> {
  await until("the script runs", async () => (await pinged(served, name, 5_000)) === "BUSY");
}

/** What the engine answers, or the code of its error; undefined when it answers nothing in that time. */
async function pinged(served: Each, name: string, timeoutMs: number): Promise<string | undefined> {
  const { host, port } = served.engine(name);
  try {
    return String(await callEngine({ host, port, timeoutMs }, "PING"));
  } catch (error) {
    return engineCodeOf(error);
  }
}

/** The engine has left the script: until then it takes a second SCRIPT KILL for the same one. */
async function wasKilled(runaway: RawClient): Promise<void> {
  assert.match(String(plain(await runaway.read())), /[Ss]cript killed by user/);
}

async function inTime<T>(answer: Promise<T>): Promise<T> {
  const began = performance.now();
  const reply = await answer;
  assertWithin(KILLED_WITHIN_MS, performance.now() - began, "the answer");
  return reply;
}
