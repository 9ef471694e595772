import assert from "node:assert/strict";
import { once } from "node:events";
import { get } from "node:http";
import { test } from "node:test";
import { survivesFlood } from "../../../../test/kit/network/flood.ts";
import { serveHealth } from "./health.ts";
import { startMetrics } from "./metrics.ts";

test("probes and metrics are served", async () => {
  let ready = false;
  let now = 0;
  const metrics = startMetrics("8.2.0-12", () => now);
  const reconcile = metrics.counted("cluster", async () => {
    now += 250;
    throw new Error("no luck");
  });
  const health = await serveHealth(
    { unready: () => (ready ? undefined : "starting"), metrics: () => metrics.text() },
    { host: "127.0.0.1", port: 0 },
  );
  const ask = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${health.port}${path}`);
  try {
    assert.equal((await ask("/liveness")).status, 200);
    const unready = await ask("/readiness");
    assert.deepEqual([unready.status, await unready.text()], [503, "starting\n"]);
    ready = true;
    assert.equal((await ask("/readiness")).status, 200);
    await assert.rejects(reconcile("default/rec"));
    const text = await (await ask("/metrics")).text();
    assert.match(text, /store_operator_info\{release="8\.2\.0-12"\} 1/);
    assert.match(text, /store_operator_pass_failures_total\{controller="cluster"\} 1/);
    assert.match(text, /store_operator_pass_seconds_total\{controller="cluster"\} 0\.25/);
    assert.equal((await ask("/nothing")).status, 404);
  } finally {
    await health.close();
  }
});

test("strangers that hold connections to the metrics take those of their address, for ten seconds", async () => {
  const health = await serveHealth({ unready: () => undefined, metrics: () => "" }, { host: "127.0.0.1", port: 0 });
  await using _health = { [Symbol.asyncDispose]: () => health.close() };
  const { port } = health;
  const ask = (localAddress: string) =>
    once(get({ host: "127.0.0.1", port, localAddress, path: "/metrics" }), "response");
  await survivesFlood({ host: "127.0.0.1", port, ofAddress: 32, silentMs: 10_000, ask });
});
