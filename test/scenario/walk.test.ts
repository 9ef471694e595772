import assert from "node:assert/strict";
import { test } from "node:test";
import { runScenario } from "../../src/programs/demo/scenario.ts";
import { Clusters, Databases } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { DEMO } from "../../src/programs/demo/steps/objects.ts";
import { Pods } from "#kit/kube/builtin";
import { startAudit } from "../kit/kubernetes/audit.ts";
import { startStoryWorld } from "../kit/world/story-world.ts";
import { breakRoll } from "../kit/world/broken-roll.ts";
import { until } from "#kit/testing/until";
import { proves } from "../kit/specification/proves.ts";

test("operator, cluster and database are upgraded under load, and the database gets another number of shards, across configuration errors in mid-roll: nothing failed, nothing lost, no permission idle", async () => {
  const audit = startAudit(DEMO.cluster, DEMO.namespace);
  await using play = await startStoryWorld({ audit: audit.record });
  const walk = runScenario(play.stage, {
    older: play.older,
    latest: play.latest,
    fromVersion: "7.2",
    toVersion: "8.0",
    toShards: 2,
    releases: play.releases,
    connections: 20,
    gapMs: 10,
    restMs: 1_000,
  }).catch((error: unknown) => {
    throw new Error(play.said(), { cause: error });
  });
  const [receipt, rollWentOn] = await Promise.all([walk, breakRoll(play, play.older, play.latest)]);
  await rollWentOn();

  assert.equal(receipt.verdict, "passed", `${JSON.stringify(receipt, undefined, 1)}\n${play.said()}`);
  assert.deepEqual(
    {
      failed: receipt.failedRequests,
      lost: receipt.lostWrites,
      drift: receipt.incrementDrift,
      stale: receipt.staleReads,
    },
    { failed: 0, lost: 0, drift: 0, stale: 0 },
  );
  proves(
    "§1 operator, cluster, databases: in this order, each rolling",
    "stages of the upgrade in their order, and the requests of twenty clients that failed meanwhile: none",
  ).deepEqual(
    [receipt.stages.map(({ stage }) => stage), receipt.failedRequests],
    [["operator", "cluster", "shards", "database"], 0],
  );
  const [operator, cluster, shards, database] = receipt.stages;
  assert.deepEqual([operator?.from, operator?.to], ["7.22.2-21", "8.2.0-12"]);
  assert.deepEqual([cluster?.from, cluster?.to], ["7.22.2-14", "8.2.0-25.12"]);
  assert.deepEqual([shards?.from, shards?.to], ["1", "2"]);
  assert.notEqual(database?.from, database?.to, "the engines themselves report different versions");
  // the primary leaves each of at most two nodes once, and the database upgrade moves those of both shards once more
  assert.ok(receipt.switchovers >= 1 && receipt.switchovers <= 4, `${receipt.switchovers} switchovers`);

  const { kube } = play.world;
  const { namespace } = DEMO;
  await kube.delete(Databases, { name: DEMO.database, namespace });
  await kube.delete(Clusters, { name: DEMO.cluster, namespace });
  const isGone = async (): Promise<boolean> =>
    (await kube.get(Clusters, { name: DEMO.cluster, namespace })) === undefined &&
    (await kube.list(Pods, { namespace })).items.length === 1;
  await until("only the operator is left", isGone, { withinMs: 60_000, everyMs: 200 });
  assert.deepEqual(audit.unused(), [], "granted, and used in no part of a cluster's life");
  assert.deepEqual(audit.refused(), [], "verbs that were asked for and are granted to no account");
});
