import assert from "node:assert/strict";
import { test } from "node:test";
import { createCluster } from "@redis/client";
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
    await using nodes = await startNodes();
    // it knows the node without the primary
    const known = { host: nodes.hosts[1] ?? "", port: PORT };
    await using client = startRecorder(library, known, "client", "cluster");
    await until("requests come to the first node", async () => (await busiestOf(nodes.proxies)) === 0, PATIENCE);
    await nodes.move();
    await until("requests come to the second node", async () => (await busiestOf(nodes.proxies)) === 1, PATIENCE);
    // each slot that it uses may cost one request more
    const areNone = async (): Promise<boolean> => {
      const before = await forwardedBy(nodes.proxies);
      return (await busiestOf(nodes.proxies)) === 1 && (await forwardedBy(nodes.proxies)) === before;
    };
    await until("no request is forwarded", areNone, PATIENCE);
    await client.stop();
    assert.deepEqual(client.failures, []);
  });

test("node-redis knows where the slots are by SMIGRATED, without a request", async () => {
  await using nodes = await startNodes();
  const [first = "", second = ""] = nodes.hosts;
  const client = createCluster({
    rootNodes: [{ socket: { host: first, port: PORT } }],
    defaults: { maintNotifications: "enabled" },
  });
  client.on("error", (error: Error) => assert.fail(error));
  await client.connect();
  await client.set("key", "1");
  const knows = (host: string): boolean =>
    client.slots.every(({ master }) => master.address === `${host}:${CLUSTER_PORT}`);
  assert.ok(knows(first));
  await nodes.move();
  await until("it knows the second node", () => knows(second), PATIENCE);
  await client.close();
});

/** Two nodes, each with an engine and a proxy, of a database whose clients see a cluster; the first has the primary. */
async function startNodes() {
  const hosts = [loopbackAddress(), loopbackAddress()];
  await using stack = new AsyncDisposableStack();
  const [first, second] = await startAll(...hosts.map((host) => startEngine({ host })));
  for (const engine of [first, second]) if (engine !== undefined) stack.use(engine);
  assert.ok(first !== undefined && second !== undefined);
  await second.follow(first);
  const nodes = hosts.map((host, at) => ({ node: at + 1, host }));
  const settings = endpointSettings(settingsWith({ ossCluster: true }));
  const proxies: TestProxy[] = [];
  for (const { node, host } of nodes) {
    const proxy = stack.use(await startProxy());
    const more = { node, listen: { host, port: PORT }, clusterPort: CLUSTER_PORT, nodes, settings };
    await done(proxy.send({ op: "configure", endpoints: [endpointFor(first, more)] }));
    proxies.push(proxy);
  }
  const all = stack.move();
  return {
    hosts,
    proxies,
    move: async () => {
      await second.call("REPLICAOF", "NO", "ONE");
      for (const proxy of proxies)
        await done(proxy.send({ op: "release", bdb: 1, epoch: 2, target: addressOf(second) }));
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

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
