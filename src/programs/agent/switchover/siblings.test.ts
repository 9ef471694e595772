import assert from "node:assert/strict";
import { test } from "node:test";
import { engineNames } from "../../../../test/kit/engines/engine.ts";
import type { TestEngine } from "../../../../test/kit/engines/engine.ts";
import { startShard } from "../../../../test/kit/engines/shard.ts";
import { until } from "#kit/testing/until";
import type { SwitchoverStep } from "./ports.ts";
import { switchOver } from "./switchover.ts";

for (const name of engineNames())
  test(`${name}: after a move each other instance goes on without getting all data again, however late it is attached`, async () => {
    await using shard = await startShard([name, name, name]);
    // room for all that clients write meanwhile, as the engines of the product have it
    for (const engine of shard.engines)
      await engine.call("CONFIG", "SET", "repl-ping-replica-period", "1", "repl-backlog-size", "64mb");
    const load = await shard.startLoad();
    const before = await wholeCopies(shard.engines);
    for (const to of [2, 3]) {
      await load.more();
      const late = (step: SwitchoverStep): Promise<void> =>
        step === "demote" ? twoPeriods(shard.engine(to)) : Promise.resolve();
      const result = await switchOver({ record: shard.record(), shard: 1, to }, shard.ports(late));
      assert.equal(result.kind, "done", JSON.stringify(result));
      await shard.requireOnePrimary();
    }
    assert.equal(await wholeCopies(shard.engines), before);
    await load.requireNothingLost();
  });

test("a primary whose writes are paused pings its replicas no more, and each does again when the move is over", async () => {
  const [name = ""] = engineNames();
  await using shard = await startShard([name, name, name]);
  const seen: string[] = [];
  const noting = async (step: SwitchoverStep): Promise<void> => {
    if (step === "catch-up" || step === "demote") seen.push(await pingPeriod(shard.engine(1)));
  };
  const result = await switchOver({ record: shard.record(), shard: 1, to: 2 }, shard.ports(noting));
  assert.equal(result.kind, "done");
  assert.deepEqual(seen, ["50", "50"]);
  assert.deepEqual(await Promise.all(shard.engines.map(pingPeriod)), ["1", "10", "1"]);
});

test("a move that is given up leaves each replica at the old primary, without getting all data again", async () => {
  const [name = ""] = engineNames();
  await using shard = await startShard([name, name, name]);
  const before = await wholeCopies(shard.engines);
  const failing = (step: SwitchoverStep): Promise<void> =>
    step === "promote" ? Promise.reject(new Error("planted")) : Promise.resolve();
  const result = await switchOver({ record: shard.record(), shard: 1, to: 2 }, shard.ports(failing));
  assert.ok(result.kind === "aborted");
  await shard.requireOnePrimary();
  assert.equal(await wholeCopies(shard.engines), before);
  assert.equal(await pingPeriod(shard.engine(1)), "1");
});

/** Seconds; engines have 10 unless told otherwise. */
async function pingPeriod(engine: TestEngine): Promise<string> {
  const reply = await engine.call("CONFIG", "GET", "repl-ping-replica-period");
  return String(Array.isArray(reply) ? reply[1] : reply);
}

/** Waits until an engine would have pinged its replicas twice: what they got by that is not in the stream of another primary. */
async function twoPeriods(engine: TestEngine): Promise<void> {
  const uptime = async (): Promise<number> =>
    Number(/uptime_in_seconds:(\d+)/.exec(String(await engine.call("INFO", "server")))?.[1]);
  const before = await uptime();
  await until("two periods have passed", async () => (await uptime()) >= before + 2);
}

/** How often any of them gave another one all its data. */
async function wholeCopies(engines: readonly TestEngine[]): Promise<number> {
  const counts = engines.map(async (engine) => /sync_full:(\d+)/.exec(String(await engine.call("INFO", "stats")))?.[1]);
  return (await Promise.all(counts)).reduce((sum, count) => sum + Number(count), 0);
}
