import assert from "node:assert/strict";
import { test } from "node:test";
import { testApi } from "#kubernetes/testing/api-server";
import { silentLog } from "#kit/base/log";
import { LABELS } from "../../core/api/names.ts";
import { objectApplier } from "#kit/reconcile/object-applier";
import { systemClock } from "#kit/reconcile/system-clock";
import { ConfigMaps, EndpointSlices, Pods, Services } from "#kit/kube/builtin";
import { startInformer } from "#kit/kube/informer";
import type { Kube, Stored } from "#kit/kube/kube";
import type { ManagementClient } from "../../ports/management/client.ts";
import { riggerReconciler } from "./reconcile.ts";

const namespace = "default";
const PAYROLL = { name: "payroll", namespace };

test("a database does not take Service and addresses of another cluster's database of its name", async () => {
  await using scene = await startScene();
  await scene.rig("finance", "10.1.1.1");
  const before = await scene.stored();
  await scene.rig("playground", "10.2.2.2");
  assert.deepEqual(await scene.stored(), before);
  assert.deepEqual(owners(before.service), ["finance-db-1"]);
  assert.equal(before.slice?.endpoints[0]?.addresses[0], "10.1.1.1");
});

test("a Service or an EndpointSlice that is not marked as the database's stays as it is", async () => {
  const marked = { [LABELS.cluster]: "rec", [LABELS.database]: PAYROLL.name };
  await using scene = await startScene();
  for (const labels of [{}, { [LABELS.database]: PAYROLL.name }, marked]) {
    const spec = { ports: [{ port: 80 }] };
    const own = await scene.kube.create(Services, { metadata: { ...PAYROLL, labels }, spec });
    await scene.rig("rec", "10.1.1.1");
    assert.equal((await scene.stored()).service?.metadata.resourceVersion, own.metadata.resourceVersion);
    await scene.kube.delete(Services, PAYROLL);
  }
  const addresses = { addressType: "IPv4", endpoints: [{ addresses: ["10.9.9.9"] }] };
  await scene.kube.create(EndpointSlices, { metadata: { ...PAYROLL, labels: marked }, ...addresses });
  await scene.rig("rec", "10.1.1.1");
  assert.equal((await scene.stored()).service, undefined);
});

test("a record that has returned under another uid keeps the Service of its database", async () => {
  await using scene = await startScene();
  await scene.rig("rec", "10.1.1.1");
  await scene.kube.delete(ConfigMaps, { name: "rec-db-1", namespace });
  await scene.rig("rec", "10.2.2.2");
  assert.equal((await scene.stored()).slice?.endpoints[0]?.addresses[0], "10.2.2.2");
});

test("a Service that Kubernetes refuses keeps no other database, nor its own addresses, from clients", async () => {
  await using scene = await startScene();
  const refusing: Kube = {
    ...scene.kube,
    apply: (type, object, options) =>
      type.plural === Services.plural && object.metadata.name === "extra"
        ? Promise.reject(new Error("exceeded quota: services"))
        : scene.kube.apply(type, object, options),
  };
  await rigOnce(refusing, scene.signal, "rec", "10.1.1.1", ["extra", PAYROLL.name]);
  const { service, slice } = await scene.stored();
  assert.ok(service);
  assert.equal(slice?.endpoints[0]?.addresses[0], "10.1.1.1");
  const own = await scene.kube.get(EndpointSlices, { name: "extra", namespace });
  assert.equal(own?.endpoints[0]?.addresses[0], "10.1.1.1");
});

interface Scene extends AsyncDisposable {
  readonly kube: Kube;
  /** Ends what follows objects, with the scene. */
  readonly signal: AbortSignal;
  /** One pass of the rigger of `cluster`, whose only database is `payroll`, on one node with that address. */
  rig(cluster: string, address: string): Promise<void>;
  stored(): ReturnType<typeof readAll>;
}

async function startScene(): Promise<Scene> {
  await using stack = new AsyncDisposableStack();
  const { kube } = stack.use(await testApi());
  const stop = new AbortController();
  stack.defer(() => {
    stop.abort();
  });
  const owned = stack.move();
  return {
    kube,
    signal: stop.signal,
    rig: (cluster, address) => rigOnce(kube, stop.signal, cluster, address),
    stored: () => readAll(kube),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function rigOnce(
  kube: Kube,
  signal: AbortSignal,
  cluster: string,
  addr: string,
  databases: readonly string[] = [PAYROLL.name],
): Promise<void> {
  const labels = { [LABELS.cluster]: cluster };
  for (const [index] of databases.entries()) {
    const name = `${cluster}-db-${index + 1}`;
    if ((await kube.get(ConfigMaps, { name, namespace })) === undefined)
      await kube.create(ConfigMaps, { metadata: { name, namespace, labels }, data: {} });
  }
  const options = {
    namespace,
    labelSelector: `${LABELS.cluster}=${cluster}`,
    clock: systemClock,
    log: silentLog,
    signal,
  };
  const cache = {
    pods: startInformer(kube, Pods, options),
    records: startInformer(kube, ConfigMaps, options),
    services: startInformer(kube, Services, options),
    slices: startInformer(kube, EndpointSlices, options),
  };
  await Promise.all(Object.values(cache).map(({ synced }) => synced));
  const kinds = [
    { type: Services, cache: cache.services },
    { type: EndpointSlices, cache: cache.slices },
  ];
  const applier = objectApplier(kube, `${cluster}-services-rigger`, kinds);
  const common = { kube, applier, log: silentLog, cluster, namespace, sinceChangeMs: () => 0 };
  await riggerReconciler({ ...common, ...cache, client: () => clientOf(addr, databases) })();
}

function clientOf(addr: string, databases: readonly string[]): ManagementClient {
  const node = { uid: 1, addr, status: "active", accepts_clients: true, maintenance: false, role: "member" };
  const bdbs = databases.map((name, index) => ({
    uid: index + 1,
    name,
    port: 10_000 + index,
    status: "active",
    endpoints: [{ addr: [addr] }],
  }));
  const call = (route: string): Promise<unknown> => Promise.resolve(route === "nodes" ? [node] : bdbs);
  return { call } as unknown as ManagementClient;
}

async function readAll(kube: Kube) {
  const [service, slice] = await Promise.all([kube.get(Services, PAYROLL), kube.get(EndpointSlices, PAYROLL)]);
  return { service, slice };
}

function owners(object: Stored<object> | undefined): readonly string[] {
  return (object?.metadata.ownerReferences ?? []).map(({ name }) => name);
}
