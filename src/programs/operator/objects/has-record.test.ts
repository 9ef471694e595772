import assert from "node:assert/strict";
import { test } from "node:test";
import { startOperatorWorld } from "../../../../test/kit/operator/operator-world.ts";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import { ConfigMaps } from "../../../ports/kube/builtin.ts";
import { hasRecord } from "./has-record.ts";

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
