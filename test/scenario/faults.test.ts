import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import type { DatabaseRecord } from "../../src/core/api/records.ts";
import { LABELS } from "../../src/core/api/names.ts";
import { messageOf } from "#kit/base/fault";
import { Clusters, Databases } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { DEMO } from "../../src/programs/demo/steps/objects.ts";
import { startClients, type Load, type LoadResult } from "../../src/programs/demo/load/clients.ts";
import {
  createCluster,
  createDatabase,
  installOperator,
  upgradeCluster,
  upgradeDatabase,
  upgradeOperator,
} from "../../src/programs/demo/steps/steps.ts";
import { fetchReleaseBundle } from "../../src/programs/demo/steps/release-server.ts";
import { findEndpoint } from "../../src/programs/demo/scenario.ts";
import { waitForObject } from "../../src/programs/demo/steps/wait.ts";
import { ConfigMaps, Pods, StatefulSets } from "#kit/kube/builtin";
import { step, steps } from "../kit/scenario/step.ts";
import { startStoryWorld, type StoryWorld } from "../kit/world/story-world.ts";
import { STORE } from "../kit/programs.ts";

const REC = { namespace: DEMO.namespace, name: DEMO.cluster };
const REDB = { namespace: DEMO.namespace, name: DEMO.database };

// One world, one load from the first to the last step.
test(
  "an upgrade gets over a wrong tag, a killed operator, a refused version and a killed engine",
  { skip: existsSync("/proc/self/environ") ? false : "needs /proc to find processes" },
  async () => {
    await using play = await startStoryWorld();
    await installOperator(
      play.stage,
      await fetchReleaseBundle(play.releases.bundleBaseUrl, `v${play.older.operator}`),
      play.older,
    );
    await createCluster(play.stage, play.older);
    await createDatabase(play.stage, "7.2");
    using clients = await connectClients(play, 20);
    await upgradeOperator(play.stage, play.releases, play.latest);
    await steps(play, {
      "a wrong image tag: InvalidUpgrade with the reason and the right tag": setWrongTag,
      "the tag is corrected and the operator killed in the roll: it ends, without an extra switchover": killOperator,
      "an unknown store version is refused, and the message lists the supported ones": refuseVersion,
    });
    await step("the database is upgraded; until now no request failed and no acknowledged write is lost", async () => {
      await upgradeDatabase(play.stage, "8.0");
      expectNoLoss(await clients.load.finish(), play);
    });
    await step("the engine of the primary is killed: its replica takes over, and what may be lost is reported", () =>
      killPrimary(play),
    );
  },
);

/** Clients of the database; they end with the test, however it ends. */
async function connectClients(play: StoryWorld, connections: number): Promise<Disposable & { readonly load: Load }> {
  const load = await startClients({ ...(await findEndpoint(play.stage)), connections, gapMs: 10 });
  return { load, [Symbol.dispose]: () => load.abort() };
}

async function setWrongTag(play: StoryWorld): Promise<void> {
  await setTag(play, "9.9.9-99");
  const { status } = await waitForObject(play.stage, Clusters, REC, {
    what: "STATE InvalidUpgrade",
    withinMs: 60_000,
    isMet: (rec) => rec.status?.state === "InvalidUpgrade",
  });
  const blocked = status?.conditions?.find(({ type }) => type === "UpgradeBlocked");
  assert.equal(blocked?.status, "True");
  assert.match(blocked?.message ?? "", /9\.9\.9-99/);
  assert.match(blocked?.message ?? "", new RegExp(play.latest.nodeTag.replaceAll(".", "\\.")));
  assert.equal((await workload(play)).status?.updatedReplicas, 3, "nothing has been touched");
}

