import { test } from "node:test";
import { step } from "../../kit/scenario/step.ts";
import { webhookEnforces, webhookSurvivesRotation } from "./admission.ts";
import { engineUserReadsNothing } from "./engine-user.ts";
import { helmLifecycle } from "./helm.ts";
import { eachNodeHasAWorker, mainJob } from "./main-job.ts";
import { furtherNamespace } from "./namespaces.ts";
import { leaderHandOver } from "./operators.ts";
import { openScene, type Scene } from "./scene.ts";
import { twoSites } from "./sites.ts";
import { uninstall } from "./uninstall.ts";
import { darkWorker, deletedPod, drainedWorker, killedContainer, killedEngines, partitionedWorker } from "./workers.ts";

type Act = (scene: Scene) => Promise<void>;

const isShort = process.env["E2E_SHORT"] === "1";
const began = performance.now();

/** In this order; each builds on those before it. */
const STEPS: Readonly<Record<string, Act>> = {
  "operator, cluster and database of the oldest release are upgraded under load from a pod, the operator back and forth: nothing fails, nothing is lost":
    mainJob,
  "the user of the engines reads neither the token nor a key nor the credentials of the cluster":
    engineUserReadsNothing,
  "each node of the cluster has a worker of its own": eachNodeHasAWorker,
  "a drained worker gives its primary away first; a second one is not drained meanwhile": drainedWorker,
  "a node pod that is deleted comes back on its own volume, and no request fails": deletedPod,
  "a container that is killed comes back, and nothing acknowledged is lost": killedContainer,
  "the container of the engines is killed: another node takes over, agent and proxy go on": killedEngines,
  "of two operators one leads; when it goes, the other goes on with the work": leaderHandOver,
  "with the webhook every write is validated; without an operator to answer nothing is written": webhookEnforces,
  "the webhook's authority changes, its Secret is made again by hand, and no write is refused": webhookSurvivesRotation,
  "a further namespace is managed, left alone and taken up again while the operator runs": furtherNamespace,
  "a worker that is cut off loses its primary to another node and joins again": partitionedWorker,
  "a worker that loses its power loses its primary to another node and comes back with its data": darkWorker,
  "uninstalling leaves nothing behind but the volumes and what belongs to them": uninstall,
  "two clusters in two namespaces hold one Active-Active database: cut off, healed and upgraded while pods write at both":
    twoSites,
  "Helm installs the previous release, upgrades, rolls back and uninstalls around a cluster that goes on":
    helmLifecycle,
};

/** What takes minutes: the short form leaves it out. */
const LONG: ReadonlySet<Act> = new Set([furtherNamespace, partitionedWorker, darkWorker, twoSites, helmLifecycle]);

await test(`the product on three real nodes, ${isShort ? "short" : "full"} form`, async () => {
  const folder = process.env["E2E_FOLDER"];
  if (folder === undefined) throw new Error("start this with npm run e2e:kubernetes");
  const outcomes = new Map(Object.keys(STEPS).map((name) => [name, "left out"]));
  try {
    await playAll(folder, outcomes);
    say("passed, 3 nodes are gone again");
  } finally {
    for (const [name, outcome] of outcomes) say(`  ${outcome.padEnd(16)}  ${name}`);
  }
});

async function playAll(folder: string, outcomes: Map<string, string>): Promise<void> {
  await using scene = await openScene(folder, isShort ? ["oldest"] : ["oldest", "previous"], say);
  for (const [name, act] of Object.entries(STEPS))
    if (!isShort || !LONG.has(act)) await play(scene, name, act, outcomes);
}

/** Notes how a step ended; of one that fails it keeps the evidence. */
async function play(scene: Scene, name: string, act: Act, outcomes: Map<string, string>): Promise<void> {
  const start = performance.now();
  try {
    await step(name, () => act(scene), say);
    outcomes.set(name, `passed ${seconds(start)}`);
  } catch (error) {
    outcomes.set(name, `FAILED ${seconds(start)}`);
    // what ends with the scene may fail too, and be shown instead
    say(String(error));
    say(`evidence is kept in ${await scene.keepEvidence(name)}`);
    throw error;
  }
}

function say(line: string): void {
  process.stdout.write(`# ${seconds(began)}  ${line}\n`);
}

/** Since an instant, in a column. */
function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1).padStart(6)} s`;
}
