import assert from "node:assert/strict";
import { test } from "node:test";
import type { Service } from "kubernetes-types/core/v1.js";
import { testApi } from "../../../kubernetes-in-process/src/testing/api-server.ts";
import { until } from "../testing/until.ts";
import { silentLog } from "../base/log.ts";
import { Services } from "../kube/builtin.ts";
import { startInformer, type Informer } from "../kube/informer.ts";
import type { Kube, Wanted } from "../kube/kube.ts";
import { objectApplier, type OwnedObject } from "./object-applier.ts";
import { systemClock } from "./system-clock.ts";

const REF = { name: "rec", namespace: "default" };

function service(port: number): OwnedObject {
  const object: Wanted<Service> = {
    metadata: { ...REF, labels: { app: "store" } },
    spec: { clusterIP: "None", ports: [{ name: "api", port }] },
  };
  return { type: Services, object };
}

const cases: readonly {
  readonly name: string;
  /** What happens after the first time; `kube` is that of another writer. */
  readonly meanwhile?: (kube: Kube) => Promise<unknown>;
  readonly wanted?: OwnedObject;
  readonly afresh?: boolean;
  readonly applies: number;
  /** In the end; 1 when absent. */
  readonly ports?: number;
}[] = [
  { name: "an object that equals the last one applied is not applied", applies: 0 },
  { name: "a changed object is applied", wanted: service(9444), applies: 1 },
  { name: "an object is applied again when asked for afresh", afresh: true, applies: 1 },
  {
    name: "a field that another writer changed is put right",
    meanwhile: (kube) => kube.patch(Services, REF, merge({ metadata: { labels: { app: "other" } } })),
    applies: 1,
  },
  {
    name: "an item that another writer added to a list stays, and is removed once at most",
    meanwhile: (kube) => kube.patch(Services, REF, merge({ spec: { ports: [port("api", 9443), port("more", 1)] } })),
    applies: 1,
    ports: 2,
  },
  {
    name: "a field that another writer added stays",
    meanwhile: (kube) => kube.patch(Services, REF, merge({ metadata: { labels: { theirs: "yes" } } })),
    applies: 0,
  },
  {
    name: "an object that another writer deleted comes back",
    meanwhile: (kube) => kube.delete(Services, REF),
    applies: 1,
  },
];

for (const { name, meanwhile, wanted = service(9443), afresh = false, applies, ports = 1 } of cases) {
  test(`the object applier: ${name}`, async () => {
    await using api = await testApi();
    const stop = new AbortController();
    using _ended = { [Symbol.dispose]: () => stop.abort() };
    const options = { namespace: REF.namespace, clock: systemClock, log: silentLog, signal: stop.signal };
    const cache = startInformer(api.kube, Services, options);
    await cache.synced;
    let applied = 0;
    const kube: Kube = { ...api.kube, apply: (...given) => ((applied += 1), api.kube.apply(...given)) };
    const applier = objectApplier(kube, "keeper", [{ type: Services, cache }]);
    await applier.keep([service(9443)]);
    assert.equal(applied, 1, "the first time everything is");
    await meanwhile?.(api.kube);
    const stored = await api.kube.get(Services, REF);
    await until("the informer cache has caught up", () => {
      return cache.get(REF)?.metadata.resourceVersion === stored?.metadata.resourceVersion;
    });
    assert.equal(applier.isKept([wanted]), applies === 0 || afresh);
    await applier.keep([wanted], afresh);
    assert.equal(applied - 1, applies);
    assert.ok(applier.isKept([wanted]));
    const now = await api.kube.get(Services, REF);
    assert.deepEqual([now?.metadata.labels?.["app"], now?.spec?.ports?.length], ["store", ports]);
  });
}

test("the object applier: one object that is refused keeps no other from being applied", async () => {
  const tried: string[] = [];
  const objects = ["first", "second", "third", "fourth"].map((name): OwnedObject => ({
    type: Services,
    object: { metadata: { name, namespace: REF.namespace } },
  }));
  const kube = {
    apply: async (_: unknown, object: Wanted<object>) => {
      tried.push(object.metadata.name);
      if (refused.includes(object.metadata.name)) throw new Error(`no ${object.metadata.name}`);
      return { ...object, metadata: { ...object.metadata, resourceVersion: "1" } };
    },
  } as unknown as Kube; // `keep` asks for no more
  const cache = { get: () => undefined, learn: () => undefined } as unknown as Informer<object>;
  const applier = objectApplier(kube, "keeper", [{ type: Services, cache }]);
  let refused = ["second"];
  await assert.rejects(applier.keep(objects), { message: "no second" });
  assert.deepEqual(tried, ["first", "second", "third", "fourth"]);
  refused = ["first", "third"];
  await assert.rejects(applier.keep(objects), (error: AggregateError) => {
    assert.deepEqual(
      error.errors.map((one: Error) => one.message),
      ["no first", "no third"],
    );
    return true;
  });
});

function merge(body: object) {
  return { type: "merge", body } as const;
}

function port(name: string, number: number) {
  return { name, port: number, targetPort: number };
}
