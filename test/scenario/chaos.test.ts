import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { ENGINE_USER } from "../../src/core/api/engine-login.ts";
import { clusterNames } from "../../src/core/api/names.ts";
import type { DatabaseRecord } from "../../src/core/api/records.ts";
import { Clusters, Databases } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { DEMO } from "../../src/programs/demo/steps/objects.ts";
import { startLoadProcess } from "../../src/programs/demo/load/load-process.ts";
import { fetchReleaseBundle } from "../../src/programs/demo/steps/release-server.ts";
import {
  createCluster,
  createDatabase,
  installOperator,
  upgradeCluster,
  upgradeDatabase,
  upgradeOperator,
} from "../../src/programs/demo/steps/steps.ts";
import { findEndpoint } from "../../src/programs/demo/scenario.ts";
import { waitForObject } from "../../src/programs/demo/steps/wait.ts";
import { ConfigMaps, Pods } from "#kit/kube/builtin";
import { startInformer } from "#kit/kube/informer";
import { callEngine } from "../../src/ports/resp/engine-client.ts";
import { replicationView, parseInfo } from "../../src/ports/resp/info.ts";
import { textOf } from "../../src/ports/resp/reply.ts";
import { seededDice, storedRecord, unleash, VICTIMS, type Victim } from "../kit/world/chaos.ts";
import { internalPasswordOf } from "../kit/world/engine-access.ts";
import { startStoryWorld, type StoryWorld } from "../kit/world/story-world.ts";

const CONNECTIONS = 20;
/** Victims whose end costs no acknowledged write; `CHAOS_VICTIMS=primary,proxy` chooses others. */
const victims = VICTIMS.filter((one) => chosen(one));
const sparesPrimary = !victims.some((one) => one.startsWith("primary"));
const seed = Number(process.env["CHAOS_SEED"] ?? Date.now() % 100_000);
const skip = existsSync("/proc/self/environ") ? false : "needs /proc to find processes";

test(`an upgrade under kill -9 ends as if nothing had been killed (CHAOS_SEED=${seed})`, { skip }, async () => {
  await using play = await startStoryWorld();
  const { stage, older, latest, releases } = play;
  await installOperator(stage, await fetchReleaseBundle(releases.bundleBaseUrl, `v${older.operator}`), older);
  await createCluster(stage, older);
  await createDatabase(stage, "7.2");
  const endpoint = await findEndpoint(stage);
  const load = await startLoadProcess({ ...endpoint, connections: CONNECTIONS, gapMs: 10 });
  const epochs = followEpochs(play);
  const chaos = unleash(play, { dice: seededDice(seed), victims, pauseMs: { least: 100, most: 1_200 }, most: 18 });
  try {
    await upgradeOperator(stage, releases, latest);
    await upgradeCluster(stage, latest);
    await upgradeDatabase(stage, "8.0");
    await chaos.stop();
    assert.ok(chaos.struck.size >= Math.min(victims.length, 4), "too little was killed to prove anything");
    const record = await settled(play);

    const { ledger, phases, reconnects } = await load.finish();
    const failed = phases.reduce((sum, phase) => sum + phase.failed, 0);
    assert.ok(ledger.acknowledgedWrites > 1_000, `${ledger.acknowledgedWrites} writes`);
    // the client library sends again what it has no answer to: an increment on a cut connection may count twice
    assert.ok(ledger.incrementDrift <= reconnects, `counted ${ledger.incrementDrift} more than were answered`);
    assert.ok(failed <= reconnects, `${failed} requests failed, ${reconnects} connections were cut`);
    if (sparesPrimary) {
      assert.deepEqual(
        { lost: ledger.lostWrites, stale: ledger.staleReads, reports: record.lossReports },
        { lost: 0, stale: 0, reports: [] },
      );
      assert.ok(ledger.incrementDrift >= 0, `${-ledger.incrementDrift} answered increments are gone`);
    } else {
      assert.ok(ledger.lostWrites === 0 || record.lossReports.length > 0, `${ledger.lostWrites} lost in silence`);
    }
    assert.deepEqual(
      epochs,
      epochs.toSorted((a, b) => a - b),
      "epochs only rise",
    );
    await assertOnePrimaryInSync(play, record);
  } catch (error) {
    const message = `CHAOS_SEED=${seed}\nkilled:\n  ${chaos.blows.join("\n  ")}\n${play.said()}`;
    throw new Error(message, { cause: error });
  } finally {
    await chaos.stop();
    load.kill();
  }
});

