import assert from "node:assert/strict";
import { test } from "node:test";
import { deployOperator } from "../../../../test/kit/operator/operator-deployment.ts";
import { startOperatorWorld } from "../../../../test/kit/operator/operator-world.ts";
import { until } from "#kit/testing/until";
import { FINALIZERS } from "../../../core/api/kinds.ts";
import { OPERATOR_NAME } from "../../../core/api/names.ts";
import { silentLog } from "#kit/base/log";
import type { Clock } from "#kit/base/clock";
import { CustomResourceDefinitions, Deployments, Events, ServiceAccounts } from "#kit/kube/builtin";
import { eventRecorder } from "#kit/kube/events";
import type { Kube } from "#kit/kube/kube";
import { startInformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import { ownNamespaceOnly } from "../../../mechanisms/observe/kubernetes/watched-namespaces.ts";
import { Clusters } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import { systemClock } from "#kit/reconcile/system-clock";
import { followTeardown, type Teardown } from "./teardown.ts";

const OWN = { name: OPERATOR_NAME, namespace: "default" };

test("an operator whose definitions are deleted before it removes its own finalizers", async () => {
  await using world = await startOperatorWorld();
  const { kube } = world;
  using stop = aborting();
  const teardown = teardownOf(kube, stop.signal);
  await deployOperator(kube, "default");
  await kube.create(Clusters, { metadata: { name: "rec", namespace: "default" }, spec: {} });
  const hasFinalizer = async (): Promise<boolean> => {
    await teardown.reconcileFinalizer();
    return ((await kube.get(Deployments, OWN))?.metadata.finalizers ?? []).length > 0;
  };
  await until("the operator has its finalizer", hasFinalizer, { withinMs: 15_000, everyMs: 20 });

  await kube.delete(Clusters, { name: "rec", namespace: "default" });
  const { items: definitions } = await kube.list(CustomResourceDefinitions);
  for (const { metadata } of definitions) await kube.delete(CustomResourceDefinitions, metadata);
  await kube.delete(ServiceAccounts, OWN);
  await kube.delete(Deployments, OWN);
  await teardown.run();
  assert.equal(await kube.get(Deployments, OWN), undefined);
  assert.equal(await kube.get(ServiceAccounts, OWN), undefined);
});

test("an operator that is asked to end while its Deployment is deleted, as with its namespace, removes its finalizers", async () => {
  await using world = await startOperatorWorld();
  const { kube } = world;
  const stop = new AbortController();
  const teardown = teardownOf(kube, stop.signal);
  const rec = { name: "rec", namespace: "default" };
  await deployOperator(kube, "default");
  await kube.create(Clusters, { metadata: { ...rec, finalizers: [FINALIZERS.cluster] }, spec: {} });
  const isHeld = async (): Promise<boolean> => {
    await teardown.reconcileFinalizer();
    return ((await kube.get(Deployments, OWN))?.metadata.finalizers ?? []).length > 0;
  };
  await until("the operator has its finalizer", isHeld, { withinMs: 15_000, everyMs: 20 });
  stop.abort();
  assert.equal(await teardown.isDue(), false);
  await kube.delete(Clusters, rec);
  await kube.delete(Deployments, OWN);
  await kube.delete(ServiceAccounts, OWN);
  assert.equal(await teardown.isDue(), true);
  await teardown.run();
  assert.equal(await kube.get(Clusters, rec), undefined);
  assert.equal(await kube.get(Deployments, OWN), undefined);
});

test("definitions that are deleted with the bundle of another namespace leave no cluster behind here", async () => {
  await using world = await startOperatorWorld();
  const { kube } = world;
  await world.operate("8.2.0-12");
  await kube.create(Clusters, { metadata: { name: "rec", namespace: "default" }, spec: {} });
  await world.cluster("it has its finalizer", ({ metadata }) => metadata.finalizers?.length === 1);
  const ours = (await kube.list(CustomResourceDefinitions)).items.map(({ metadata }) => metadata);
  // clusters last, as their operator still waits for databases then
  const [clusters, others] = [true, false].map((wanted) =>
    ours.filter(({ name }) => name.startsWith("storeenterpriseclusters.") === wanted),
  );
  for (const definition of others ?? []) await kube.delete(CustomResourceDefinitions, definition);
  const left = async (): Promise<number> => (await kube.list(CustomResourceDefinitions)).items.length;
  await until("the others are gone", async () => (await left()) === 1, { withinMs: 15_000, everyMs: 20 });
  for (const definition of clusters ?? []) await kube.delete(CustomResourceDefinitions, definition);
  await until("clusters are gone too", async () => (await left()) === 0, { withinMs: 30_000, everyMs: 20 });
});

test("an account that is deleted while its Deployment stays ends, with an event that says how it is made again", async () => {
  await using world = await startOperatorWorld();
  const { kube } = world;
  using stop = aborting();
  const late = { ms: 0 };
  const clock = { ...systemClock, uptimeMs: () => systemClock.uptimeMs() + late.ms };
  const teardown = teardownOf(kube, stop.signal, clock);
  await deployOperator(kube, "default");
  await kube.create(Clusters, { metadata: { name: "rec", namespace: "default" }, spec: {} });
  const isHeld = async (): Promise<boolean> => {
    await teardown.reconcileFinalizer();
    return ((await kube.get(ServiceAccounts, OWN))?.metadata.finalizers ?? []).length > 0;
  };
  await until("the account has its finalizer", isHeld, { withinMs: 15_000, everyMs: 20 });
  await kube.delete(ServiceAccounts, OWN);
  const isSeen = async (): Promise<boolean> => (await teardown.reconcileFinalizer()).kind === "again";
  await until("its deletion is seen", isSeen, { withinMs: 15_000, everyMs: 20 });
  assert.notEqual(await kube.get(ServiceAccounts, OWN), undefined, "the rest of a bundle may follow");
  late.ms = 20_000;
  await teardown.reconcileFinalizer();
  assert.equal(await kube.get(ServiceAccounts, OWN), undefined);
  const { items } = await kube.list(Events, { namespace: "default" });
  const said = items.find(({ reason }) => reason === "AccountDeleted");
  assert.equal(said?.involvedObject.kind, "Deployment");
  assert.match(said.message ?? "", /kubectl apply -f bundle\.yaml && kubectl rollout restart deployment\//);
  await kube.create(ServiceAccounts, { metadata: OWN });
  await until("the next account is held again", isHeld, { withinMs: 15_000, everyMs: 20 });
});

function aborting(): Disposable & { readonly signal: AbortSignal } {
  const stop = new AbortController();
  return {
    signal: stop.signal,
    [Symbol.dispose]: () => {
      stop.abort();
    },
  };
}

function teardownOf(kube: Kube, signal: AbortSignal, clock: Clock = systemClock): Teardown {
  const log = silentLog;
  const events = eventRecorder(kube, { component: OPERATOR_NAME, clock, log });
  const cache = startInformerCache(kube, { namespace: "default", clock, log, signal });
  return followTeardown({
    kube,
    namespace: "default",
    watched: ownNamespaceOnly("default"),
    cache,
    clock,
    log,
    events,
    signal,
  });
}
