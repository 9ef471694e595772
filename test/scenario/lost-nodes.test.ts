import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterState } from "../../src/core/api/states.ts";
import { LABELS, OPERATOR_NAME } from "../../src/core/api/names.ts";
import { latestRelease } from "../../src/core/releases/catalogue/find.ts";
import { Databases } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { Nodes, Pods } from "#kit/kube/builtin";
import { openLane, type Lane, type Rec, type Redb } from "../kit/frozen/lane.ts";
import { step, steps } from "../kit/scenario/step.ts";
import { until } from "#kit/testing/until";
import { askDatabase } from "../kit/world/ask.ts";
import { startStoryWorld } from "../kit/world/story-world.ts";

// Workers take no node while they are cordoned: nodes whose pods are deleted then stay away, and their volumes are kept.

/** How far a recovery is, by STATE. */
const STATES: readonly ClusterState[] = ["RecoveryReset", "RecoveringFirstPod", "Initializing", "Running"];
const PATIENCE = { withinMs: 120_000, everyMs: 100 };

await using story = await startStoryWorld();
await using lane = await openLane(story, "lost", [latestRelease()]);

await test("nodes are lost with their volumes kept: what is said of their databases, and a recovery whose operator is killed", () =>
  steps(lane, {
    "a database with persistence holds data on two nodes, one without on one": fill,
    "both nodes with copies are lost: no primary is a finding, until the nodes are back": loseCopies,
    "every node is lost": loseAll,
    "the operator is killed at each state of the recovery, which comes to its end": recover,
    "nothing was done twice, and what was acknowledged is there": assertBack,
  }));

async function fill({ kube, namespace }: Lane): Promise<void> {
  const make = (name: string, spec: object) =>
    kube.create(Databases, { metadata: { name, namespace }, spec: { storeVersion: "7.2", ...spec } as never });
  await make("ledger", { replication: true, persistence: "aofAlways" });
  await make("cache", {});
  for (const name of ["ledger", "cache"]) {
    await serves(name);
    await until(`${name} is written`, async () => (await ask(name, "SET", "kept", "yes").catch(String)) === "OK");
  }
}

async function loseCopies({ kube, sh }: Lane): Promise<void> {
  const { databaseUID = "" } = (await kube.get(Databases, { name: "ledger", namespace: lane.namespace }))?.status ?? {};
  const management = await lane.management();
  const shards = await management.call("bdbShards", { params: { uid: Number(databaseUID) } });
  await setWorkers(true);
  await deletePods(shards.map(({ node_uid }) => `rec-${Number(node_uid) - 1}`));
  await database("ledger", "no primary is a finding", (redb) => finds(redb));
  const warned = /Warning +DatabaseUnavailable .*no primary has served "ledger"/;
  await until("an event says so", async () => warned.test(await sh("kubectl describe redb ledger")), PATIENCE);
  const available = '{.status.conditions[?(@.type=="Available")].status}';
  assert.equal(await sh(`kubectl get redb ledger -o jsonpath='${available}'`), "False");
  await logged("a finding began", /no primary has served \\"ledger\\" since/);
  await setWorkers(false);
  await database("ledger", "the finding has ended", (redb) => !finds(redb) && redb.status?.status === "active");
  assert.equal(await sh(`kubectl get redb ledger -o jsonpath='${available}'`), "True");
  await logged("a finding ended", /no primary has served \\"ledger\\" since/);
  assert.equal(await ask("ledger", "GET", "kept"), "yes");
  await lane.cluster("every node is back", isWhole);
}

async function loseAll({ cluster }: Lane): Promise<void> {
  await setWorkers(true);
  const lost = await nodePods();
  await deletePods(lost.map(({ name }) => name));
  await cluster("no node answers", ({ status }) => status?.state === "Error");
  // "Error" may come while some are still to be made: a recovery looks at those that are there when it begins
  await until(
    "each pod is made again",
    async () => {
      const made = await nodePods();
      return made.length === lost.length && made.every(({ uid }) => lost.every((pod) => pod.uid !== uid));
    },
    PATIENCE,
  );
}

