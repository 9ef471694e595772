import assert from "node:assert/strict";
import { test } from "node:test";
import { engineNames } from "../../../../test/kit/engines/engine.ts";
import type { TestEngine } from "../../../../test/kit/engines/engine.ts";
import { startShard } from "../../../../test/kit/engines/shard.ts";
import { until } from "#kit/testing/until";
import { parseInfo } from "../../../ports/resp/info.ts";
import { switchOver } from "./switchover.ts";

const LEAN = engineNames().find((name) => name.startsWith("valkey-8.0")) ?? "";
const LARGER = engineNames().find((name) => name.startsWith("redis-8")) ?? "";

const KEYS = 10_000;

test("data that would reach the limit of the next engine does not move, and moves once the engines have more memory", async () => {
  await using shard = await startShard([LEAN, LARGER]);
  const [old, next] = shard.engines;
  assert.ok(old !== undefined && next !== undefined);
  // the next engine keeps the same hashes in a larger form
  await next.call("CONFIG", "SET", "hash-max-listpack-entries", 0);
  await fill(old);
  await until("the replica has all", async () => (await next.call("DBSIZE")) === KEYS);
  const [has, takes] = [await countedOf(old), await countedOf(next)];
  assert.ok(takes > has, `${next.name} takes ${takes}, ${old.name} ${has}`);
  await limit([old, next], Math.round((has + takes) / 2));
  const refused = await switchOver({ record: shard.record(), shard: 1, to: 2 }, shard.ports());
  assert.ok(refused.kind === "refused", JSON.stringify(refused));
  assert.equal(refused.obstacle?.id, "MemoryTooSmall");
  assert.match(refused.reason, /takes \d+ bytes in redis 8.* and \d+ in valkey 8.*kubectl patch redb db .*memorySize/);
  await limit([old, next], 10 * takes);
  const load = await shard.startLoad();
  await load.more();
  const done = await switchOver({ record: shard.record(), shard: 1, to: 2 }, shard.ports());
  assert.equal(done.kind, "done", JSON.stringify(done));
  await load.requireNothingLost();
});

async function fill(engine: TestEngine): Promise<void> {
  const client = await engine.connect();
  const fields = Array.from({ length: 20 }, (_, n) => [`f${n}`, "value"]).flat();
  const hashes = Array.from({ length: KEYS }, (_, n) => ["HSET", `key:${n}`, ...fields]);
  for (let at = 0; at < KEYS; at += 1_000) await client.callAll(hashes.slice(at, at + 1_000), "utf8");
  client.close();
}

async function limit(engines: readonly TestEngine[], bytes: number): Promise<void> {
  for (const engine of engines) await engine.call("CONFIG", "SET", "maxmemory", bytes);
}

async function countedOf(engine: TestEngine): Promise<number> {
  const info = parseInfo(String(await engine.call("INFO", "memory")));
  return Number(info.get("used_memory")) - Number(info.get("mem_not_counted_for_evict"));
}
