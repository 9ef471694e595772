import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import type { DatabaseRecord } from "../../src/core/api/records.ts";
import { LABELS } from "../../src/core/api/names.ts";
import { messageOf } from "../../src/core/base/fault.ts";
import { Clusters, Databases } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { DEMO } from "../../src/programs/demo/steps/objects.ts";
import { startClients, type Load } from "../../src/programs/demo/load/clients.ts";
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
import { ConfigMaps, Pods, StatefulSets } from "../../src/ports/kube/builtin.ts";
import { startStoryWorld, type StoryWorld } from "../kit/world/story-world.ts";

const REC = { namespace: DEMO.namespace, name: DEMO.cluster };
const REDB = { namespace: DEMO.namespace, name: DEMO.database };

// One world, one load from the first to the last act; each test goes on where the one before it ended.
describe(
  "faults on the road",
  { skip: existsSync("/proc/self/environ") ? false : "needs /proc to find processes" },
  () => {
    let play: StoryWorld;
    let load: Load;
    const loads: Load[] = [];
    const connectClients = async (connections: number): Promise<Load> => {
      const started = await startClients({ ...(await findEndpoint(play.stage)), connections, gapMs: 10 });
      loads.push(started);
      return started;
    };

    before(async () => {
      play = await startStoryWorld();
      await installOperator(
        play.stage,
        await fetchReleaseBundle(play.releases.bundleBaseUrl, `v${play.older.operator}`),
        play.older,
      );
      await createCluster(play.stage, play.older);
      await createDatabase(play.stage, "7.2");
      load = await connectClients(20);
      await upgradeOperator(play.stage, play.releases, play.latest);
    });
    after(async () => {
      await play[Symbol.asyncDispose]();
    });

    test("a wrong image tag: InvalidUpgrade with the reason and the right tag", async () => {
      await setTag("9.9.9-99");
      const { status } = await waitForObject(play.stage, Clusters, REC, {
        what: "STATE InvalidUpgrade",
        withinMs: 20_000,
        isMet: (rec) => rec.status?.state === "InvalidUpgrade",
      });
      const blocked = status?.conditions?.find(({ type }) => type === "UpgradeBlocked");
      assert.equal(blocked?.status, "True");
      assert.match(blocked?.message ?? "", /9\.9\.9-99/);
      assert.match(blocked?.message ?? "", new RegExp(play.latest.nodeTag.replaceAll(".", "\\.")));
      assert.equal((await workload()).status?.updatedReplicas, 3, "nothing has been touched");
    });

    test("the tag corrected and the operator killed in the middle of the roll: it ends all the same, without an extra switchover", async () => {
      const before = await record();
      const rolled = upgradeCluster(play.stage, play.latest);
      await waitForObject(play.stage, StatefulSets, REC, {
        what: "the roll half-way",
        withinMs: 90_000,
        isMet: ({ spec, status }) =>
          spec?.updateStrategy?.rollingUpdate?.partition === 1 && (status?.updatedReplicas ?? 0) >= 1,
      });
      assert.equal(await play.kill("store.ts operator"), 1);
      await rolled;
      const moved = (await record()).shards.map(({ epoch }) => epoch)[0] ?? 0;
      const nodesWithPrimary = moved - (before.shards[0]?.epoch ?? 0);
      assert.ok(nodesWithPrimary >= 1 && nodesWithPrimary <= 2, `${nodesWithPrimary} switchovers in the roll`);
    });

    test("an unknown store version is refused, and the message lists the supported ones", async () => {
      const refused = await play.stage.kube
        .patch(Databases, REDB, { type: "merge", body: { spec: { storeVersion: "9.9" } } })
        .then(() => "accepted", messageOf);
      assert.match(refused, /spec\.storeVersion/);
      for (const version of ["7.2", "7.4", "8.0", "8.2"]) assert.ok(refused.includes(`"${version}"`), refused);
    });

    test("the database is upgraded; until now no request failed and no acknowledged write is lost", async () => {
      await upgradeDatabase(play.stage, "8.0");
      const { ledger, phases, failures } = await load.finish();
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
    });

    test("the engine of the primary is killed: its replica takes over, and what may be lost is reported", async () => {
      const load = await connectClients(10);
      const { shards } = await record();
      const shard = shards[0];
      const primary = shard?.instances.find(({ id }) => id === shard.primary);
      assert.ok(shard !== undefined && primary !== undefined);
      const pod = await play.stage.kube.get(Pods, {
        namespace: DEMO.namespace,
        name: `${DEMO.cluster}-${primary.node - 1}`,
      });
      assert.ok((await play.kill(`${pod?.status?.podIP ?? "?"}:${primary.port}`)) >= 1);
      await waitForObject(play.stage, ConfigMaps, recordRef(), {
        what: "another primary, and a replica again",
        withinMs: 30_000,
        isMet: ({ data }) => {
          const now: DatabaseRecord = JSON.parse(data?.["record"] ?? "{}");
          return (now.shards[0]?.epoch ?? 0) > shard.epoch && now.shards[0]?.instances.length === 2;
        },
      });
      await waitForObject(play.stage, Databases, REDB, {
        what: "active again",
        withinMs: 30_000,
        isMet: ({ status }) => status?.status === "active" && (status.shardStatuses?.["active"] ?? 0) >= 1,
      });
      const { ledger } = await load.finish();
      const reports = (await record()).lossReports;
      assert.ok(ledger.lostWrites === 0 || reports.length > 0, `${ledger.lostWrites} lost, nothing reported`);
      assert.ok(ledger.acknowledgedWrites > 0);
    });

    const setTag = (versionTag: string): Promise<unknown> =>
      play.stage.kube.patch(Clusters, REC, {
        type: "merge",
        body: { spec: { storeEnterpriseImageSpec: { versionTag } } },
      });
    const recordRef = (): { namespace: string; name: string } => ({
      namespace: DEMO.namespace,
      name: `${DEMO.cluster}-db-1`,
    });
    const workload = async () => {
      const found = await play.stage.kube.get(StatefulSets, REC);
      assert.ok(found !== undefined);
      return found;
    };
    const record = async (): Promise<DatabaseRecord> => {
      const labelSelector = `${LABELS.cluster}=${DEMO.cluster},${LABELS.record}=database`;
      const { items } = await play.stage.kube.list(ConfigMaps, { namespace: DEMO.namespace, labelSelector });
      return JSON.parse(items[0]?.data?.["record"] ?? "{}") as DatabaseRecord;
    };
  },
);
