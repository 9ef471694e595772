import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { rawApi, type RawApi } from "../../test/kit/api-client.ts";

let api: RawApi;
before(async () => {
  api = await rawApi();
  await api.send("POST", CRDS, { body: definition("stores", "Store") });
});
after(() => api[Symbol.asyncDispose]());

const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const STORES = "/apis/example.io/v1/namespaces/default/stores";

const SCHEMA = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      required: ["size"],
      properties: {
        size: { type: "integer", minimum: 1, maximum: 9 },
        mode: { type: "string", enum: ["fast", "slow"], default: "fast" },
      },
    },
    status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  },
};

function version(name: string, more: object = {}): object {
  return {
    name,
    served: true,
    storage: name === "v1",
    schema: { openAPIV3Schema: SCHEMA },
    subresources: { status: {}, scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" } },
    additionalPrinterColumns: [
      { name: "Size", type: "integer", jsonPath: ".spec.size" },
      { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
      { name: "Port", type: "string", jsonPath: ".status.ports[*].port", priority: 1 },
      { name: "Big", type: "boolean", jsonPath: ".status.big" },
      { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    ],
    ...more,
  };
}

function definition(plural: string, kind: string, versions: object[] = [version("v1"), version("v1alpha1")]): object {
  const names = { plural, kind, shortNames: [plural.slice(0, 3)], categories: ["all"] };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.example.io` },
    spec: { group: "example.io", scope: "Namespaced", names, versions },
  };
}

function store(name: string, spec: object = { size: 1 }): object {
  return { apiVersion: "example.io/v1", kind: "Store", metadata: { name }, spec };
}

test("a definition is established at once and served in discovery", async () => {
  const { body } = await api.send("GET", `${CRDS}/stores.example.io`);
  assert.deepEqual(
    body.status.conditions.map(({ type, status }: { type: string; status: string }) => [type, status]),
    [
      ["NamesAccepted", "True"],
      ["Established", "True"],
    ],
  );
  assert.deepEqual(body.status.storedVersions, ["v1"]);
  assert.equal(body.spec.names.singular, "store");
  const group = await api.send("GET", "/apis/example.io");
  assert.deepEqual([group.body.preferredVersion.version, group.body.versions.length], ["v1", 2]);
  const list = await api.send("GET", "/apis/example.io/v1");
  assert.deepEqual(
    list.body.resources.map(({ name }: { name: string }) => name),
    ["stores", "stores/status", "stores/scale"],
  );
  const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  const all = await api.send("GET", "/apis", { headers: { accept } });
  const found = all.body.items.find(({ metadata }: { metadata: { name: string } }) => metadata.name === "example.io");
  assert.deepEqual(found.versions[0].resources[0].shortNames, ["sto"]);
});

test("its OpenAPI document names the kind and the parameters of writes", async () => {
  const index = await api.send("GET", "/openapi/v3");
  const url: string = index.body.paths["apis/example.io/v1"].serverRelativeURL;
  const { body } = await api.send("GET", url);
  const schema = body.components.schemas["io.example.v1.Store"];
  assert.deepEqual(schema["x-kubernetes-group-version-kind"], [{ group: "example.io", version: "v1", kind: "Store" }]);
  const patch = body.paths["/apis/example.io/v1/namespaces/{namespace}/stores/{name}"].patch;
  const parameters = patch.parameters.map(({ name }: { name: string }) => name);
  assert.ok(["fieldValidation", "dryRun", "fieldManager"].every((name) => parameters.includes(name)));
});

test("definitions and their objects are served again after a restart", async () => {
  await api.send("POST", STORES, { body: store("survivor", { size: 6 }) });
  await api.restart();
  assert.equal((await api.send("GET", `${STORES}/survivor`)).body.spec.size, 6);
});
