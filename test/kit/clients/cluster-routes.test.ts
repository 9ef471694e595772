import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "#kit/testing/until";
import { endpointSettings } from "../../../src/core/api/settings/effects.ts";
import { loopbackAddress, startEngine } from "../engines/engine.ts";
import { addressOf, done, endpointFor, startProxy, type TestProxy } from "../engines/proxy.ts";
import { startAll } from "../engines/start-all.ts";
import { settingsWith } from "../facts/settings.ts";
import { libraries } from "./libraries.ts";
import { startRecorder } from "./recorders.ts";

const PORT = 10_000;
const CLUSTER_PORT = 19_999;
const PATIENCE = { withinMs: 60_000, everyMs: 50 };
/** So many requests at both nodes together show where a client sends them. */
const LOOKED_AT = 40;
const { found, missing } = await libraries(["ioredis", "node-redis", "redis-py", "go-redis"]);

for (const library of found)
  test(`${library.name} in cluster mode sends its requests to the node of the primary, and loses none when that moves`, async () => {
    const hosts = [loopbackAddress(), loopbackAddress()];
    const [first, second] = await startAll(...hosts.map((host) => startEngine({ host })));
    await using stack = new AsyncDisposableStack();
    for (const engine of [first, second]) if (engine !== undefined) stack.use(engine);
    assert.ok(first !== undefined && second !== undefined);
    await second.follow(first);
    const nodes = hosts.map((host, at) => ({ node: at + 1, host }));
    const settings = endpointSettings(settingsWith({ ossCluster: true }));
    const proxies: TestProxy[] = [];
    for (const { node, host } of nodes) {
      const proxy = stack.use(await startProxy());
      const more = { node, listen: { host, port: PORT }, clusterPort: CLUSTER_PORT, nodes, settings };
      const endpoint = endpointFor(first, more);
      await done(proxy.send({ op: "configure", endpoints: [endpoint] }));
      proxies.push(proxy);
    }
    // it knows the node without the primary
    const client = stack.use(startRecorder(library, { host: hosts[1] ?? "", port: PORT }, "client", "cluster"));
    await until("requests come to the first node", async () => (await busiestOf(proxies)) === 0, PATIENCE);
    await second.call("REPLICAOF", "NO", "ONE");
    for (const proxy of proxies) await done(proxy.send({ op: "release", bdb: 1, epoch: 2, target: addressOf(second) }));
    await until("requests come to the second node", async () => (await busiestOf(proxies)) === 1, PATIENCE);
    // each slot that it uses may cost one request more
    const areNone = async (): Promise<boolean> => {
      const before = await forwardedBy(proxies);
      return (await busiestOf(proxies)) === 1 && (await forwardedBy(proxies)) === before;
    };
    await until("no request is forwarded", areNone, PATIENCE);
    await client.stop();
    assert.deepEqual(client.failures, []);
  });

for (const why of missing) test(`a library is missing: ${why}`, { skip: true }, () => undefined);

/** Requests that came to another node than that of their engine so far. */
async function forwardedBy(proxies: readonly TestProxy[]): Promise<number> {
  const counts = await Promise.all(proxies.map(async (proxy) => (await proxy.stats()).counted?.forwarded ?? 0));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The place of the proxy that nearly all of the next requests come to; undefined when they come to both. */
async function busiestOf(proxies: readonly TestProxy[]): Promise<number | undefined> {
  const counts = (): Promise<readonly number[]> =>
    Promise.all(proxies.map(async (proxy) => (await proxy.stats()).requests));
  const before = await counts();
  let more: readonly number[] = [];
  const areEnough = async (): Promise<boolean> => {
    more = (await counts()).map((count, at) => count - (before[at] ?? 0));
    return more.reduce((sum, count) => sum + count, 0) >= LOOKED_AT;
  };
  await until("the client has sent some requests", areEnough, PATIENCE);
  const most = Math.max(...more);
  return most > 0.8 * more.reduce((sum, count) => sum + count, 0) ? more.indexOf(most) : undefined;
}
