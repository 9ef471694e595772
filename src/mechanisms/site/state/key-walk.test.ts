import assert from "node:assert/strict";
import { test } from "node:test";
import { engineNames, startEngine, type TestEngine } from "../../../../test/kit/engines/engine.ts";
import { systemClock } from "#kit/reconcile/system-clock";
import { textOf } from "../../../ports/resp/reply.ts";
import { connectBeside } from "../operations/connect-site.ts";
import { ALL_KEYS } from "../saved/slice.ts";
import { KeyWalk } from "./key-walk.ts";

function digesting({ host, port }: TestEngine) {
  const ending = new AbortController();
  const { signal } = ending;
  const beside = () => connectBeside({ engine: { host, port, logins: [], tls: undefined }, slice: ALL_KEYS, signal });
  const walk = new KeyWalk({ beside, slice: ALL_KEYS, clock: systemClock, signal });
  return { walk, [Symbol.asyncDispose]: () => Promise.resolve(ending.abort()) };
}

/** Goes through all keys of an engine once. */
async function walked(engine: TestEngine): Promise<KeyWalk> {
  const { walk, [Symbol.asyncDispose]: end } = digesting(engine);
  const ended = walk.ended();
  const running = walk.run();
  await Promise.race([ended, running]);
  await end();
  await running;
  return walk;
}

async function fill(engine: TestEngine, order: readonly number[]): Promise<void> {
  for (const number of order) {
    await engine.call("SET", `string:${number}`, `value ${number}`);
    await engine.call("HSET", `hash:${number}`, "f", String(number), "g", "x");
  }
  await engine.call("SET", "large", "x".repeat(100_000));
  await engine.call("RPUSH", "long", ...Array.from({ length: 1_000 }, () => "a longer element"));
}

async function hitsOf(engine: TestEngine): Promise<string | undefined> {
  return /keyspace_hits:(\d+)/.exec(textOf(await engine.call("INFO", "stats")))?.[1];
}

await test("engines that hold the same have the same digests, whatever their versions, and small keys are not used by it", async () => {
  const names = engineNames();
  const order = Array.from({ length: 200 }, (_, number) => number);
  await using first = await startEngine({ engine: names[0] });
  await using second = await startEngine({ engine: names.at(-1) });
  await fill(first, order);
  await fill(second, order.toReversed());
  await second.call("DEL", "large", "long");
  await first.call("DEL", "large", "long");
  const before = await hitsOf(first);
  const digests = await walked(first);
  assert.equal(await hitsOf(first), before);
  assert.equal(digests.latest?.keys, 400);
  assert.deepEqual(digests.latest.sums(16), (await walked(second)).latest?.sums(16));
  await second.call("SET", "string:7", "another");
  assert.notDeepEqual(digests.latest.sums(16), (await walked(second)).latest?.sums(16));
});

await test("of a large key the type and the size are compared", async () => {
  await using engine = await startEngine();
  await fill(engine, []);
  const before = (await walked(engine)).latest?.sums(16);
  await engine.call("SETRANGE", "large", "5", "other");
  assert.deepEqual((await walked(engine)).latest?.sums(16), before);
  await engine.call("RPUSH", "long", "one more");
  assert.notDeepEqual((await walked(engine)).latest?.sums(16), before);
});

/** Large keys of each type, whose elements were written in this order. */
async function fillLarge(engine: TestEngine, order: readonly number[]): Promise<void> {
  await engine.call("SET", "string", "x".repeat(16_000_000));
  await engine.call("RPUSH", "list", ...order.toSorted((a, b) => a - b).map((number) => `one ${number}`));
  await engine.call("SADD", "set", ...order.map((number) => `m${number}`));
  await engine.call("HSET", "hash", ...order.flatMap((number) => [`f${number}`, "x".repeat(number)]));
  await engine.call("ZADD", "zset", ...order.flatMap((number) => [String(number / 3), `m${number}`]));
}

const LARGE = ["string", "list", "set", "hash", "zset"];

await test("close digests have what large keys hold, the same in engines of all versions, and the times of expiry", async () => {
  const names = engineNames();
  const order = Array.from({ length: 1_200 }, (_, number) => number);
  await using first = await startEngine({ engine: names[0] });
  await using second = await startEngine({ engine: names.at(-1) });
  await fillLarge(first, order);
  await fillLarge(second, order.toReversed());
  await using one = digesting(first);
  await using other = digesting(second);
  const [same, before] = [await one.walk.digests(LARGE, true), await other.walk.digests(LARGE, true)];
  assert.deepEqual(before, same);
  const coarse = await other.walk.digests(LARGE, false);
  const changes: readonly (readonly [string, ...string[]])[] = [
    ["SETRANGE", "string", "15999999", "y"],
    ["LSET", "list", "1199", "x"],
    ["HSET", "hash", "f1", "y"],
    ["ZADD", "zset", "0.1", "m0"],
  ];
  for (const change of changes) await second.call(...change);
  await second.call("SREM", "set", "m7");
  await second.call("SADD", "set", "m1200");
  const after = await other.walk.digests(LARGE, true);
  for (const [at, name] of LARGE.entries()) assert.notEqual(after[2 * at], before[2 * at], name);
  assert.deepEqual(await other.walk.digests(LARGE, false), coarse);
  await first.call("SET", "timed", "v", "PXAT", "4102444800000");
  await second.call("SET", "timed", "v", "PXAT", "4102444800001");
  assert.notDeepEqual(await one.walk.digests(["timed"], true), await other.walk.digests(["timed"], true));
  assert.deepEqual(await one.walk.digests(["timed"], false), await other.walk.digests(["timed"], false));
  assert.deepEqual(await one.walk.small([...LARGE, "timed", "missing"]), ["timed", "missing"]);
});

await test("an engine that gives no digests says why, and nothing ends because of it", async () => {
  await using engine = await startEngine({ args: ["--enable-debug-command", "no"] });
  await fill(engine, [1]);
  const walk = await walked(engine);
  assert.equal(walk.latest, undefined);
  assert.match(walk.refusal, /DEBUG command not allowed/);
});
