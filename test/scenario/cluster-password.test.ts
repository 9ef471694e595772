import assert from "node:assert/strict";
import { test } from "node:test";
import type { Login } from "../../src/core/api/cluster-access.ts";
import { ROTATE_PASSWORD_ANNOTATION } from "../../src/core/api/names.ts";
import { bundleFor } from "../../src/core/releases/bundle/bundle.ts";
import { Clusters, Databases } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { Secrets, Services } from "#kit/kube/builtin";
import { findEndpoint } from "../../src/programs/demo/scenario.ts";
import { DEMO } from "../../src/programs/demo/steps/objects.ts";
import { createCluster, createDatabase, installOperator } from "../../src/programs/demo/steps/steps.ts";
import { suspend } from "../kit/engines/suspend.ts";
import { startLedger, type Ledger } from "../kit/load/load-ledger.ts";
import { steps } from "../kit/scenario/step.ts";
import { until } from "#kit/testing/until";
import { accessOf, askLogin, loginOf, nodeAddresses } from "../kit/world/cluster-login.ts";
import { internalPasswordOf } from "../kit/world/engine-access.ts";
import { startShell } from "../kit/world/shell.ts";
import { startStoryWorld } from "../kit/world/story-world.ts";

// Another password of a cluster: asked for, written by a user, with an operator that is killed and a node that is away, all under load.

const { namespace, cluster } = DEMO;
const REC = { name: cluster, namespace };
const NODES = [1, 2, 3].map((number) => `${cluster}-${number - 1}`);
const PATIENCE = { withinMs: 60_000, everyMs: 50 };

await using play = await startStoryWorld();
await using loads = new AsyncDisposableStack();
await using type = startShell(process.cwd(), { ...process.env, KUBECONFIG: play.world.kubeconfig });
const { kube } = play.world;
/** Logins that were refused because this file asked for it. */
let refused = 0;

interface Scene {
  ledger?: Ledger;
  callers?: Callers;
  /** The password at first. */
  first?: Login;
  /** The password of the cluster at the engines of the database at first. */
  atEngines?: string;
}

await test("the password of a cluster changes under load, and no request fails", () =>
  steps<Scene>(
    {},
    {
      "clients and callers are at work": begin,
      "a cluster that is asked for another password gets one, and every node accepts both": rotate,
      "the engines of databases get another one besides": rotateAtEngines,
      "the former one ends with the overlap, at every node": endOverlap,
      "a password that a user writes is in use once every node accepts it, though the operator is killed": write,
      "a node that is away keeps a change up, and the finding names it": waitForNode,
      "nodes, operator and rigger work on": workOn,
      "no request failed, and nothing is lost": finish,
    },
  ).catch((error: unknown) => {
    throw new Error(play.said(), { cause: error });
  }));

async function begin(scene: Scene): Promise<void> {
  const { stage, latest } = play;
  await installOperator(stage, bundleFor(latest), latest);
  await createCluster(stage, latest);
  await createDatabase(stage, "7.2");
  scene.first = await loginOf(kube, REC);
  scene.atEngines = await passwordAtEngines();
  scene.ledger = loads.use(await startLedger({ ...(await findEndpoint(play.stage)), connections: 8 }));
  scene.callers = loads.use(startCallers());
}

async function rotate({ first }: Scene): Promise<void> {
  await type(`kubectl annotate rec ${cluster} ${ROTATE_PASSWORD_ANNOTATION}=2026-11`);
  await until("the new one is in use", async () => (await accessOf(kube, REC)).former.length === 1, PATIENCE);
  const next = await loginOf(kube, REC);
  assert.notEqual(next.password, first?.password);
  for (const login of [first, next]) assert.deepEqual(await answersTo(login), ["accepted", "accepted", "accepted"]);
  await until("a finding says so", async () => (await findings()).includes("FormerPasswordAccepted"), PATIENCE);
}

async function rotateAtEngines({ atEngines }: Scene): Promise<void> {
  await until("it is another one", async () => (await passwordAtEngines()) !== atEngines, PATIENCE);
}

function passwordAtEngines(): Promise<string> {
  return internalPasswordOf({ kubeconfig: play.world.kubeconfig, rec: cluster, namespace }, 1);
}

async function endOverlap({ first }: Scene): Promise<void> {
  await overlap(0);
  await until("the former one has ended", async () => (await accessOf(kube, REC)).former.length === 0, PATIENCE);
  await until("each node refuses it", async () => (await answersTo(first)).every((one) => one === "refused"), PATIENCE);
  assert.deepEqual(await answersTo(await loginOf(kube, REC)), ["accepted", "accepted", "accepted"]);
  await until("nothing is left to say", async () => (await findings()).length === 0, PATIENCE);
}

async function write(): Promise<void> {
  await overlap(86_400);
  const { username } = await loginOf(kube, REC);
  for (const password of ["chosen-by-a-user", "and-another-one"]) {
    const revision = (await accessOf(kube, REC)).revision;
    await type(`kubectl patch secret ${cluster} -p '${JSON.stringify({ stringData: { password } })}'`);
    await until("it is noticed", async () => (await accessOf(kube, REC)).revision > revision, PATIENCE);
    assert.equal(await play.kill("operator"), 1);
    const isUsed = async (): Promise<boolean> => (await accessOf(kube, REC)).current.password === password;
    await until("it is in use", isUsed, PATIENCE);
  }
  for (const password of ["chosen-by-a-user", "and-another-one"])
    assert.deepEqual(await answersTo({ username, password }), ["accepted", "accepted", "accepted"]);
}

