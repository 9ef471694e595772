import assert from "node:assert/strict";
import { test } from "node:test";
import { RawClient } from "../kit/engines/raw-client.ts";
import { until } from "#kit/testing/until";
import { startTestCluster } from "../kit/world/cluster.ts";

const PATIENCE = { withinMs: 60_000, everyMs: 20 };
/** Their comparison takes some seconds: what an engine has to say at once is little, and pauses lie between. */
const ELEMENTS = 600_000;
const BATCH = 5_000;
const COMPARING = "the content of the 8.0 replica on node ";

await using cluster = await startTestCluster();
const body = { name: "large", memory_size: 400_000_000, redis_version: "7.2", replication: true } as const;
const { uid, port } = await cluster.create(body);

await test("while a replica is compared before a move to another version, the database says so, and changes and ends as at any other time", async () => {
  await fill();
  await cluster.client.call("upgradeBdb", { params: { uid }, body: { store_version: "8.0" } });
  await until(
    "it says that a replica is being compared",
    async () => (await waitsFor()).startsWith(COMPARING),
    PATIENCE,
  );
  await cluster.client.call("deleteBdb", { params: { uid } });
  const isGone = async (): Promise<boolean> => (await cluster.client.call("bdbs")).every((bdb) => bdb.uid !== uid);
  await until("it is deleted", isGone, PATIENCE);
  for (const node of [1, 2, 3]) assert.doesNotMatch(cluster.log(node), /replica compared with its primary/);
});

async function fill(): Promise<void> {
  const client = await RawClient.connect({ host: cluster.address(1), port });
  for (let from = 0; from < ELEMENTS; from += BATCH) {
    const pairs = Array.from({ length: BATCH }, (_, at) => [`f${from + at}`, "v"]);
    assert.equal(await client.ask("HSET", "hash", ...pairs.flat()), BATCH);
  }
  client.close();
}

async function waitsFor(): Promise<string> {
  return (await cluster.client.call("bdb", { params: { uid } })).waiting_for;
}
