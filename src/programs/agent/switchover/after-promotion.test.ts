import assert from "node:assert/strict";
import { test } from "node:test";
import { engineNames, startEngine } from "../../../../test/kit/engines/engine.ts";
import { startShard, type TestShard } from "../../../../test/kit/engines/shard.ts";
import { until } from "#kit/testing/until";
import { SWITCHOVER_MS, type SwitchoverStep } from "./ports.ts";
import { resolveIntent } from "./resolve.ts";
import { switchOver } from "./switchover.ts";

test("when the record cannot be written after the promotion, clients were held no longer than until their release, and resolving ends it", async () => {
  await using shard = await startShard([engineNames()[0] ?? "", engineNames().at(-1) ?? ""]);
  let isAway = false;
  const ports = shard.ports((at) => {
    isAway ||= at === "demote";
    return Promise.resolve();
  });
  const change: typeof ports.change = (act) =>
    isAway ? Promise.reject(new Error("the API is away")) : ports.change(act);
  const result = await switchOver({ record: shard.record(), shard: 1, to: 2 }, { ...ports, change });
  assert.ok(result.kind === "unresolved", result.kind);
  assert.deepEqual([result.step, result.reason], ["commit", "the API is away"]);
  assert.ok(result.heldMs > 0 && result.heldMs < SWITCHOVER_MS.hold / 2, `${result.heldMs} ms`);
  const resolved = await resolveIntent({ record: shard.record(), shard: 1, targetDead: false }, shard.ports());
  assert.equal(resolved.kind, "finished");
  await shard.requireOnePrimary();
});

test("a record that is not answered in time after the promotion does not hold up the demotion of the old primary", async () => {
  await using shard = await startShard([engineNames()[0] ?? "", engineNames().at(-1) ?? ""]);
  let hanging = 0;
  let isAtDemotion = false;
  const ports = shard.ports((at) => {
    isAtDemotion = at === "demote";
    return Promise.resolve();
  });
  const change: typeof ports.change = (act) => {
    if (!isAtDemotion) return ports.change(act);
    hanging += 1;
    return Promise.withResolvers<never>().promise;
  };
  const warned: string[] = [];
  const log = { ...ports.log, warn: (_: string, more?: object) => void warned.push(JSON.stringify(more)) };
  const result = await switchOver({ record: shard.record(), shard: 1, to: 2 }, { ...ports, change, log });
  assert.equal(result.kind, "done");
  assert.equal(hanging, 1);
  assert.ok(
    warned.some((line) => line.includes(`no answer within ${SWITCHOVER_MS.record} ms`)),
    warned.join("\n"),
  );
  await shard.requireOnePrimary();
});

test("a former primary that follows its successor applies what that sends while the intent is open", async () => {
  await using shard = await startShard([engineNames()[0] ?? "", engineNames().at(-1) ?? ""]);
  await moveUpTo("commit", shard);
  const [former, successor] = [shard.engine(1), shard.engine(2)];
  process.kill(successor.pid, "SIGSTOP");
  const open = await resolveIntent({ record: shard.record(), shard: 1, targetDead: false }, shard.ports());
  assert.equal(open.kind, "waiting");
  process.kill(successor.pid, "SIGCONT");
  await successor.call("SET", "k", "v");
  await until("the write is applied", async () => (await former.call("GET", "k")) === "v", { withinMs: 5_000 });
});

test("a target that died after its promotion and runs anew as a replica is given up, and the loss is reported", async () => {
  await using shard = await startShard([engineNames()[0] ?? "", engineNames().at(-1) ?? ""]);
  await moveUpTo("commit", shard);
  const [former, successor] = [shard.engine(1), shard.engine(2)];
  await successor.stop();
  const { name, host, port } = successor;
  await using anew = await startEngine({ engine: name, host, port });
  await anew.call("REPLICAOF", former.host, former.port);
  const resolved = await resolveIntent({ record: shard.record(), shard: 1, targetDead: false }, shard.ports());
  assert.equal(resolved.kind, "taken-back");
  assert.equal((await former.replication()).role, "primary");
  assert.match(shard.record().lossReports.join(), /died right after it was promoted/);
});

test("a target that follows a fenced primary still was never promoted: it is given up, and no loss is reported", async () => {
  await using shard = await startShard([engineNames()[0] ?? "", engineNames().at(-1) ?? ""]);
  await moveUpTo("promote", shard);
  const resolved = await resolveIntent({ record: shard.record(), shard: 1, targetDead: false }, shard.ports());
  assert.equal(resolved.kind, "taken-back");
  assert.deepEqual(shard.record().lossReports, []);
  await shard.requireOnePrimary();
});

/** A move whose leader does nothing more from this step on. */
async function moveUpTo(step: SwitchoverStep, shard: TestShard): Promise<void> {
  const isAt = Promise.withResolvers<undefined>();
  const before = async (at: SwitchoverStep): Promise<void> => {
    if (at !== step) return;
    isAt.resolve(undefined);
    await Promise.withResolvers<never>().promise;
  };
  void switchOver({ record: shard.record(), shard: 1, to: 2 }, shard.ports(before));
  await isAt.promise;
}