async function killOperator(play: StoryWorld): Promise<void> {
  const before = await record(play);
  const rolled = upgradeCluster(play.stage, play.latest);
  await waitForObject(play.stage, StatefulSets, REC, {
    what: "the roll half-way",
    withinMs: 90_000,
    isMet: ({ spec, status }) =>
      spec?.updateStrategy?.rollingUpdate?.partition === 1 && (status?.updatedReplicas ?? 0) >= 1,
  });
  assert.equal(await play.kill(`${STORE} operator`), 1);
  await rolled;
  const moved = (await record(play)).shards.map(({ epoch }) => epoch)[0] ?? 0;
  const nodesWithPrimary = moved - (before.shards[0]?.epoch ?? 0);
  assert.ok(nodesWithPrimary >= 1 && nodesWithPrimary <= 2, `${nodesWithPrimary} switchovers in the roll`);
}

async function refuseVersion(play: StoryWorld): Promise<void> {
  const refused = await play.stage.kube
    .patch(Databases, REDB, { type: "merge", body: { spec: { storeVersion: "9.9" } } })
    .then(() => "accepted", messageOf);
  assert.match(refused, /spec\.storeVersion/);
  for (const version of ["7.2", "7.4", "8.0", "8.2"]) assert.ok(refused.includes(`"${version}"`), refused);
}

function expectNoLoss({ ledger, phases, failures }: LoadResult, play: StoryWorld): void {
  assert.deepEqual(
    {
      failed: phases.reduce((sum, { failed }) => sum + failed, 0),
      lost: ledger.lostWrites,
      drift: ledger.incrementDrift,
    },
    { failed: 0, lost: 0, drift: 0 },
    `${failures.join("; ")}\n${play.said()}`,
  );
  assert.ok(ledger.acknowledgedWrites > 1_000);
}

async function killPrimary(play: StoryWorld): Promise<void> {
  using clients = await connectClients(play, 10);
  const { shards } = await record(play);
  const shard = shards[0];
  const primary = shard?.instances.find(({ id }) => id === shard.primary);
  assert.ok(shard !== undefined && primary !== undefined);
  const pod = await play.stage.kube.get(Pods, {
    namespace: DEMO.namespace,
    name: `${DEMO.cluster}-${primary.node - 1}`,
  });
  assert.ok((await play.kill(`${pod?.status?.podIP ?? "?"}:${primary.port}`)) >= 1);
  await waitForObject(play.stage, ConfigMaps, RECORD, {
    what: "another primary, and a replica again",
    withinMs: 120_000,
    isMet: ({ data }) => {
      const now: DatabaseRecord = JSON.parse(data?.["record"] ?? "{}");
      return (now.shards[0]?.epoch ?? 0) > shard.epoch && now.shards[0]?.instances.length === 2;
    },
  });
  await waitForObject(play.stage, Databases, REDB, {
    what: "active again",
    withinMs: 120_000,
    isMet: ({ status }) => status?.status === "active" && (status.shardStatuses?.["active"] ?? 0) >= 1,
  });
  const { ledger } = await clients.load.finish();
  const reports = (await record(play)).lossReports;
  assert.ok(ledger.lostWrites === 0 || reports.length > 0, `${ledger.lostWrites} lost, nothing reported`);
  assert.ok(ledger.acknowledgedWrites > 0);
}

const RECORD = { namespace: DEMO.namespace, name: `${DEMO.cluster}-db-1` };

function setTag(play: StoryWorld, versionTag: string): Promise<unknown> {
  const body = { spec: { storeEnterpriseImageSpec: { versionTag } } };
  return play.stage.kube.patch(Clusters, REC, { type: "merge", body });
}

async function workload(play: StoryWorld) {
  const found = await play.stage.kube.get(StatefulSets, REC);
  assert.ok(found !== undefined);
  return found;
}

async function record(play: StoryWorld): Promise<DatabaseRecord> {
  const labelSelector = `${LABELS.cluster}=${DEMO.cluster},${LABELS.record}=database`;
  const { items } = await play.stage.kube.list(ConfigMaps, { namespace: DEMO.namespace, labelSelector });
  return JSON.parse(items[0]?.data?.["record"] ?? "{}") as DatabaseRecord;
}
