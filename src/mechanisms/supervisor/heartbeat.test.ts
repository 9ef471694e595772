import assert from "node:assert/strict";
import { test } from "node:test";
import { callInstance, superviseNode } from "../../../test/kit/engines/supervised-node.ts";
import { until } from "#kit/testing/until";
import { textOf } from "../../ports/resp/reply.ts";

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
