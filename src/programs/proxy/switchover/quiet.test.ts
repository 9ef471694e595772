import assert from "node:assert/strict";
import { atEngine } from "../../../../test/kit/engines/at-engine.ts";
import { done } from "../../../../test/kit/engines/proxy.ts";
import { sharing } from "../../../../test/kit/engines/shared.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import { suspend } from "../../../../test/kit/engines/suspend.ts";
import { startLedger } from "../../../../test/kit/load/load-ledger.ts";
import { until } from "#kit/testing/until";
import type { OutstandingRequest } from "../../../ports/management/proxy-control.ts";

const test = sharing(() => Served.start());

test("an endpoint under load is quiet, and clients that are blocked disturb nothing", async (served) => {
  const blocked = await served.client();
  blocked.send("BLPOP", "none", 0);
  await using ledger = await startLedger({ ...served.endpoint.listen, connections: 20 });
  await until("clients write", () => ledger.requests() > 200);
  assert.deepEqual(await quiet(served, 2000), []);
  await until("no request takes long", async () => (await served.proxy.stats()).oldest === undefined);
  blocked.close();
});

test("an endpoint says which requests it waits for, and is quiet once they are answered", async (served) => {
  const [slow, script] = await served.clients(2);
  await script?.ask("EVAL", "return 1", 0);
  using primary = await suspend(served.primary);
  await atEngine(served.proxy, 2, () => {
    slow?.send("INCR", "slow");
    script?.send("EVAL", "return 1", 0);
  });
  await until("it is in the statistics", async () => (await served.proxy.stats()).oldest !== undefined);
  const waitsFor = await quiet(served, 100);
  assert.deepEqual(waitsFor.map(({ command }) => command).toSorted(), ["EVAL", "INCR"]);
  for (const { client, ageMs } of waitsFor) assert.ok(/^127\..*:\d+$/.test(client) && ageMs > 50, client);
  const answer = quiet(served, 5000);
  primary.resume();
  assert.deepEqual(await answer, []);
});

async function quiet({ proxy }: Served, withinMs: number): Promise<readonly OutstandingRequest[]> {
  const reply = await done(proxy.send({ op: "quiet", bdb: 1, withinMs }));
  return reply.op === "quiet" ? reply.waitsFor : assert.fail(reply.op);
}
