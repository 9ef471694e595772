import assert from "node:assert/strict";
import { test } from "node:test";
import { startOperatorWorld } from "../../../../test/kit/operator/operator-world.ts";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import { ConfigMaps } from "#kit/kube/builtin";
import { LABELS } from "../../../core/api/names.ts";
import { hasRecord, hasRecordNamed } from "./has-record.ts";

const REF = { name: "rec-db-1", namespace: "default" };

test("a record that is there is found before anything is followed, and one that is not there is not", async () => {
  await using world = await startOperatorWorld();
  const { kube } = world;
  const cache = { records: { get: () => undefined } } as unknown as Pick<InformerCache, "records">; // nothing was listed yet
  assert.equal(await hasRecord({ kube, cache }, REF), false);
  await kube.create(ConfigMaps, { metadata: REF });
  assert.equal(await hasRecord({ kube, cache }, REF), true);
  assert.equal(await hasRecord({ kube, cache }, { ...REF, name: "rec-db-2" }), false);
});

test("a record of a database is found by its name where its uid was never known; one that cannot be read may be it", async () => {
  await using world = await startOperatorWorld();
  const { kube } = world;
  const named = (cluster: string, name: string): Promise<boolean> =>
    hasRecordNamed({ kube }, cluster, { name, namespace: REF.namespace });
  const make = (name: string, cluster: string, record: string): Promise<unknown> => {
    const labels = { [LABELS.cluster]: cluster, [LABELS.record]: "database" };
    return kube.create(ConfigMaps, { metadata: { ...REF, name, labels }, data: { record } });
  };
  await make("rec-db-1", "rec", JSON.stringify({ uid: 1, name: "orders" }));
  assert.deepEqual([await named("rec", "orders"), await named("rec", "carts")], [true, false]);
  assert.equal(await named("other", "orders"), false);
  await make("other-db-1", "other", "no JSON");
  assert.equal(await named("other", "orders"), true);
});
