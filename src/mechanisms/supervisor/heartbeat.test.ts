import assert from "node:assert/strict";
import { test } from "node:test";
import { loopbackAddress } from "../../../test/kit/engines/engine.ts";
import { callInstance, superviseNode } from "../../../test/kit/engines/supervised-node.ts";
import { systemClock } from "#kit/reconcile/system-clock";
import { until } from "#kit/testing/until";
import { textOf } from "../../ports/resp/reply.ts";
import { watchHeartbeat } from "./heartbeat.ts";

test("an engine that replicas follow is asked often, one without replicas seldom, and often as soon as there are some", async () => {
  await using node = await superviseNode({ everyMs: 20, calmMs: 60_000 });
  const wanted = node.primary();
  const asked = async (): Promise<number> => {
    const stats = textOf(await callInstance(wanted, "INFO", "commandstats"));
    return Number(/^cmdstat_info:calls=(\d+)/m.exec(stats)?.[1] ?? 0);
  };
  await node.serve(wanted);
  await until("its pings have become few", async () => {
    const before = await asked();
    await Promise.all(Array.from({ length: 20 }, () => callInstance(wanted, "PING")));
    return (await asked()) - before <= 1; // the question here is one of them
  });
  const before = await asked();
  await node.reconcile([{ ...wanted, isFollowed: true }]);
  await until("it is asked often", async () => (await asked()) - before > 20);
  assert.ok(node.supervisor.replicationOf(1, 1)?.info.includes("role:master"));
});

test("an engine is not taken for one that hangs by the time in which its agent stood still", async () => {
  let [asked, now] = [0, 0];
  const nowhere = { host: loopbackAddress(), port: 20_001 };
  const end = await watchHeartbeat({
    address: () => {
      asked += 1;
      now += 60_000;
      return nowhere;
    },
    limits: { readyMs: 10_000, silentMs: 10_000, everyMs: 500, calmMs: 2_000 },
    isFollowed: () => true,
    clock: { ...systemClock, uptimeMs: () => now, sleep: () => Promise.resolve() },
    onPong: () => assert.fail("nothing listens there"),
    onReplication: () => undefined,
    onBusy: () => undefined,
    signal: new AbortController().signal,
  });
  assert.deepEqual([end, asked], ["silent", 4]);
});
