import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { jsonLog } from "#kit/base/log";
import { until } from "#kit/testing/until";
import { TableScene } from "../../../../test/kit/mover/table-scene.ts";
import { mustSwitch, requireAsBefore, switchNow } from "../../../../test/kit/mover/table-turns.ts";
import { primaryOf } from "../../../core/planner/database/facts.ts";
import { withoutFurtherShards } from "../../../core/records/reshape-record.ts";
import type { ProxyCommand, ProxyReply } from "../../../ports/management/proxy-control.ts";
import type { ProxyPort } from "./ports.ts";
import { resolveTable } from "./table-resolve.ts";
import { TABLE_STEPS, type TablePorts, type TableStep } from "./table-ports.ts";

const GET = "return redis.call('GET', KEYS[1])";
const READS = [
  ["GET", "k"],
  ["MGET", "k"],
  ["EVAL", GET, "1", "k"],
  ["EVAL_RO", GET, "1", "k"],
  ["MULTI"],
  ["GET", "k"],
  ["EXEC"],
  ["MULTI"],
  ["EVAL", GET, "1", "k"],
  ["EXEC"],
];

const FIRST = TABLE_STEPS.indexOf("intend");
const PROMOTE = TABLE_STEPS.indexOf("promote");

test("one shard becomes three and then two while clients write: no write is lost, and no request fails", async () => {
  await using scene = await TableScene.start(1);
  const load = await scene.startLoad();
  for (const shards of [3, 2]) {
    await load.more();
    await scene.fill(shards);
    await mustSwitch(scene, load);
    assert.equal(scene.record.shards.length, shards);
    await scene.change(withoutFurtherShards);
  }
  await load.requireNothingLost();
});

test("the log says for how long clients were held, as it does of other moves", async () => {
  await using scene = await TableScene.start(1);
  await scene.fill(2);
  const lines: string[] = [];
  const log = jsonLog(
    (line) => lines.push(line),
    () => new Date(),
  );
  const result = await switchNow(scene, { ...scene.ports(), log });
  assert.ok(result.kind === "done");
  const said: unknown = JSON.parse(lines.find((line) => line.includes("other shards serve")) ?? "{}");
  assert.deepEqual(said, { ...Object(said), heldMs: result.heldMs });
});

for (const step of TABLE_STEPS.slice(FIRST, PROMOTE + 1))
  test(`a failure at "${step}" lets the former shards serve as before, and the next switch succeeds`, async () => {
    await using scene = await TableScene.start(2);
    const load = await scene.startLoad();
    await scene.fill(3);
    const result = await switchNow(scene, scene.ports(failAt(step)));
    assert.ok(result.kind === "aborted", JSON.stringify(result));
    assert.deepEqual([result.step, result.reason], [step, "planted"]);
    await requireAsBefore(scene, load);
    await mustSwitch(scene, load);
    await load.requireNothingLost();
  });

test("nothing is asked of the Kubernetes API while clients are held", async () => {
  await using scene = await TableScene.start(2);
  const load = await scene.startLoad();
  await scene.fill(3);
  const order: string[] = [];
  const ports = scene.ports(async (step) => void order.push(step));
  const change: TablePorts["change"] = (next) => {
    order.push("record");
    return ports.change(next);
  };
  const result = await switchNow(scene, { ...ports, change });
  assert.equal(result.kind, "done", JSON.stringify(result));
  const written = order.flatMap((what, at) => (what === "record" ? [order[at - 1]] : []));
  assert.deepEqual(written, ["intend", "commit"]);
  await load.requireNothingLost();
});

test("a record that cannot be stored after the release leaves clients where they are, and the next pass enters it", async () => {
  await using scene = await TableScene.start(2);
  const load = await scene.startLoad();
  await scene.fill(3);
  let isAway = false;
  const ports = scene.ports(async (step) => {
    isAway = step === "commit";
  });
  const change: TablePorts["change"] = (next) =>
    isAway ? Promise.reject(new Error("the API is away")) : ports.change(next);
  const result = await switchNow(scene, { ...ports, change });
  assert.ok(result.kind === "unresolved" && result.step === "commit", JSON.stringify(result));
  await load.more();
  await scene.configure(); // a node that reads the record still finds the former table there
  await load.more();
  await resolveTable({ record: scene.record, isDead: () => false }, scene.ports());
  assert.equal(scene.record.reshape?.phase, "retire");
  await load.more();
  await scene.requireOneTable();
  await load.requireNothingLost();
});

test("clients of a switch that goes back wait for no record, and are held for no longer than they are", async () => {
  await using scene = await TableScene.start(2);
  const load = await scene.startLoad();
  await scene.fill(3);
  let delayMs = 0;
  const ports = scene.ports((at) => {
    if (at !== "reach") return Promise.resolve();
    delayMs = 3_000;
    return Promise.reject(new Error("planted"));
  });
  const result = await switchNow(
    scene,
    slowRecords(ports, () => delayMs),
  );
  assert.ok(result.kind === "aborted" && result.heldMs < 2_000, JSON.stringify(result));
  await requireAsBefore(scene, load);
  const longestMs = await load.requireNothingLost();
  assert.ok(longestMs < 2_500, `${longestMs} ms`);
});