async function recover({ patch, restarts }: Lane): Promise<void> {
  const before = await restarts();
  const lost = (await nodePods()).map(({ uid }) => uid);
  const started = reaches("RecoveryReset");
  await patch({ clusterRecovery: true });
  await killedAt("RecoveryReset", started);
  const { status } = await killedAt("RecoveringFirstPod", reaches("RecoveringFirstPod"));
  assert.deepEqual(status?.recovery?.pods.toSorted(), lost.toSorted());
  const made = await nodePods();
  const joining = reaches("Initializing");
  await setWorkers(false);
  await killedAt("Initializing", joining);
  await killedAt("Running", reaches("Running"));
  const back = await lane.cluster(
    "it is over",
    (rec) => isWhole(rec) && rec.status?.recovery?.finishedAt !== undefined,
  );
  assert.equal(back.spec.clusterRecovery, false);
  assert.equal(back.status?.recovery?.startedAt, status?.recovery?.startedAt, "the recovery began again");
  assert.deepEqual(await nodePods(), made, "a pod was made twice");
  assert.ok((await restarts()) - before >= STATES.length, "the operator was not started again");
}

async function assertBack(): Promise<void> {
  await serves("ledger");
  assert.equal(await ask("ledger", "GET", "kept"), "yes");
  assert.deepEqual((await serves("ledger")).status?.lossReports, []);
  await database("cache", "it serves, and says once what is lost", ({ status }) => {
    return status?.status === "active" && status.lossReports?.length === 1;
  });
}

/** Resolves once the recovery has come to this state, or further. */
function reaches(state: ClusterState): Promise<Rec> {
  return lane.cluster(state, ({ spec, status }) => {
    const at = STATES.indexOf(status?.state ?? "Error");
    return spec.clusterRecovery === false || (status?.recovery !== undefined && at >= STATES.indexOf(state));
  });
}

function killedAt(state: ClusterState, reached: Promise<Rec>): Promise<Rec> {
  return step(`killed at ${state}`, async () => {
    const rec = await reached;
    await lane.killOperator();
    // the field may be false already while STATE still has to follow
    if (rec.spec.clusterRecovery !== false) assert.equal(rec.status?.state, state);
    return rec;
  });
}

function isWhole({ status }: Rec): boolean {
  return (
    status?.state === "Running" &&
    status.replicas === 3 &&
    status.nodes?.every(({ status: is }) => is === "active") === true
  );
}

function finds({ status }: Redb): boolean {
  return status?.findings?.some(({ id }) => id === "DatabaseUnavailable") === true;
}

function serves(name: string): Promise<Redb> {
  return database(name, "it serves", ({ status }) => status?.status === "active");
}

function database(name: string, what: string, isMet: (redb: Redb) => boolean): Promise<Redb> {
  return lane.database(name, `${name}: ${what}`, isMet);
}

function ask(name: string, ...command: readonly [string, ...string[]]): Promise<unknown> {
  return askDatabase(lane.kube, { name, namespace: lane.namespace }, ...command);
}

async function logged(msg: string, evidence: RegExp): Promise<void> {
  const lines = `kubectl logs deployment/${OPERATOR_NAME} | grep -F '"msg":"${msg}"' | grep -F '"finding":"DatabaseUnavailable"' || true`;
  const isThere = async (): Promise<boolean> => evidence.test(await lane.sh(lines));
  await until(`the operator logs: ${msg}`, isThere, PATIENCE);
}

async function nodePods(): Promise<readonly { readonly name: string; readonly uid: string }[]> {
  const labelSelector = `${LABELS.cluster}=rec,${LABELS.role}=node`;
  const { items } = await lane.kube.list(Pods, { namespace: lane.namespace, labelSelector });
  return items
    .map(({ metadata: { name, uid } }) => ({ name, uid }))
    .toSorted((one, other) => one.name.localeCompare(other.name));
}

/** By force, as when their workers are gone. */
async function deletePods(names: readonly string[]): Promise<void> {
  const { kube, namespace } = lane;
  await Promise.all(names.map((name) => kube.delete(Pods, { name, namespace }, { gracePeriodSeconds: 0 })));
}

async function setWorkers(unschedulable: boolean): Promise<void> {
  const { items } = await lane.kube.list(Nodes);
  const body = { spec: { unschedulable } };
  for (const { metadata } of items) await lane.kube.patch(Nodes, { name: metadata.name }, { type: "merge", body });
}
