import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "#kit/reconcile/system-clock";
import { engineNames, type TestEngine } from "../../../../test/kit/engines/engine.ts";
import { startShard } from "../../../../test/kit/engines/shard.ts";
import { untilReplicated } from "../../../../test/kit/engines/switchover.ts";
import { verifyReplica } from "./verify.ts";

const ENGINES = [engineNames()[0] ?? "", engineNames().at(-1) ?? ""];
const MANY = 50_000;

/** What engines walk over when they are asked how large a stream is. */
const WALKED: Readonly<Record<string, (n: number) => readonly string[]>> = {
  consumers: (n) => ["XGROUP", "CREATECONSUMER", "stream", "group", `c${n}`],
  groups: (n) => ["XGROUP", "CREATE", "stream", `g${n}`, "0"],
};

for (const [what, command] of Object.entries(WALKED))
  test(`an engine is not asked for the size of a stream with many ${what}, and a difference in it is found`, async () => {
    await using shard = await startShard(ENGINES);
    const [primary, replica] = [shard.engine(1), shard.engine(2)];
    await fill(primary, 3_000, (n) => ["XADD", "stream", `${n + 1}-1`, "f", `v${n}`]);
    await primary.call("XGROUP", "CREATE", "stream", "group", "0");
    await fill(primary, MANY, command);
    await untilReplicated(primary, replica);
    for (const engine of [primary, replica]) await engine.call("CONFIG", "RESETSTAT");
    assert.deepEqual(await compare(primary, replica), { different: 0, whole: true });
    for (const engine of [primary, replica]) {
      const stats = String(await engine.call("INFO", "commandstats"));
      assert.doesNotMatch(stats, /cmdstat_memory|cmdstat_debug/);
      assert.equal(/cmdstat_xinfo.groups:/.test(stats), what === "consumers");
    }
    await replica.call("CONFIG", "SET", "replica-read-only", "no");
    await replica.call("XDEL", "stream", "1500-1");
    assert.deepEqual(await compare(primary, replica), { different: 2, whole: true });
  });

test("a stream with a few groups and consumers is digested as other small values are", async () => {
  await using shard = await startShard(ENGINES);
  const [primary, replica] = [shard.engine(1), shard.engine(2)];
  await fill(primary, 100, (n) => ["XADD", `stream${n % 50}`, `${n + 1}-1`, "f", `v${n}`]);
  for (let n = 0; n < 50; n += 1) await primary.call("XGROUP", "CREATE", `stream${n}`, "group", "0");
  await untilReplicated(primary, replica);
  await primary.call("CONFIG", "RESETSTAT");
  assert.deepEqual(await compare(primary, replica), { different: 0, whole: true });
  const stats = String(await primary.call("INFO", "commandstats"));
  assert.doesNotMatch(stats, /cmdstat_xrange/);
  const [, digests = ""] = /cmdstat_debug:calls=(\d+)/.exec(stats) ?? [];
  assert.ok(Number(digests) > 0 && Number(digests) < 40, `${digests} digests`);
});

const withVectors = engineNames().find((name) => name.startsWith("redis-8"));
test(
  "no digest is taken of a vector set with many elements, however small they are",
  { skip: withVectors === undefined },
  async () => {
    await using shard = await startShard([withVectors ?? "", withVectors ?? ""]);
    const [primary, replica] = [shard.engine(1), shard.engine(2)];
    await fill(primary, 3_000, (n) => ["VADD", "vectors", "VALUES", "1", String(n + 1), `e${n}`]);
    await untilReplicated(primary, replica);
    await primary.call("CONFIG", "RESETSTAT");
    assert.deepEqual(await compare(primary, replica), { different: 0, whole: false });
    assert.doesNotMatch(String(await primary.call("INFO", "commandstats")), /cmdstat_debug/);
  },
);

async function compare(primary: TestEngine, replica: TestEngine) {
  const { different, whole } = await verifyReplica({ primary, replica, clock: systemClock });
  return { different, whole };
}

async function fill(engine: TestEngine, count: number, command: (n: number) => readonly string[]): Promise<void> {
  const client = await engine.connect();
  for (let n = 0; n < count; n += 1_000)
    await client.callAll(
      Array.from({ length: Math.min(1_000, count - n) }, (_, i) => command(n + i)),
      "utf8",
    );
  client.close();
}