async function waitForNode(scene: Scene): Promise<void> {
  const agent = (await play.processes()).find(({ pod, command }) => pod === NODES[2] && command.includes("agent"));
  assert.ok(agent !== undefined);
  await scene.callers?.without(2);
  const { current } = await accessOf(kube, REC);
  {
    using stopped = await suspend(agent);
    await type(`kubectl annotate rec ${cluster} ${ROTATE_PASSWORD_ANNOTATION}=2026-12 --overwrite`);
    await until(
      "the finding names it",
      async () => (await evidence("RotationWaits")).includes(`${NODES[2]}: `),
      PATIENCE,
    );
    const { next, current: used } = await accessOf(kube, REC);
    assert.ok(next !== undefined, "both are accepted where nodes answer");
    assert.deepEqual(used, current);
    assert.deepEqual(await loginOf(kube, REC), current, "no caller is given what a node may refuse");
    stopped.resume();
  }
  await until("it goes on", async () => (await accessOf(kube, REC)).next === undefined, PATIENCE);
  await until(
    "the node accepts it",
    async () => (await answersTo(await loginOf(kube, REC)))[2] === "accepted",
    PATIENCE,
  );
}

async function workOn(): Promise<void> {
  await kube.delete(Secrets, REC);
  await until("a Secret that was deleted is back", async () => (await kube.get(Secrets, REC)) !== undefined, PATIENCE);
  assert.deepEqual(await loginOf(kube, REC), (await accessOf(kube, REC)).current);
  const ref = { name: "later", namespace };
  await kube.create(Databases, { metadata: ref, spec: {} });
  await until("it is active", async () => (await kube.get(Databases, ref))?.status?.status === "active", PATIENCE);
  await until("it has a Service", async () => (await kube.get(Services, ref)) !== undefined, PATIENCE);
}

async function finish({ ledger, callers }: Scene): Promise<void> {
  assert.deepEqual(await callers?.end(), []);
  const { failed, lost, requests, complaints } = (await ledger?.stop()) ?? { failed: 1 };
  assert.deepEqual([failed, lost], [0, 0], complaints?.join("; "));
  assert.ok((requests ?? 0) > 1_000, `${requests} requests of clients`);
  const logs = await Promise.all(NODES.map((pod) => type(`kubectl logs ${pod} -c store-enterprise-node`)));
  const lines = logs.flatMap((log) => log.split("\n").filter((line) => line.includes("a login failed")));
  const failures = lines.reduce((sum, line) => sum + Number(JSON.parse(line).failures ?? 1), 0);
  // of very many the last have no line yet
  assert.ok(
    failures > 0 && failures <= refused,
    `${failures} of ${refused}: operator, nodes and rigger were never refused`,
  );
}

function overlap(seconds: number): Promise<unknown> {
  return kube.patch(Clusters, REC, { type: "merge", body: { spec: { rotationOverlapSeconds: seconds } } });
}

async function findings(): Promise<readonly string[]> {
  return ((await kube.get(Clusters, REC))?.status?.findings ?? []).map(({ id }) => id);
}

async function evidence(id: string): Promise<string> {
  return (await kube.get(Clusters, REC))?.status?.findings?.find((one) => one.id === id)?.evidence ?? "";
}

/** Of each node. */
async function answersTo(login: Login | undefined): Promise<readonly string[]> {
  assert.ok(login !== undefined);
  const answers = await Promise.all(
    (await nodeAddresses(kube, REC)).map((address) => askLogin(kube, REC, address, login)),
  );
  refused += answers.filter((answer) => answer === "refused").length;
  return answers;
}

interface Callers extends AsyncDisposable {
  /** The node of this index is asked no more. */
  without(index: number): Promise<void>;
  /** What failed; there were over a hundred calls. */
  end(): Promise<readonly string[]>;
}

/** Ask each node again and again with what all callers say. */
function startCallers(): Callers {
  const failed: string[] = [];
  const left = new Set([0, 1, 2]);
  let calls = 0;
  let isOver = false;
  const run = async (index: number): Promise<void> => {
    while (!isOver && left.has(index)) {
      const address = (await nodeAddresses(kube, REC))[index] ?? "";
      const answer = await askLogin(kube, REC, address, (await accessOf(kube, REC)).current);
      calls += 1;
      if (answer !== "accepted") failed.push(`${address}: ${answer}`);
    }
  };
  const running = [0, 1, 2].map(run);
  const stop = async (): Promise<void> => {
    isOver = true;
    await Promise.all(running);
  };
  return {
    without: async (index) => {
      left.delete(index);
      await running[index];
    },
    end: async () => {
      await stop();
      assert.ok(calls > 100, `${calls} calls`);
      return failed;
    },
    [Symbol.asyncDispose]: stop,
  };
}
