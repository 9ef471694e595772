import assert from "node:assert/strict";
import { test } from "node:test";
import { engineNames } from "../../../../test/kit/engines/engine.ts";
import { startShard } from "../../../../test/kit/engines/shard.ts";
import type { ShardLoad, TestShard } from "../../../../test/kit/engines/shard.ts";
import { until } from "#kit/testing/until";
import type { ProxyCommand, ProxyReply } from "../../../ports/management/proxy-control.ts";
import { SWITCHOVER_STEPS } from "./ports.ts";
import type { ProxyPort, ShardPorts, SwitchoverResult, SwitchoverStep } from "./ports.ts";
import { resolveIntent } from "./resolve.ts";
import { switchOver } from "./switchover.ts";

const OLDEST = nameOf("redis-7");
const NEWER = nameOf("valkey-8.0");
const PAIR = [OLDEST, NEWER] as const;
/** A script that keeps the engine busy for 4 s, longer than a drain may take; newer engines stop the clock for a script. */
const BUSY = `local function now() local t = redis.call('TIME') return t[1] + t[2] / 1000000 end
  local began = now() while now() - began < 4 do end return 1`;
const PROMOTION = SWITCHOVER_STEPS.indexOf("promote");

for (const [workers, rounds] of [
  [1, 10],
  [2, 4],
] as const)
  test(`a switchover to a newer engine and back loses no write and fails no request, ${rounds} times, with ${workers} workers at each node`, async () => {
    await using shard = await startShard([...PAIR, OLDEST], { workers });
    const load = await shard.startLoad();
    for (let round = 0; round < rounds; round += 1) {
      const to = round % 2 === 0 ? 2 : 1;
      await load.more();
      const result = await move(shard, to);
      assert.equal(result.kind, "done", JSON.stringify(result));
      assert.deepEqual([shard.shard().primary, shard.shard().epoch], [to, round + 2]);
      await shard.requireOnePrimary();
    }
    await load.requireNothingLost();
  });

test("the result reports how long each part took", async () => {
  await using shard = await startShard(PAIR);
  const result = await move(shard, 2);
  assert.ok(result.kind === "done");
  const { drainMs, pausedAtMs, caughtUpAtMs, promotedAtMs, releasedAtMs, totalMs } = result.timings;
  const order = [drainMs, pausedAtMs, caughtUpAtMs, promotedAtMs, releasedAtMs, totalMs];
  assert.deepEqual(
    order,
    order.toSorted((a, b) => a - b),
  );
  assert.deepEqual([result.unreleased, result.unattached], [[], []]);
});

test("an engine that may not follow is refused before anything is touched", async () => {
  await using shard = await startShard([OLDEST, NEWER]);
  assert.equal((await move(shard, 2)).kind, "done");
  const before = shard.record();
  const result = await switchOver({ record: before, shard: 1, to: 1 }, shard.ports());
  assert.ok(result.kind === "refused");
  assert.match(result.reason, /may not take over/);
  assert.equal(shard.record(), before);
});

test("a switchover that is under way does not begin again", async () => {
  await using shard = await startShard(PAIR);
  const frozen = freezeAt("prepare");
  void switchOver({ record: shard.record(), shard: 1, to: 2 }, shard.ports(frozen.before));
  await frozen.reached;
  const result = await switchOver({ record: shard.record(), shard: 1, to: 2 }, shard.ports());
  assert.equal(result.kind, "refused");
});

for (const step of SWITCHOVER_STEPS.slice(SWITCHOVER_STEPS.indexOf("intend"), PROMOTION + 1))
  test(`a failure at "${step}" lets the old primary serve as before`, async () => {
    await using shard = await startShard(PAIR);
    const load = await shard.startLoad();
    await load.more();
    const failing = (at: SwitchoverStep): Promise<void> =>
      at === step ? Promise.reject(new Error("planted")) : Promise.resolve();
    const result = await switchOver({ record: shard.record(), shard: 1, to: 2 }, shard.ports(failing));
    assert.ok(result.kind === "aborted");
    assert.deepEqual([result.step, result.reason], [step, "planted"]);
    await requireAsBefore(shard, load);
  });

for (const op of ["prepare", "hold"] as const)
  test(`a proxy that refuses to ${op} stops the switchover`, async () => {
    await using shard = await startShard(PAIR);
    const load = await shard.startLoad();
    const refusal = { ok: false, code: "PROXY_TEST", message: "refused by the test" } as const;
    const ports = secondProxy(shard, (command, send) => (command.op === op ? Promise.resolve(refusal) : send(command)));
    const result = await switchOver({ record: shard.record(), shard: 1, to: 2 }, ports);
    assert.ok(result.kind === "aborted" && result.step === op);
    assert.match(result.reason, /proxy of node 2/);
    await requireAsBefore(shard, load);
  });

