import assert from "node:assert/strict";
import { keptReleases } from "../../scripts/releases/history.ts";
import { Databases } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { Secrets } from "#kit/kube/builtin";
import type { ManagementClient } from "../../src/ports/management/client.ts";
import { callEngine } from "../../src/ports/resp/engine-client.ts";
import { DEMO } from "../../src/programs/demo/steps/objects.ts";
import {
  createCluster,
  createDatabase,
  installOperator,
  upgradeOperator,
} from "../../src/programs/demo/steps/steps.ts";
import { until } from "#kit/testing/until";
import { testBesideOlder } from "./beside-older.ts";
import { goOn, holdRoll } from "./half-way.ts";
import { administrator, awaitSingle, finishLoads, SINGLE, startLoads, type Scene } from "./scene.ts";

const { namespace, database } = DEMO;
const PATIENCE = { withinMs: 120_000, everyMs: 100 };
const NODES = [1, 2, 3];

await testBesideOlder("a password changes", keptReleases()[0], {
  "the older release serves databases, and clients write in them": install,
  "the roll is held up with one node new and two old": holdRoll,
  "the new node refuses the change by name, whichever node leads": refuseAtNewNode,
  "what an older node changes all the same is taken with an overlap, by the new node too": changeAtOlderNode,
  "a changed Secret waits until the roll is over, and is then applied with an overlap": changeSecret,
  "no client was cut, and nothing is lost": finishLoads,
});

async function install(scene: Scene): Promise<void> {
  const { stage, world, older, releases, latest } = scene.play;
  await installOperator(stage, await scene.from.bundle(), older);
  await createCluster(stage, older);
  await createDatabase(stage, "7.2");
  await startLoads(scene, [database]);
  await world.kube.create(Databases, SINGLE);
  await awaitSingle(world.kube, "7.2");
  await upgradeOperator(stage, releases, latest);
}

async function refuseAtNewNode({ play: { world } }: Scene): Promise<void> {
  const client = await administrator(world.kube, 3);
  const leaders = (await client.call("nodes")).filter(({ role }) => role === "leader");
  assert.deepEqual(
    leaders.map(({ uid }) => uid === 3),
    [false],
    "the node that was just replaced does not lead",
  );
  const current = await passwordOf(world.kube, SINGLE.metadata.name);
  const isServed = async (): Promise<boolean> =>
    (await acceptedBy(client, SINGLE.metadata.name, current)).length === NODES.length;
  await until("each node has opened the endpoint", isServed, PATIENCE);
  const uid = await uidOf(client, SINGLE.metadata.name);
  const body = { authentication_redis_pass: "second" };
  await assert.rejects(
    client.call("updateBdb", { params: { uid }, body }),
    /no node of an older release keeps to the overlap.*node 1 \(7\.22\.2-21\), node 2/,
  );
  for (const route of ["addPassword", "replacePasswords"] as const)
    await assert.rejects(client.call(route, { params: { uid }, body: { password: "second" } }), /older release/);
  assert.deepEqual(await acceptedBy(client, SINGLE.metadata.name, "second"), []);
  await assert.rejects(setEvents(world, client), /AGENT_OLDER_NODE: .* failed: .*node 1 \(7\.22\.2-21\), node 2/);
  await client.close();
}

/** A client of the new node sets a parameter, which older nodes would not apply. */
async function setEvents({ kube }: Scene["play"]["world"], client: ManagementClient): Promise<unknown> {
  const { name } = SINGLE.metadata;
  const port = (await client.call("bdbs")).find((one) => one.name === name)?.port ?? 0;
  const host = (await client.call("nodes")).find(({ uid }) => uid === 3)?.addr ?? "";
  const at = { host, port, password: await passwordOf(kube, name), timeoutMs: 8_000 };
  return callEngine(at, "CONFIG", "SET", "notify-keyspace-events", "KEA");
}

async function changeAtOlderNode({ play: { world } }: Scene): Promise<void> {
  const { name } = SINGLE.metadata;
  const before = await passwordOf(world.kube, name);
  const older = await administrator(world.kube, 1);
  const body = { authentication_redis_pass: "by an older node" };
  await older.call("updateBdb", { params: { uid: await uidOf(older, name) }, body });
  const isTaken = async (): Promise<boolean> =>
    (await acceptedBy(older, name, body.authentication_redis_pass)).length === 3;
  await until("each node accepts the new one", isTaken, PATIENCE);
  assert.deepEqual(await acceptedBy(older, name, before), NODES);
  await older.close();
}

async function changeSecret(scene: Scene): Promise<void> {
  const { world } = scene.play;
  const first = await passwordOf(world.kube, database);
  const data = { password: Buffer.from("second").toString("base64") };
  await world.kube.patch(Secrets, { name: `redb-${database}`, namespace }, { type: "merge", body: { data } });
  const mixed = await administrator(world.kube);
  assert.deepEqual(await acceptedBy(mixed, database, first), NODES);
  await mixed.close();
  await goOn(scene);
  const client = await administrator(world.kube);
  const isApplied = async (): Promise<boolean> => (await acceptedBy(client, database, "second")).length === 3;
  await until("the password of the Secret is accepted", isApplied, PATIENCE);
  assert.equal(await setEvents(world, client), "OK", "once no older node is a member");
  assert.deepEqual(await acceptedBy(client, database, first), NODES, "the former one until the overlap ends");
  await client.close();
}

/** The password in the Secret of a database. */
async function passwordOf(kube: Scene["play"]["world"]["kube"], name: string): Promise<string> {
  const data = (await kube.get(Secrets, { name: `redb-${name}`, namespace }))?.data ?? {};
  return Buffer.from(data["password"] ?? "", "base64").toString();
}

async function uidOf(client: ManagementClient, name: string): Promise<number> {
  return (await client.call("bdbs")).find((one) => one.name === name)?.uid ?? 0;
}

/** The nodes whose endpoint of the database takes a client with this password. */
async function acceptedBy(client: ManagementClient, name: string, password: string): Promise<readonly number[]> {
  const bdb = (await client.call("bdbs")).find((one) => one.name === name);
  const nodes = await client.call("nodes");
  const taken = await Promise.all(
    nodes.map(({ addr }) =>
      callEngine({ host: addr, port: bdb?.port ?? 0, password, timeoutMs: 5_000 }, "PING").then(
        () => true,
        () => false,
      ),
    ),
  );
  return nodes.filter((_node, index) => taken[index]).map(({ uid }) => uid);
}
