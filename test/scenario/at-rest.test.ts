import assert from "node:assert/strict";
import { test } from "node:test";
import type { StoreEnterpriseDatabase } from "../../src/core/api/kinds.ts";
import { isTrue } from "#kit/kube/conditions";
import type { Stored } from "#kit/kube/kube";
import { Clusters, Databases } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import type { RouteName } from "../../src/ports/management/routes.ts";
import { loopbackAddress } from "../kit/engines/engine.ts";
import { startOperatorWorld, type OperatorWorld } from "../kit/operator/operator-world.ts";
import { simulateAgents, type SimulatedAgents } from "../kit/operator/simulated-agents.ts";
import { simulateNodes } from "../kit/operator/simulated-nodes.ts";
import { until } from "#kit/testing/until";

const DATABASES = 50;
const VERSION = "8.2.0-12";
const NODE_TAG = "8.2.0-25.12";
const PATIENCE = { withinMs: 60_000, everyMs: 50 };

/** Routes that are asked once each time the cluster is asked how it is, however many databases it has. */
const POLLED: readonly RouteName[] = ["nodes", "bdbs", "shards", "license", "modules", "actions", "clusterPolicy"];

test("in a settled world the operator writes nothing and only polls the cluster", async () => {
  await using settled = await settledWorld();
  const { world, agents } = settled;
  const before = callsOf(agents);
  const asked = world.asked().length;
  const polls = (): number => (agents.calls.get("nodes") ?? 0) - (before.get("nodes") ?? 0);
  await until("the cluster was asked three times more", () => polls() >= 3, PATIENCE);
  const since = world.asked().slice(asked);
  assert.deepEqual(since.filter(isWrite), [], "nothing is written");
  assert.deepEqual(since.filter(isOfDatabase), [], "no database is read");
  for (const [name, count] of callsOf(agents)) {
    const more = count - (before.get(name) ?? 0);
    assert.ok(more <= (POLLED.includes(name) ? polls() + 1 : 0), `${name} was asked ${more} times in ${polls()} polls`);
  }
});

test("an operator that starts in a settled world reads databases once and leaves them as they are", async () => {
  await using settled = await settledWorld();
  const { world, agents } = settled;
  await world.rest();
  const asked = world.asked().length;
  const polls = agents.calls.get("nodes") ?? 0;
  await world.operate(VERSION);
  await until("the cluster was asked three times", () => (agents.calls.get("nodes") ?? 0) >= polls + 3, PATIENCE);
  assert.deepEqual(world.asked().slice(asked).filter(isOfDatabase), ["list storeenterprisedatabases "]);
});

test("an edit of a database is one call and no more writes than it has states", async () => {
  await using settled = await settledWorld();
  const { world, agents } = settled;
  const asked = world.asked().length;
  const calls = agents.calls.get("updateBdb") ?? 0;
  const ref = { name: "db-7", namespace: world.namespace };
  await world.kube.patch(Databases, ref, { type: "merge", body: { spec: { memorySize: "200MB" } } });
  await until("the edit is handled", async () => isSettled(await world.kube.get(Databases, ref)), PATIENCE);
  assert.equal((agents.calls.get("updateBdb") ?? 0) - calls, 1);
  const update = "update storeenterprisedatabases db-7";
  const written = world.asked().slice(asked).filter(isOfDatabase);
  assert.deepEqual(new Set(written), new Set([update]));
  assert.ok(written.length <= 4, `asked for, under way, done, and what became of the action: ${written.length} writes`);
});

interface SettledWorld extends AsyncDisposable {
  readonly world: OperatorWorld;
  readonly agents: SimulatedAgents;
}

/** A cluster without engines in which every database is made and reported. */
async function settledWorld(): Promise<SettledWorld> {
  const world = await startOperatorWorld();
  const { kube, namespace } = world;
  const stop = new AbortController();
  const addresses = [loopbackAddress(), loopbackAddress(), loopbackAddress()];
  simulateNodes(kube, { namespace, addresses, signal: stop.signal });
  await world.operate(VERSION);
  await kube.create(Clusters, { metadata: { name: "rec", namespace }, spec: {} });
  const agents = await simulateAgents(kube, { cluster: "rec", namespace, addresses, nodeTag: NODE_TAG, changeMs: 20 });
  await world.cluster("it runs", ({ status }) => status?.state === "Running");
  for (let each = 0; each < DATABASES; each++) {
    await kube.create(Databases, { metadata: { name: `db-${each}`, namespace }, spec: {} });
  }
  const areSettled = async (): Promise<boolean> => (await kube.list(Databases, { namespace })).items.every(isSettled);
  await until("every database is active", areSettled, PATIENCE);
  // the cluster itself rests once it has been asked and nothing was new
  const polls = agents.calls.get("nodes") ?? 0;
  await until("the cluster was asked twice", () => (agents.calls.get("nodes") ?? 0) >= polls + 2, PATIENCE);
  return {
    world,
    agents,
    [Symbol.asyncDispose]: async () => {
      await world.rest();
      stop.abort();
      await agents[Symbol.asyncDispose]();
      await world[Symbol.asyncDispose]();
    },
  };
}

function isSettled(redb: Stored<StoreEnterpriseDatabase> | undefined): boolean {
  const { status } = redb ?? {};
  return (
    status?.status === "active" &&
    status.observedGeneration === redb?.metadata.generation &&
    isTrue(status.conditions, "Ready")
  );
}

function callsOf({ calls }: SimulatedAgents): ReadonlyMap<RouteName, number> {
  return new Map(calls);
}

function isWrite(request: string): boolean {
  return !/^(get|list) /.test(request);
}

/** A database, its Secret or an event about it. */
function isOfDatabase(request: string): boolean {
  return / storeenterprisedatabases | secrets redb-| events db-/.test(request);
}
