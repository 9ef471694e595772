import assert from "node:assert/strict";
import { test } from "node:test";
import { RawClient } from "../kit/engines/raw-client.ts";
import { until } from "#kit/testing/until";
import { startTestCluster } from "../kit/world/cluster.ts";
import { nodeOf, primaryOf } from "../kit/world/shards.ts";

await using cluster = await startTestCluster();
const { uid, port } = await cluster.create({ name: "scripts", memory_size: 50_000_000, replication: true });
const clientOf = (node: number): Promise<RawClient> => RawClient.connect({ host: cluster.address(node), port });

await test("a script that was loaded through a node that is gone is there behind an evacuation", async () => {
  const shards = await cluster.shards(uid);
  const primary = nodeOf(primaryOf(shards));
  const without = [1, 2, 3].find((node) => !shards.some((shard) => nodeOf(shard) === node)) ?? 0;
  const loader = await clientOf(without);
  const sha = String(await loader.ask("SCRIPT", "LOAD", "return 'kept'"));
  const known = async (): Promise<boolean> => {
    const body = { op: "scripts", bdb: uid, known: [] } as const;
    const reply = await cluster.clientOf(primary).call("localProxy", { body });
    return reply.ok && reply.op === "scripts" && reply.bodies.length === 1;
  };
  await until("the proxy of another node knows it", known);
  loader.close();
  await cluster.kill(without);
  await cluster.client.call("maintenanceOn", { params: { uid: primary }, body: { demote_node: true } });
  const isMoved = async (): Promise<boolean> => nodeOf(primaryOf(await cluster.shards(uid))) !== primary;
  await until("the primary has moved", isMoved, { withinMs: 60_000 });
  const next = nodeOf(primaryOf(await cluster.shards(uid)));
  const client = await clientOf(next);
  assert.equal(await client.ask("EVALSHA", sha, 0), "kept");
  client.close();
});
