import assert from "node:assert/strict";
import { test } from "node:test";
import { engineNames, startEngine, type TestEngine } from "../../../../test/kit/engines/engine.ts";
import { systemClock } from "#kit/reconcile/system-clock";
import { textOf } from "../../../ports/resp/reply.ts";
import { connectBeside } from "../operations/connect-site.ts";
import { KeyWalk } from "./key-walk.ts";

/** Goes through all keys of an engine once. */
async function walked({ host, port }: TestEngine): Promise<KeyWalk> {
  const ending = new AbortController();
  const { signal } = ending;
  const beside = () => connectBeside({ engine: { host, port, logins: [], tls: undefined }, signal });
  const walk = new KeyWalk({ beside, clock: systemClock, signal });
  const ended = walk.ended();
  const running = walk.run();
  await Promise.race([ended, running]);
  ending.abort();
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

await test("an engine that gives no digests says why, and nothing ends because of it", async () => {
  await using engine = await startEngine({ args: ["--enable-debug-command", "no"] });
  await fill(engine, [1]);
  const walk = await walked(engine);
  assert.equal(walk.latest, undefined);
  assert.match(walk.refusal, /DEBUG command not allowed/);
});
