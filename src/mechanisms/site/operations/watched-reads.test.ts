import assert from "node:assert/strict";
import { test } from "node:test";
import { engineNames, startEngine } from "../../../../test/kit/engines/engine.ts";
import { connectEngine, type EngineClient } from "../../../ports/resp/engine-client.ts";
import { effectsOfReads, readsOf } from "./key-reads.ts";
import { groupsOf, isLarge, shapesOf } from "./key-shapes.ts";
import { markUnchanged, readWatched } from "./watched-reads.ts";
import { ALL_KEYS } from "../saved/slice.ts";

const ELEMENTS = 2_500;
const NAMES = Array.from({ length: ELEMENTS }, (_, n) => `\u00ff${n}`);
/** Each is larger than what is read at once. */
const LARGE: Readonly<Record<string, readonly string[]>> = {
  set: ["SADD", "set", ...NAMES],
  hash: ["HSET", "hash", ...NAMES.flatMap((name, n) => [name, `v${n}`])],
  zset: ["ZADD", "zset", ...NAMES.flatMap((name, n) => [`${n / 3}`, name])],
  list: ["RPUSH", "list", ...NAMES],
  string: ["SET", "string", "\u00ff".repeat(700_000)],
};

for (const engine of [engineNames()[0] ?? "", engineNames().at(-1) ?? ""])
  test(`what is read part by part is what one read gives, of ${engine}`, async () => {
    await using started = await startEngine({ engine });
    const client = await connectEngine({ host: started.host, port: started.port, timeoutMs: 5_000, bulk: "bytes" });
    await client.callAll(Object.values(LARGE), "latin1");
    await client.call("PEXPIREAT", "set", 4_000_000_000_000);
    for (const shape of await shapesOf(client, Object.keys(LARGE))) {
      assert.ok(isLarge(shape), JSON.stringify(shape));
      const parts = await readWatched(client, shape);
      assert.equal(await markUnchanged(client, ALL_KEYS, "mark"), true);
      const whole = await client.callAll(readsOf(shape.key), "latin1");
      const replies = whole.map((reply) => (reply instanceof Error ? null : reply));
      assert.deepEqual(sorted(effectsOfReads(shape.key, parts ?? [])), sorted(effectsOfReads(shape.key, replies)));
    }
    client.close();
  });

test("a key that changes while it is read gives no mark, and one that has another type by then nothing", async () => {
  await using started = await startEngine({ engine: engineNames()[0] ?? "" });
  const [client, other] = [await started.connect(), await started.connect()];
  await client.callAll(Object.values(LARGE), "latin1");
  const [shape] = await shapesOf(client, ["set"]);
  assert.ok(shape !== undefined);
  await readWatched(client, shape);
  await other.call("SREM", "set", "nothing of it");
  assert.equal(await markUnchanged(client, ALL_KEYS, "first"), true);
  await readWatched(client, shape);
  await other.call("SADD", "set", "one more");
  assert.equal(await markUnchanged(client, ALL_KEYS, "second"), false);
  await other.call("SET", "set", "a string");
  assert.equal(await readWatched(client, shape), undefined);
  for (const one of [client, other]) one.close();
});

test("small keys go together, up to a bound, and a large one alone", async () => {
  await using started = await startEngine({ engine: engineNames()[0] ?? "" });
  const client: EngineClient = await started.connect();
  const small = Array.from({ length: 30 }, (_, n) => `small:${n}`);
  await client.callAll(
    [...small.map((key) => ["SADD", key, ...NAMES.slice(0, 100)]), ["SADD", "set", ...NAMES]],
    "latin1",
  );
  const groups = [...groupsOf(await shapesOf(client, [...small, "set", "gone"]))].map((group) =>
    group.map(({ key }) => key),
  );
  assert.deepEqual(
    groups.map(({ length }) => length),
    [10, 10, 10, 1, 1],
  );
  assert.deepEqual(groups.at(3), ["set"]);
  client.close();
});

/** Elements of a set or hash have no order. */
function sorted(effects: readonly object[]): readonly string[] {
  return effects.map((effect) => JSON.stringify(effect)).toSorted();
}
