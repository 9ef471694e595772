import assert from "node:assert/strict";
import { endpointSettings } from "../../../src/core/api/settings/effects.ts";
import type { Reply } from "../../../src/ports/resp/reply.ts";
import type { EndpointConfig } from "../../../src/ports/management/proxy-control.ts";
import { loopbackAddress, startEngine, type TestEngine } from "../engines/engine.ts";
import { addressOf, done, endpointFor, startProxy } from "../engines/proxy.ts";
import { plain, RawClient } from "../engines/raw-client.ts";
import { startAll } from "../engines/start-all.ts";
import { settingsWith } from "../facts/settings.ts";
import { shardedEndpoint } from "./sharded.ts";

/** Where all clients of such a database connect, and where those of a cluster do. */
export const [PLAIN_PORT, CLUSTER_PORT] = [10_000, 19_999];
/** Of two shards with even slots, the first has `b`, the second `a`. */
export const [IN_FIRST, IN_SECOND] = ["b", "a"];
/** Of a database whose clients see a cluster. */
export const CLUSTER_SETTINGS = endpointSettings(settingsWith({ ossCluster: true }));

/** Two nodes, each with an engine and a proxy, whose clients see a cluster. */
export async function startClusterNodes({
  shards = 2,
  engine,
}: { readonly shards?: number; readonly engine?: string } = {}) {
  const hosts = [loopbackAddress(), loopbackAddress()];
  const engines = await startAll(...hosts.map((host) => startEngine({ host, engine })));
  const proxies = await startAll(startProxy(), startProxy());
  const served = engines.slice(0, shards);
  const nodes = hosts.map((host, at) => ({ node: at + 1, host }));
  const endpoints = nodes.map(({ node, host }): EndpointConfig => {
    const more = {
      node,
      listen: { host, port: PLAIN_PORT },
      clusterPort: CLUSTER_PORT,
      nodes,
      settings: CLUSTER_SETTINGS,
    };
    return shards === 1 ? endpointFor(served[0], more) : shardedEndpoint(served, more);
  });
  for (const [at, proxy] of proxies.entries())
    await done(proxy.send({ op: "configure", endpoints: endpoints.slice(at, at + 1) }));
  return {
    engines,
    proxies,
    endpoints,
    client: async (node: number, port = CLUSTER_PORT) => {
      const client = await RawClient.connect({ host: hosts[node - 1] ?? "", port });
      assert.equal(await client.ask("PING"), "PONG", "it is accepted");
      return client;
    },
    /** The first shard goes to another engine. */
    move: async (target: TestEngine, epoch: number) => {
      for (const proxy of proxies)
        await done(proxy.send({ op: "release", bdb: 1, shard: 1, epoch, target: addressOf(target) }));
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...engines, ...proxies].map((one) => one.stop()));
    },
  };
}

/** The address of the node of an engine, as the map names it. */
export function at(address: { readonly host: string } | undefined): string {
  return `${String(address?.host)}:${CLUSTER_PORT}`;
}

/** A reply as text; of an error, what it says. */
export function text(reply: unknown): string {
  const said = plain(reply as Reply);
  return String(said).replace(/^-/, "");
}

/** The elements of a reply as texts. */
export function texts(reply: unknown): readonly string[] {
  return (Array.isArray(reply) ? reply : []).map(text);
}
