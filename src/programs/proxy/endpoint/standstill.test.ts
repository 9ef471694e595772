import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "#kit/testing/until";
import { atEngine } from "../../../../test/kit/engines/at-engine.ts";
import { done } from "../../../../test/kit/engines/proxy.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import { suspend } from "../../../../test/kit/engines/suspend.ts";

const DEADLINE_MS = 1_000;

test("a hold is drained when the replies came while the proxy stood still, for longer than the drain may take", async () => {
  await using served = await Served.start();
  const client = await served.client();
  await done(served.prepare());
  using primary = await suspend(served.primary);
  await atEngine(served.proxy, 1, () => {
    client.send("INCR", "n");
  });
  const holding = served.hold({ drainMs: DEADLINE_MS });
  await until("clients are held", async () => (await served.proxy.stats()).held);
  await standStill(served, primary.resume);
  assert.equal((await done(holding)).op, "hold");
  assert.equal(await client.read(), 1);
  await done(served.abort());
});

test("a drain lets clients have the replies that came while the proxy stood still, for longer than the drain may take", async () => {
  await using served = await Served.start();
  const client = await served.client();
  await client.ask("PING");
  using primary = await suspend(served.primary);
  await atEngine(served.proxy, 1, () => {
    client.send("INCR", "n");
  });
  const draining = served.proxy.send({ op: "drain", deadlineMs: DEADLINE_MS });
  await until("no client is accepted", async () => !(await served.proxy.stats()).listening);
  await standStill(served, primary.resume);
  assert.equal(await client.read(), 1);
  assert.equal(await client.read(), undefined);
  client.end();
  assert.deepEqual(await draining, { ok: true, op: "drain", closed: 1, remaining: 0 });
});

/** Stops the proxy until its deadline is long over; the engine answers meanwhile. */
async function standStill({ proxy, primary }: Served, answer: () => void): Promise<void> {
  using stopped = await suspend(proxy);
  const since = performance.now();
  answer();
  await until("the engine has answered", async () => (await primary.call("GET", "n")) === "1");
  await until("the deadline is over", () => performance.now() - since > 2 * DEADLINE_MS);
  stopped.resume();
}
