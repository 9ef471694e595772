import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonLog } from "#kit/base/log";
import { TableScene } from "../../../../test/kit/mover/table-scene.ts";
import { mustSwitch, requireAsBefore, switchNow } from "../../../../test/kit/mover/table-turns.ts";
import { primaryOf } from "../../../core/planner/database/facts.ts";
import { withoutFurtherShards } from "../../../core/records/reshape-record.ts";
import type { ProxyCommand, ProxyReply } from "../../../ports/management/proxy-control.ts";
import type { ProxyPort } from "./ports.ts";
import { TABLE_STEPS, type TablePorts, type TableStep } from "./table-ports.ts";

const FIRST = TABLE_STEPS.indexOf("intend");
const COMMIT = TABLE_STEPS.indexOf("commit");

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

for (const step of TABLE_STEPS.slice(FIRST, COMMIT + 1))
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
