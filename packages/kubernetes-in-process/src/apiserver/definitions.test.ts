import assert from "node:assert/strict";
import { test } from "node:test";
import { rawApi } from "../testing/api-client.ts";

const SCHEMA = { type: "object", properties: { spec: { type: "object", properties: { size: { type: "integer" } } } } };
const DEFINITION = {
  metadata: { name: "stores.example.io" },
  spec: {
    group: "example.io",
    scope: "Namespaced",
    names: { plural: "stores", kind: "Store" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: SCHEMA } }],
  },
};

test("definitions are served at once, and with their objects again after a restart", async () => {
  await using api = await rawApi();
  await api.send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", { body: DEFINITION });
  const stores = "/apis/example.io/v1/namespaces/default/stores";
  const body = { apiVersion: "example.io/v1", kind: "Store", metadata: { name: "survivor" }, spec: { size: 6 } };
  assert.equal((await api.send("POST", stores, { body })).code, 201);
  await api.restart();
  assert.equal((await api.send("GET", `${stores}/survivor`)).body.spec.size, 6);
});
