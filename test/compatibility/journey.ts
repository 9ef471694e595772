import assert from "node:assert/strict";
import type { KeptRelease } from "../../scripts/releases/history.ts";
import { Databases } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { callEngine, engineCodeOf } from "../../src/ports/resp/engine-client.ts";
import { findEndpoint } from "../../src/programs/demo/scenario.ts";
import {
  createCluster,
  createDatabase,
  installOperator,
  upgradeDatabase,
  upgradeOperator,
} from "../../src/programs/demo/steps/steps.ts";
import { goBackTo } from "../kit/scenario/go-back.ts";
import { steps } from "../kit/scenario/step.ts";
import { until } from "#kit/testing/until";
import { goOn, holdRoll } from "./half-way.ts";
import { moreAsked } from "./more-asked.ts";
import { keepOlderRights, requireNewRights, USER } from "./rights.ts";
import {
  administrator,
  awaitSingle,
  finishLoads,
  laterMemory,
  openScene,
  programsOf,
  SINGLE,
  stageFor,
  startLoads,
  type Scene,
} from "./scene.ts";

/** Upgrades operator, cluster and databases of a kept release to this checkout, while clients write; by Helm when one is given. */
export async function upgradeUnderLoad(kept: KeptRelease, helm?: string): Promise<void> {
  await using scene = await openScene(kept, helm);
  await using more = moreAsked();
  await steps(scene, {
    "its definitions, its operator and its nodes serve databases": install,
    "clients write, and keep writing": (all) => startLoads(all, [SINGLE.metadata.name]),
    "so do clients of a replicated database": more.load,
    "the operator of this checkout takes over": takeOver,
    "the operator goes back while the cluster has not been touched": goBack,
    "the operator comes forward again": takeOver,
    "the roll is held up with one node new and two old": holdRoll,
    "older nodes, their user and the network have what they need": keepOlderRights,
    "TLS, and replies that wait, are refused by name where older nodes lack them, and an edit that asks for them waits":
      more.ask,
    "the cluster is upgraded node by node": rollCluster,
    "it has both once the last older node is gone, up to a cut of clients in plain text": more.has,
    "nodes have no more rights than they need, and what is too much for their memory goes on": requireNewRights,
    "the databases are upgraded": upgradeDatabases,
    "what was stored then is still known": keepRecords,
    "engines let the cluster in, and no client any more": closeEngines,
    "no request failed, and nothing is lost": finishLoads,
    "neither did one of the replicated database": more.finish,
  }).catch((error: unknown) => {
    throw new Error(scene.play.said(), { cause: error });
  });
}

async function install(scene: Scene): Promise<void> {
  const { stage, world, older } = scene.play;
  await installOperator(stageFor(scene, "install"), await scene.from.bundle(), older);
  await createCluster(stage, older);
  await createDatabase(stage, "7.2");
  await world.kube.create(Databases, SINGLE);
  await awaitSingle(world.kube, "7.2");
  const client = await administrator(world.kube);
  await client.call("createUser", { body: USER });
  await client.close();
  const { old, all } = await programsOf(scene);
  // operator, rigger, and an agent and a proxy on each node
  assert.deepEqual({ old, all }, { old: 8, all: 8 });
}

async function takeOver(scene: Scene): Promise<void> {
  await upgradeOperator(stageFor(scene, "upgrade"), scene.play.releases, scene.play.latest);
  const { old, all } = await programsOf(scene);
  assert.deepEqual({ old, all }, { old: 7, all: 8 });
}

/** The older bundle is applied again, definitions and roles included; Helm leaves the newer definitions. */
async function goBack(scene: Scene): Promise<void> {
  const { world, older } = scene.play;
  await goBackTo(stageFor(scene, "goBack"), await scene.from.bundle(), older);
  await world.kube.patch(Databases, SINGLE.metadata, {
    type: "merge",
    body: { spec: { memorySize: laterMemory(scene).text } },
  });
  await awaitSingle(world.kube, "7.2");
}

async function rollCluster(scene: Scene): Promise<void> {
  await goOn(scene);
  const isNew = async (): Promise<boolean> => (await programsOf(scene)).old === 0;
  await until("the programs of this checkout alone run", isNew, { withinMs: 60_000, everyMs: 200 });
}

async function upgradeDatabases({ play: { stage, world } }: Scene): Promise<void> {
  await upgradeDatabase(stage, "8.0");
  await world.kube.patch(Databases, SINGLE.metadata, { type: "merge", body: { spec: { storeVersion: "8.0" } } });
  await awaitSingle(world.kube, "8.0");
}

async function closeEngines(scene: Scene): Promise<void> {
  const client = await administrator(scene.play.world.kube);
  const addresses = new Map((await client.call("nodes")).map(({ uid, addr }) => [String(uid), addr]));
  for (const { uid, name } of await client.call("bdbs")) {
    const { password } = await findEndpoint(scene.play.stage, name);
    for (const { node_uid, port, tls = false } of await client.call("bdbShards", { params: { uid } })) {
      if (tls) continue; // without a certificate nothing is asked for
      const at = { host: addresses.get(node_uid) ?? "", port, password, timeoutMs: 2_000 };
      const isClosed = () =>
        callEngine(at, "PING").then(
          () => false,
          (error: unknown) => engineCodeOf(error) === "WRONGPASS",
        );
      await until(`an engine of ${name} is closed`, isClosed, { withinMs: 30_000, everyMs: 200 });
    }
  }
  await client.close();
}

async function keepRecords(scene: Scene): Promise<void> {
  const client = await administrator(scene.play.world.kube);
  const users = await client.call("users");
  const bdb = (await client.call("bdbs")).find(({ name }) => name === SINGLE.metadata.name);
  await client.close();
  assert.deepEqual(
    users.filter(({ email }) => email === USER.email).map(({ name, role }) => [name, role]),
    [[USER.name, USER.role]],
  );
  assert.deepEqual(
    [bdb?.data_persistence, bdb?.eviction_policy, bdb?.replication, bdb?.memory_size],
    [SINGLE.spec.persistence, SINGLE.spec.evictionPolicy, false, laterMemory(scene).bytes],
  );
}