function chosen(victim: Victim): boolean {
  const wanted = process.env["CHAOS_VICTIMS"];
  return wanted === undefined ? !victim.startsWith("primary") : wanted.split(",").includes(victim);
}

/** Every epoch of the database as it is stored, from now on. */
function followEpochs({ stage }: StoryWorld): number[] {
  const epochs: number[] = [];
  const name = clusterNames.databaseRecord(DEMO.cluster, 1);
  const place = { namespace: DEMO.namespace, fieldSelector: `metadata.name=${name}` };
  startInformer(stage.kube, ConfigMaps, { ...stage, ...place }).onChange((_ref, object) => {
    const record: Partial<DatabaseRecord> = JSON.parse(object?.data?.["record"] ?? "{}");
    epochs.push(...(record.shards ?? []).map(({ epoch }) => epoch));
  });
  return epochs;
}

/** What was killed last has come back: cluster and database say so, with nothing left to do. */
async function settled(play: StoryWorld): Promise<DatabaseRecord> {
  const { stage } = play;
  const rec = { namespace: DEMO.namespace, name: DEMO.cluster };
  const redb = { namespace: DEMO.namespace, name: DEMO.database };
  await waitForObject(
    stage,
    ConfigMaps,
    { ...rec, name: clusterNames.databaseRecord(DEMO.cluster, 1) },
    {
      what: "a record that waits for nothing",
      withinMs: 120_000,
      isMet: ({ data }) => {
        const { shards = [], waitingFor }: Partial<DatabaseRecord> = JSON.parse(data?.["record"] ?? "{}");
        const isWhole = shards.every(({ switchover, instances }) => switchover === undefined && instances.length === 2);
        return shards.length > 0 && isWhole && waitingFor === undefined;
      },
    },
  );
  await waitForObject(stage, Databases, redb, {
    what: "an active database",
    withinMs: 120_000,
    isMet: ({ status }) =>
      status?.status === "active" &&
      (status.conditions ?? []).some((one) => one.type === "Ready" && one.status === "True"),
  });
  await waitForObject(stage, Clusters, rec, {
    what: "a settled cluster",
    withinMs: 120_000,
    isMet: ({ status }) =>
      status?.state === "Running" && (status.nodes ?? []).every((node) => node.version === play.latest.nodeTag),
  });
  return storedRecord(play);
}

/** Asks the engines themselves; an engine that no record names must not run. */
async function assertOnePrimaryInSync(play: StoryWorld, record: DatabaseRecord): Promise<void> {
  const { kubeconfig } = play.world;
  const place = { kubeconfig, rec: DEMO.cluster, namespace: DEMO.namespace };
  const logins = [{ user: ENGINE_USER, password: await internalPasswordOf(place, record.uid) }];
  const instances = record.shards.flatMap((shard) => shard.instances);
  const views = await Promise.all(
    instances.map(async ({ node, port }) => {
      const ref = { namespace: DEMO.namespace, name: clusterNames.nodePod(DEMO.cluster, node) };
      const host = (await play.stage.kube.get(Pods, ref))?.status?.podIP ?? "";
      const info = await callEngine({ host, port, logins, timeoutMs: 2_000 }, "INFO", "replication");
      return replicationView(parseInfo(textOf(info)));
    }),
  );
  const primaries = views.filter((view) => view?.role === "primary");
  const linked = views.filter((view) => view?.link?.status === "up");
  assert.deepEqual([primaries.length, linked.length], [1, instances.length - 1], "one primary, the others follow it");
  const engines = (await play.processes()).filter(({ command }) => /-server \d/.test(command));
  assert.equal(engines.length, instances.length, engines.map(({ command }) => command).join("\n"));
}
