import { after, before, test, type TestContext } from "node:test";
import { webhookEnforces, webhookSurvivesRotation } from "./admission.ts";
import { helmLifecycle } from "./helm.ts";
import { eachNodeHasAWorker, mainJob } from "./main-job.ts";
import { furtherNamespace } from "./namespaces.ts";
import { leaderHandOver } from "./operators.ts";
import { openScene, type Scene } from "./scene.ts";
import { uninstall } from "./uninstall.ts";
import { darkWorker, deletedPod, drainedWorker, killedContainer, partitionedWorker } from "./workers.ts";

const isShort = process.env["E2E_SHORT"] === "1";
const began = performance.now();
const passed: string[] = [];
const leftOut: string[] = [];
let scene: Scene | undefined;
let failedAt: string | undefined;

before(async () => {
  const folder = process.env["E2E_FOLDER"];
  if (folder === undefined) throw new Error("start this with npm run e2e:kubernetes");
  scene = await openScene(folder, say);
});

after(async () => {
  await scene?.[Symbol.asyncDispose]();
  summarize();
});

step("operator, cluster and database are upgraded under load from a pod: nothing fails, nothing is lost", mainJob);
step("each node of the cluster has a worker of its own", eachNodeHasAWorker);
step("a drained worker gives its primary away first; a second one is not drained meanwhile", drainedWorker);
step("a node pod that is deleted comes back on its own volume, and no request fails", deletedPod);
step("a container that is killed comes back, and nothing acknowledged is lost", killedContainer);
step("of two operators one leads; when it goes, the other goes on with the work", leaderHandOver);
step("with the webhook every write is validated; without an operator to answer nothing is written", webhookEnforces);
step(
  "the webhook's authority changes, its Secret is made again by hand, and no write is refused",
  webhookSurvivesRotation,
);
long("a further namespace is managed, left alone and taken up again while the operator runs", furtherNamespace);
long("a worker that is cut off loses its primary to another node and joins again", partitionedWorker);
long("a worker that loses its power loses its primary to another node and comes back with its data", darkWorker);
step("uninstalling leaves nothing behind but the volumes and what belongs to them", uninstall);
long("Helm installs, upgrades, rolls back and uninstalls around a cluster that goes on", helmLifecycle);

type Act = (scene: Scene, t: TestContext) => Promise<void>;

/** Runs after the steps above it, and not at all once one of them has failed. */
function step(name: string, act: Act): void {
  test(name, async (t) => {
    if (scene === undefined) throw new Error("there is no cluster");
    if (failedAt !== undefined) {
      leftOut.push(name);
      t.skip(`what it builds on has failed: ${failedAt}`);
      return;
    }
    say(name);
    try {
      await act(scene, t);
      passed.push(name);
    } catch (error) {
      failedAt = name;
      say(`evidence is kept in ${await scene.keepEvidence(name)}`);
      throw error;
    }
  });
}

/** A step that the short form leaves out. */
function long(name: string, act: Act): void {
  if (isShort) {
    leftOut.push(name);
    test(name, { skip: "the short form leaves out what takes minutes" });
  } else step(name, act);
}

function summarize(): void {
  const form = isShort ? "short form" : "full form";
  say(failedAt === undefined && scene !== undefined ? `${form}: passed, 3 nodes are gone again` : `${form}: FAILED`);
  for (const name of passed) say(`  passed    ${name}`);
  if (failedAt !== undefined) say(`  FAILED    ${failedAt}`);
  for (const name of leftOut) say(`  left out  ${name}`);
}

function say(line: string): void {
  process.stdout.write(`# ${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${line}\n`);
}