test("a client request that does not end in time stops the switchover", async () => {
  await using shard = await startShard(PAIR);
  let slow: Promise<unknown> = Promise.resolve();
  const occupy = async (at: SwitchoverStep): Promise<void> => {
    if (at !== "hold") return;
    slow = shard.request("EVAL", BUSY, "0");
    await until("the script runs", async () => ((await shard.proxies[0]?.stats())?.inFlight ?? 0) > 0);
  };
  const result = await switchOver({ record: shard.record(), shard: 1, to: 2 }, shard.ports(occupy));
  assert.ok(result.kind === "aborted" && result.step === "hold", JSON.stringify(result));
  await slow;
  assert.equal((await move(shard, 2)).kind, "done");
});

test("a request that takes long is named before any client has to wait for it", async () => {
  await using shard = await startShard(PAIR);
  const load = await shard.startLoad();
  const [client] = await shard.clients();
  const MIB = 2 ** 20;
  client?.write(`*3\r\n$3\r\nSET\r\n$4\r\nhuge\r\n$${90 * MIB}\r\n`);
  client?.write(Buffer.alloc(80 * MIB, "h"));
  const asked: string[] = [];
  const ports = secondProxy(shard, (command, send) => {
    asked.push(command.op);
    return send(command);
  });
  await until(
    "it is too large to be carried over",
    async () => (await shard.proxies[0]?.stats())?.oldest !== undefined,
  );
  const result = await switchOver({ record: shard.record(), shard: 1, to: 2 }, ports);
  assert.ok(result.kind === "refused");
  assert.match(result.reason, /^the primary has not answered yet: SET \(upload\) of client 127\.[\d.:]+ \(\d+ m?s\)$/);
  assert.deepEqual(asked, ["quiet"]);
  const insisting = await switchOver({ record: shard.record(), shard: 1, to: 2, insists: true }, ports);
  assert.ok(insisting.kind === "aborted" && insisting.heldMs > 400, JSON.stringify(insisting));
  assert.match(insisting.reason, /the longest for SET \(upload\) of client 127/);
  client?.close();
  await until("the next move succeeds", async () => (await move(shard, 2)).kind === "done");
  await load.requireNothingLost();
});

test("a proxy that does not answer stops the switchover, unless its node is known to be dead", async () => {
  await using shard = await startShard(PAIR);
  const silent = secondProxy(shard, (command, send) =>
    command.op === "hold" ? new Promise(() => undefined) : send(command),
  );
  assert.equal((await switchOver({ record: shard.record(), shard: 1, to: 2 }, silent)).kind, "aborted");
  const dead = secondProxy(shard, () => new Promise(() => undefined), true);
  const result = await switchOver({ record: shard.record(), shard: 1, to: 2 }, dead);
  assert.ok(result.kind === "done");
  assert.ok(result.timings.heldMs < 1_000, `clients waited ${result.timings.heldMs} ms for a node that is dead`);
  assert.deepEqual(result.unreleased, [2]);
  assert.equal(shard.shard().primary, 2);
});

for (const step of SWITCHOVER_STEPS.slice(SWITCHOVER_STEPS.indexOf("intend")))
  test(`a leader that dies before "${step}" has a successor that resolves the intent`, async () => {
    await using shard = await startShard([...PAIR, OLDEST]);
    const load = await shard.startLoad();
    await load.more();
    const frozen = freezeAt(step);
    const stale = switchOver({ record: shard.record(), shard: 1, to: 2 }, shard.ports(frozen.before));
    await frozen.reached;
    const resolved = await resolveIntent({ record: shard.record(), shard: 1, targetDead: false }, shard.ports());
    const wanted =
      step === "intend" ? "nothing" : SWITCHOVER_STEPS.indexOf(step) > PROMOTION ? "finished" : "taken-back";
    assert.equal(resolved.kind, wanted);
    await load.more();
    await shard.requireOnePrimary();
    assert.equal(shard.shard().primary, wanted === "finished" ? 2 : 1);
    if (step === "intend") return;

    frozen.thaw();
    assert.notEqual((await stale).kind, "refused");
    await load.more();
    await shard.requireOnePrimary();
    assert.equal(shard.shard().primary, wanted === "finished" ? 2 : 1);
    await load.requireNothingLost();
  });

