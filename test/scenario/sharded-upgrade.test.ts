import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "#kit/testing/until";
import type { DatabaseStatus } from "../../src/core/api/database-status.ts";
import { runScenario } from "../../src/programs/demo/scenario.ts";
import { DEMO } from "../../src/programs/demo/steps/objects.ts";
import { Databases } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { startStoryWorld } from "../kit/world/story-world.ts";

// A database of two shards, as users make it, goes through all three stages of an upgrade.

const ORDERS = { name: DEMO.database, namespace: DEMO.namespace };
const PATIENCE = { withinMs: 60_000, everyMs: 100 };

await using play = await startStoryWorld();
const { kube } = play.world;

await test("operator, cluster and a database of two shards are upgraded under load: nothing failed, nothing lost", async () => {
  const receipt = await runScenario(play.stage, {
    older: play.older,
    latest: play.latest,
    fromVersion: "7.2",
    toVersion: "8.0",
    releases: play.releases,
    connections: 20,
    shards: 2,
    gapMs: 10,
    restMs: 1_000,
  }).catch((error: unknown) => {
    throw new Error(play.said(), { cause: error });
  });
  assert.equal(receipt.verdict, "passed", `${JSON.stringify(receipt, undefined, 1)}\n${play.said()}`);
  const figures = [receipt.failedRequests, receipt.lostWrites, receipt.incrementDrift, receipt.staleReads];
  assert.deepEqual(figures, [0, 0, 0, 0]);
});

await test("the status shows each shard: its slots, its version, and its copies on two nodes", async () => {
  const areActive = async (): Promise<boolean> => (await status()).shards?.every(isWhole) === true;
  await until("each shard is active at the next version", areActive, PATIENCE);
  const { shards = [] } = await status();
  assert.deepEqual(
    shards.map(({ slots, storeVersion, state }) => [slots, storeVersion, state]),
    [
      ["0-8191", "8.0", "active"],
      ["8192-16383", "8.0", "active"],
    ],
  );
  for (const { primary, replicas } of shards) assert.equal(new Set([primary, ...replicas]).size, 2);
});

await test("more shards than its memory has room for are refused with the figures, and the database goes on", async () => {
  await kube.patch(Databases, ORDERS, { type: "merge", body: { spec: { shardCount: 200 } } });
  let refused: DatabaseStatus = {};
  const isRefused = async (): Promise<boolean> => (refused = await status()).findings?.[0]?.id === "SpecInvalid";
  await until("it is refused", isRefused, PATIENCE);
  const { findings = [], shards = [] } = refused;
  assert.match(findings[0]?.evidence ?? "", /200 shards need at least 4000 MB together/);
  assert.equal(shards.length, 2);
});

await test("two shards become one as the object says", async () => {
  // the nodes of this world have no room for twice the memory
  await kube.patch(Databases, ORDERS, { type: "merge", body: { spec: { shardCount: 1, memorySize: "100MB" } } });
  const isDone = async (): Promise<boolean> => {
    const { status: state, shards = [] } = await status();
    const [first, ...others] = shards;
    return state === "active" && others.length === 0 && first?.slots === "0-16383" && isWhole(first);
  };
  await until("it is active with one shard and its replica", isDone, { ...PATIENCE, withinMs: 180_000 });
});

function isWhole({ state, storeVersion, replicas }: NonNullable<DatabaseStatus["shards"]>[number]): boolean {
  return state === "active" && storeVersion === "8.0" && replicas.length > 0;
}

async function status(): Promise<DatabaseStatus> {
  return (await kube.get(Databases, ORDERS))?.status ?? {};
}