test("keys that a script has written at the wrong shard are left behind once a user agrees, and not before", async () => {
  await using scene = await TableScene.start(2);
  const load = await scene.startLoad();
  const [first] = scene.record.shards;
  assert.ok(first !== undefined);
  const engine = scene.engineOf(primaryOf(first));
  await engine.call("SET", "a", 1); // its slot is the other shard's
  await scene.fill(3);
  const refused = await switchNow(scene);
  assert.ok(refused.kind === "refused" && refused.obstacle?.id === "KeysMisplaced", JSON.stringify(refused));
  assert.match(refused.obstacle.evidence, /shard 1 has 1, for instance "a"/);
  await engine.call("DEL", "a");
  await until("the mover knows that the key is gone", async () => {
    const reply = await scene.ask();
    return reply.ok && reply.op === "status" && reply.status.sources.every(({ misplaced }) => misplaced === undefined);
  });
  const late = await switchNow(
    scene,
    scene.ports(async (step) => {
      if (step === "pause") await engine.call("SET", "{a}2", 1);
    }),
  );
  assert.ok(late.kind === "aborted" && late.step === "reach" && late.reason.includes("{a}2"), JSON.stringify(late));
  await requireAsBefore(scene, load);
  await scene.change((record) => ({ ...record, mayDiscardMisplaced: true }));
  await mustSwitch(scene, load);
  assert.equal(scene.record.mayDiscardMisplaced, undefined, "it does not hold for another change");
  await load.requireNothingLost();
});

test("a proxy that does not hold stops the switch, unless its node is known to be dead", async () => {
  await using scene = await TableScene.start(1);
  const load = await scene.startLoad();
  await scene.fill(2);
  const refusal = { ok: false, code: "PROXY_TEST", message: "refused by the test" } as const;
  const silent = secondProxy(scene, (command, send) =>
    command.op === "hold-table" ? Promise.resolve(refusal) : send(command),
  );
  const result = await switchNow(scene, silent);
  assert.ok(result.kind === "aborted" && result.step === "hold", JSON.stringify(result));
  assert.match(result.reason, /proxy of node 2/);
  await requireAsBefore(scene, load);
  const dead = secondProxy(scene, () => new Promise(() => undefined), true);
  const done = await switchNow(scene, dead);
  assert.ok(done.kind === "done", JSON.stringify(done));
  assert.deepEqual(done.unreleased, [2]);
  await scene.configure();
  await load.more();
  await load.requireNothingLost();
});

test("a proxy that was away while clients were held reads nothing that others have changed since", async () => {
  await using scene = await TableScene.start(2);
  const [present, away] = [await scene.client(0), await scene.client(1)];
  assert.equal(await away.ask("SET", "k", "before"), "OK");
  await scene.fill(3);
  const former = scene.record.shards.map((shard) => scene.engineOf(primaryOf(shard)));
  const dead = secondProxy(scene, () => new Promise(() => undefined), true);
  assert.equal((await switchNow(scene, dead)).kind, "done");
  assert.equal(await present.ask("SET", "k", "after"), "OK");
  // its grant goes on, as that of a worker which was started meanwhile and has read the record before
  for (const request of READS) away.send(...request);
  await until("a former primary has refused to read", async () => {
    const stats = await Promise.all(former.map((engine) => engine.call("INFO", "errorstats")));
    return stats.some((text) => String(text).includes("errorstat_MASTERDOWN"));
  });
  await scene.configure();
  const found = await away.readMany(READS.length);
  const executed = ["OK", "QUEUED", ["after"]];
  assert.deepEqual(found, ["after", ["after"], "after", "after", ...executed, ...executed]);
  present.close();
  away.close();
});

test("a mover that follows a primary which another one has replaced does not count", async () => {
  await using scene = await TableScene.start(1);
  await scene.fill(2);
  const [shard] = scene.record.shards;
  assert.ok(shard !== undefined);
  const source = scene.engineOf(primaryOf(shard));
  const other = await scene.addEngine();
  await scene.engineOf(other).follow(source);
  await scene.engineOf(other).call("REPLICAOF", "NO", "ONE");
  await scene.change((record) => ({
    ...record,
    shards: [{ ...shard, epoch: 2, primary: other.id, instances: [other] }],
  }));
  const result = await switchNow(scene);
  assert.ok(result.kind === "refused");
  assert.match(result.reason, /another primary of shard 1/);
});

/** A Kubernetes API that takes its time for each record. */
function slowRecords(ports: TablePorts, delayMs: () => number): TablePorts {
  return {
    ...ports,
    change: async (change) => {
      await sleep(delayMs());
      return ports.change(change);
    },
  };
}

function failAt(step: TableStep): (at: TableStep) => Promise<void> {
  return (at) => (at === step ? Promise.reject(new Error("planted")) : Promise.resolve());
}

/** The ports of a scene whose second proxy is reached in another way. */
function secondProxy(
  scene: TableScene,
  way: (command: ProxyCommand, send: ProxyPort["send"]) => Promise<ProxyReply>,
  gone = false,
): TablePorts {
  const ports = scene.ports();
  const proxies = ports.proxies.map((proxy) =>
    proxy.node === 2
      ? { ...proxy, isDead: () => gone, send: (command: ProxyCommand) => way(command, proxy.send) }
      : proxy,
  );
  return { ...ports, proxies };
}
