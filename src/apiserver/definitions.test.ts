import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { rawApi, type RawApi } from "../../test/kit/api-client.ts";
import { until } from "../../test/kit/until.ts";

let api: RawApi;
before(async () => {
  api = await rawApi();
  await api.send("POST", CRDS, { body: definition("stores", "Store") });
});
after(() => api[Symbol.asyncDispose]());

const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const STORES = "/apis/example.io/v1/namespaces/default/stores";
const MERGE = "application/merge-patch+json";
const TABLE = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };

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

test("objects are defaulted, pruned and validated by the schema", async () => {
  const made = await api.send("POST", STORES, { body: store("good", { size: 3, odd: 1 }) });
  assert.deepEqual([made.code, made.body.spec], [201, { size: 3, mode: "fast" }]);
  assert.deepEqual(made.warnings, ['299 - "unknown field \\"spec.odd\\""']);
  const wrong = await api.send("POST", STORES, { body: store("bad", { size: 10, mode: "odd" }) });
  assert.equal(wrong.code, 422);
  assert.deepEqual(
    wrong.body.details.causes.map(({ field }: { field: string }) => field),
    ["spec.size", "spec.mode"],
  );
  assert.match(wrong.body.message, /^Store.example.io "bad" is invalid: \[spec.size: Invalid value: 10/);
});

test("status has its own subresource, and generation does not count it", async () => {
  const { body: made } = await api.send("POST", STORES, { body: { ...store("state"), status: { phase: "sent" } } });
  assert.deepEqual([made.status, made.metadata.generation], [undefined, 1]);
  const status = { status: { phase: "Running" }, spec: { size: 5 } };
  const written = await api.send("PATCH", `${STORES}/state/status`, { type: MERGE, body: status });
  assert.deepEqual(
    [written.body.status.phase, written.body.spec.size, written.body.metadata.generation],
    ["Running", 1, 1],
  );
  const spec = await api.send("PATCH", `${STORES}/state`, { type: MERGE, body: { spec: { size: 2 }, status: null } });
  assert.deepEqual([spec.body.status.phase, spec.body.metadata.generation], ["Running", 2]);
});

test("scale reads and writes the paths of the definition", async () => {
  await api.send("POST", STORES, { body: store("scaled", { size: 2 }) });
  assert.equal((await api.send("GET", `${STORES}/scaled/scale`)).body.spec.replicas, 2);
  const patched = await api.send("PATCH", `${STORES}/scaled/scale`, { type: MERGE, body: { spec: { replicas: 4 } } });
  assert.equal(patched.body.spec.replicas, 4);
  assert.equal((await api.send("GET", `${STORES}/scaled`)).body.spec.size, 4);
});

test("tables show the columns of the definition; a missing value is an empty cell", async () => {
  await api.send("POST", STORES, { body: store("shown", { size: 7 }) });
  const empty = (await api.send("GET", `${STORES}/shown`, { headers: TABLE })).body;
  assert.deepEqual(
    empty.columnDefinitions.map(({ name }: { name: string }) => name),
    ["Name", "Size", "Ready", "Port", "Big", "Age"],
  );
  assert.deepEqual(empty.rows[0].cells.slice(0, 5), ["shown", 7, null, null, null]);
  const status = { conditions: [{ type: "Ready", status: "True" }], ports: [{ port: 12 }, { port: 13 }], big: true };
  await api.send("PATCH", `${STORES}/shown/status`, { type: MERGE, body: { status } });
  const [row] = (await api.send("GET", `${STORES}?fieldSelector=metadata.name%3Dshown`, { headers: TABLE })).body.rows;
  assert.deepEqual(row.cells.slice(0, 5), ["shown", 7, "True", "12", true]);
  assert.match(row.cells[5], /^\d+s$/);
  assert.equal(row.object.kind, "PartialObjectMetadata");
});

test("every served version shows the same objects under its own name", async () => {
  await api.send("POST", STORES, { body: store("both") });
  const older = await api.send("GET", `${STORES.replace("/v1/", "/v1alpha1/")}/both`);
  assert.deepEqual([older.body.apiVersion, older.body.spec.size], ["example.io/v1alpha1", 1]);
  const written = await api.send("PUT", `${STORES.replace("/v1/", "/v1alpha1/")}/both`, {
    body: { ...older.body, spec: { size: 2 } },
  });
  assert.equal(written.body.apiVersion, "example.io/v1alpha1");
  assert.deepEqual((await api.send("GET", `${STORES}/both`)).body.spec.size, 2);
});

test("a changed definition holds for objects that are there already: new defaults, new columns", async () => {
  await api.send("POST", CRDS, { body: definition("things", "Thing", [version("v1")]) });
  const path = STORES.replace("stores", "things");
  await api.send("POST", path, { body: { ...store("old"), kind: "Thing" } });
  const schema = structuredClone(SCHEMA);
  Object.assign(schema.properties.spec.properties, { level: { type: "integer", default: 4 } });
  const next = version("v1", {
    schema: { openAPIV3Schema: schema },
    additionalPrinterColumns: [{ name: "Level", type: "integer", jsonPath: ".spec.level" }],
  });
  const { body: now } = await api.send("GET", `${CRDS}/things.example.io`);
  const put = await api.send("PUT", `${CRDS}/things.example.io`, {
    body: { ...now, spec: { ...now.spec, versions: [next] } },
  });
  assert.equal(put.code, 200, put.text);
  assert.equal((await api.send("GET", `${path}/old`)).body.spec.level, 4);
  assert.deepEqual((await api.send("GET", `${path}/old`, { headers: TABLE })).body.rows[0].cells, ["old", 4]);
});

test("a definition whose names are taken is not served", async () => {
  await api.send("POST", CRDS, { body: definition("copies", "Store", [version("v1")]) });
  const { body } = await api.send("GET", `${CRDS}/copies.example.io`);
  assert.deepEqual(
    body.status.conditions.map(({ status, reason }: { status: string; reason: string }) => [status, reason]),
    [
      ["False", "NameConflict"],
      ["False", "NotAccepted"],
    ],
  );
  assert.equal((await api.send("GET", STORES.replace("stores", "copies"))).code, 404);
});

const badDefinitions: readonly [rule: string, body: object, message: RegExp][] = [
  [
    "another name than plural.group",
    { ...definition("a", "A"), metadata: { name: "b.example.io" } },
    /must be spec.names.plural\+"\."\+spec.group/,
  ],
  [
    "two storage versions",
    definition("a", "A", [version("v1"), version("v2", { storage: true })]),
    /exactly one version marked as storage version/,
  ],
  ["no schema", definition("a", "A", [version("v1", { schema: undefined })]), /schemas are required/],
  [
    "a schema that is not structural",
    definition("a", "A", [version("v1", { schema: { openAPIV3Schema: { properties: {} } } })]),
    /openAPIV3Schema/,
  ],
  [
    "a column without a path",
    definition("a", "A", [
      version("v1", { additionalPrinterColumns: [{ name: "X", type: "string", jsonPath: "a b" }] }),
    ]),
    /is no JSON path/,
  ],
];
for (const [rule, body, message] of badDefinitions) {
  test(`a definition with ${rule} is refused`, async () => {
    const answer = await api.send("POST", CRDS, { body });
    assert.equal(answer.code, 422);
    assert.match(answer.body.message, message);
  });
}

test("strategic patches are for built-in kinds alone", async () => {
  const type = "application/strategic-merge-patch+json";
  assert.equal((await api.send("PATCH", `${STORES}/good`, { type, body: { spec: { size: 2 } } })).code, 415);
});

test("a deleted definition takes its objects along, and waits for their finalizers", async () => {
  await api.send("POST", CRDS, { body: definition("temps", "Temp", [version("v1")]) });
  const path = STORES.replace("stores", "temps");
  const body = { apiVersion: "example.io/v1", kind: "Temp", spec: { size: 1 } };
  await api.send("POST", path, { body: { ...body, metadata: { name: "free" } } });
  await api.send("POST", path, { body: { ...body, metadata: { name: "held", finalizers: ["example.io/x"] } } });
  const deleted = await api.send("DELETE", `${CRDS}/temps.example.io`);
  assert.deepEqual(deleted.body.metadata.finalizers, ["customresourcecleanup.apiextensions.k8s.io"]);
  await until("the free object is gone and the held one marked", async () => {
    const { items = [] } = (await api.send("GET", path)).body;
    return items.length === 1 && items[0].metadata.deletionTimestamp !== undefined;
  });
  await api.send("PATCH", `${path}/held`, { type: MERGE, body: { metadata: { finalizers: null } } });
  await until("the definition is gone", async () => (await api.send("GET", `${CRDS}/temps.example.io`)).code === 404);
  assert.equal((await api.send("GET", path)).code, 404);
});

test("definitions and their objects are served again after a restart", async () => {
  await api.send("POST", STORES, { body: store("survivor", { size: 6 }) });
  await api.restart();
  assert.equal((await api.send("GET", `${STORES}/survivor`)).body.spec.size, 6);
});