test("leaders may die one after the other, at every step, and the next switchover succeeds", async () => {
  await using shard = await startShard([NEWER, NEWER, NEWER]);
  const load = await shard.startLoad();
  for (const step of SWITCHOVER_STEPS.slice(SWITCHOVER_STEPS.indexOf("prepare"))) {
    const frozen = freezeAt(step);
    const to = shard.shard().primary === 1 ? 2 : 1;
    const request = { record: shard.record(), shard: 1, to };
    const stale = switchOver(request, shard.ports(frozen.before));
    await frozen.reached;
    await resolveIntent({ record: shard.record(), shard: 1, targetDead: false }, shard.ports());
    frozen.thaw();
    await load.more();
    const next = shard.shard().primary === 1 ? 3 : 1;
    await until("a replica is in sync", async () => (await move(shard, next)).kind === "done");
    await stale;
    await load.more();
    await shard.requireOnePrimary();
  }
  await load.requireNothingLost();
});

test("resolving an intent twice is resolving it once", async () => {
  await using shard = await startShard(PAIR);
  const frozen = freezeAt("release");
  void switchOver({ record: shard.record(), shard: 1, to: 2 }, shard.ports(frozen.before));
  await frozen.reached;
  const begun = shard.record();
  assert.equal((await resolveIntent({ record: begun, shard: 1, targetDead: false }, shard.ports())).kind, "finished");
  const again = await resolveIntent({ record: shard.record(), shard: 1, targetDead: false }, shard.ports());
  assert.equal(again.kind, "nothing");
  assert.equal((await resolveIntent({ record: begun, shard: 1, targetDead: false }, shard.ports())).kind, "finished");
  await shard.requireOnePrimary();
});

test("a target that hangs at its promotion leaves the intent open until it answers", async () => {
  await using shard = await startShard(PAIR);
  const target = shard.engine(2);
  const hanging = (at: SwitchoverStep): Promise<void> => {
    if (at === "promote") process.kill(target.pid, "SIGSTOP");
    return Promise.resolve();
  };
  const result = await switchOver({ record: shard.record(), shard: 1, to: 2 }, shard.ports(hanging));
  assert.deepEqual([result.kind, result.kind === "unresolved" && result.step], ["unresolved", "promote"]);
  const open = await resolveIntent({ record: shard.record(), shard: 1, targetDead: false }, shard.ports());
  assert.equal(open.kind, "waiting");
  process.kill(target.pid, "SIGCONT");
  const closed = await resolveIntent({ record: shard.record(), shard: 1, targetDead: false }, shard.ports());
  assert.match(closed.kind, /finished|taken-back/);
  await shard.requireOnePrimary();
});

test("a target that died after its promotion is given up, and the loss is reported", async () => {
  await using shard = await startShard(PAIR);
  const frozen = freezeAt("commit");
  void switchOver({ record: shard.record(), shard: 1, to: 2 }, shard.ports(frozen.before));
  await frozen.reached;
  await shard.engine(2).stop();
  const resolved = await resolveIntent({ record: shard.record(), shard: 1, targetDead: true }, shard.ports());
  assert.equal(resolved.kind, "taken-back");
  assert.equal((await shard.engine(1).replication()).role, "primary");
  assert.equal(await shard.request("SET", "k", "v"), "OK");
  assert.match(shard.record().lossReports.join(), /died right after it was promoted/);
});

function move(shard: TestShard, to: number): Promise<SwitchoverResult> {
  return switchOver({ record: shard.record(), shard: 1, to, rollback: to === 1 }, shard.ports());
}

/** The ports of a shard whose second proxy is reached in another way. */
function secondProxy(
  shard: TestShard,
  way: (command: ProxyCommand, send: ProxyPort["send"]) => Promise<ProxyReply>,
  gone = false,
): ShardPorts {
  const ports = shard.ports();
  const proxies = ports.proxies.map((proxy) =>
    proxy.node === 2
      ? { ...proxy, isDead: () => gone, send: (command: ProxyCommand) => way(command, proxy.send) }
      : proxy,
  );
  return { ...ports, proxies };
}

async function requireAsBefore(shard: TestShard, load: ShardLoad): Promise<void> {
  assert.deepEqual([shard.shard().primary, shard.shard().epoch, shard.shard().switchover], [1, 1, undefined]);
  await load.more();
  await shard.requireOnePrimary();
  await load.requireNothingLost();
}

/** A leader that is suspended before a step, until it thaws. */
function freezeAt(step: SwitchoverStep): {
  before: (at: SwitchoverStep) => Promise<void>;
  reached: Promise<undefined>;
  thaw: () => void;
} {
  const reached = Promise.withResolvers<undefined>();
  const thawed = Promise.withResolvers<undefined>();
  return {
    before: async (at) => {
      if (at !== step) return;
      reached.resolve(undefined);
      await thawed.promise;
    },
    reached: reached.promise,
    thaw: () => {
      thawed.resolve(undefined);
    },
  };
}

function nameOf(start: string): string {
  const names = engineNames();
  const found = names.find((name) => name.startsWith(start)) ?? names[0];
  assert.ok(found !== undefined, "no engine: run npm run setup");
  return found;
}
