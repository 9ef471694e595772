import assert from "node:assert/strict";
import type { Login } from "../../src/core/api/cluster-access.ts";
import { DEFAULT_USER, ENGINE_USER } from "../../src/core/api/engine-login.ts";
import { clusterNames, ROTATE_PASSWORD_ANNOTATION } from "../../src/core/api/names.ts";
import { Clusters } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { Secrets } from "#kit/kube/builtin";
import { readDatabases } from "../../src/ports/management/databases.ts";
import { callEngine } from "../../src/ports/resp/engine-client.ts";
import { DEMO } from "../../src/programs/demo/steps/objects.ts";
import { until } from "#kit/testing/until";
import { accessOf, askLogin, loginOf, nodeAddresses } from "../kit/world/cluster-login.ts";
import { secretTexts } from "../kit/world/cluster-authority.ts";
import { olderReleases, testBesideOlder } from "./beside-older.ts";
import { goOn, holdRoll, installOlder, rotationWaits, untilRotationWaits } from "./half-way.ts";
import { administrator, finishLoads, type Scene } from "./scene.ts";

// Of the cluster at the management API, and at engines.

const { namespace, cluster } = DEMO;
const REC = { name: cluster, namespace };
const PATIENCE = { withinMs: 120_000, everyMs: 100 };
const EACH = ["accepted", "accepted", "accepted"];
const ROTATION = "engines-rotation";
const WRITTEN = "written-by-a-user";

/** At first, at the management API. */
let first: Login = { username: "", password: "" };

for (const older of olderReleases())
  await testBesideOlder("another password of the cluster is asked for", older, {
    "the older release serves a database, and clients write in it": installOlder,
    "the roll is held up with one node new and two old": holdRoll,
    "another password is asked for: it waits for the older nodes, with a finding": ask,
    "what a user writes into the Secret is in use at once, and every node accepts it": write,
    "engines stay open to the older nodes, and get no password": leaveEngines,
    "once each node is new, what was asked for is made, and the former ones count besides": rotate,
    "the engines of the database know the cluster alone, by a password that was replaced with it": closeEngines,
    "no client was cut, and nothing is lost": finishLoads,
  });

async function ask(scene: Scene): Promise<void> {
  const { kube } = scene.play.world;
  first = await loginOf(kube, REC);
  const metadata = { annotations: { [ROTATE_PASSWORD_ANNOTATION]: "2026-11" } };
  await kube.patch(Clusters, REC, { type: "merge", body: { metadata } });
  await untilRotationWaits(scene);
  const { current, next, former } = await accessOf(kube, REC);
  assert.deepEqual({ current, next, former }, { current: first, next: undefined, former: [] });
  assert.deepEqual(await loginOf(kube, REC), first);
  assert.deepEqual(await answersTo(scene, first), EACH);
}

async function write(scene: Scene): Promise<void> {
  const { kube } = scene.play.world;
  const written = { ...first, password: WRITTEN };
  const data = { password: Buffer.from(WRITTEN).toString("base64") };
  await kube.patch(Secrets, REC, { type: "merge", body: { data } });
  const isUsed = async (): Promise<boolean> => (await accessOf(kube, REC)).current.password === WRITTEN;
  await until("it is in use", isUsed, PATIENCE);
  const isAccepted = async (): Promise<boolean> => (await answersTo(scene, written)).join() === EACH.join();
  await until("each node accepts it", isAccepted, PATIENCE);
  assert.equal((await answersTo(scene, first)).filter((answer) => answer === "accepted").length, 1, "the new node");
  await untilRotationWaits(scene);
}

async function leaveEngines(scene: Scene): Promise<void> {
  const { password, engines, [ROTATION]: rotation } = await databaseSecret(scene);
  assert.deepEqual({ engines, rotation }, { engines: undefined, rotation: undefined });
  assert.deepEqual(await enginesSay(scene, { user: DEFAULT_USER, password }), ["accepted", "accepted"]);
}

async function rotate(scene: Scene): Promise<void> {
  const { kube } = scene.play.world;
  await goOn(scene);
  const isMade = async (): Promise<boolean> => {
    const { answered, current, next } = await accessOf(kube, REC);
    const isWritten = (await loginOf(kube, REC)).password === current.password;
    return answered === "2026-11" && next === undefined && current.password !== WRITTEN && isWritten;
  };
  await until("the one that was asked for is in use", isMade, PATIENCE);
  const { current, former } = await accessOf(kube, REC);
  assert.deepEqual(await loginOf(kube, REC), current);
  assert.deepEqual(
    former.map(({ password }) => password),
    [first.password, WRITTEN],
  );
  for (const login of [first, { ...first, password: WRITTEN }, current])
    assert.deepEqual(await answersTo(scene, login), EACH);
  await until("nothing waits", async () => (await rotationWaits(scene)) === "", PATIENCE);
}

async function closeEngines(scene: Scene): Promise<void> {
  const isEnded = async (): Promise<boolean> => {
    const { [ROTATION]: rotation = "next" } = await databaseSecret(scene);
    return !/next|former/.test(rotation);
  };
  await until("it was replaced", isEnded, PATIENCE);
  const { password, engines } = await databaseSecret(scene);
  const say = async (user: string, secret: string | undefined) =>
    (await enginesSay(scene, { user, password: secret })).join();
  await until("they know it", async () => (await say(ENGINE_USER, engines)) === "accepted,accepted", PATIENCE);
  await until("they know no other", async () => (await say(DEFAULT_USER, password)) === "refused,refused", PATIENCE);
}

/** Of each engine. */
async function enginesSay(
  { play: { world } }: Scene,
  { user, password = "" }: { readonly user: string; readonly password: string | undefined },
): Promise<readonly string[]> {
  const client = await administrator(world.kube);
  const [{ shards }, nodes] = [await readDatabases(client), await client.call("nodes")];
  await client.close();
  return Promise.all(
    shards.map(({ node_uid, port }) => {
      const host = nodes.find(({ uid }) => String(uid) === String(node_uid))?.addr ?? "";
      return callEngine({ host, port, logins: [{ user, password }], timeoutMs: 5_000 }, "PING").then(
        () => "accepted",
        (error: unknown) => (/WRONGPASS/.test(String(error)) ? "refused" : String(error)),
      );
    }),
  );
}

/** Of each node. */
async function answersTo({ play: { world } }: Scene, login: Login): Promise<readonly string[]> {
  const addresses = await nodeAddresses(world.kube, REC);
  return Promise.all(addresses.map((address) => askLogin(world.kube, REC, address, login)));
}

function databaseSecret({ play: { world } }: Scene): Promise<Readonly<Record<string, string>>> {
  return secretTexts(world.kube, { name: clusterNames.databaseSecret(cluster, 1), namespace });
}
