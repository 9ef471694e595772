import assert from "node:assert/strict";
import { until } from "#kit/testing/until";
import { PATCH } from "./objects.ts";
import { CRDS, definition, install, groupOf, store, version } from "./store-definition.ts";
import { wrongDefinitionRules } from "./wrong-definitions.ts";
import type { Rule, RuleSet } from "./rule-set.ts";

const TABLE = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };

/** CustomResourceDefinitions and the objects that they define. */
export const definitions: RuleSet = {
  title: "definitions",
  prepare: (context) => install(context, definition(context, "stores", "Store")),
  rules: [
    schemaRules,
    subresourceRules,
    presentationRules,
    versionRules,
    changeRules,
    deletionRules,
    wrongDefinitionRules,
  ],
};

function schemaRules(rule: Rule): void {
  rule("a definition is established, with names and stored versions in its status", async (context) => {
    const { body } = await context.send("GET", `${CRDS}/stores.${groupOf(context)}`);
    const conditions: { type: string; status: string; reason: string }[] = body.status.conditions;
    assert.deepEqual(conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`).sort(), [
      "Established True InitialNamesAccepted",
      "NamesAccepted True NoConflicts",
    ]);
    assert.deepEqual(body.status.storedVersions, ["v1"]);
    assert.deepEqual(
      [body.spec.names.singular, body.spec.names.listKind, body.spec.conversion],
      ["store", "StoreList", { strategy: "None" }],
    );
  });

  rule("objects are defaulted and pruned by the schema", async (context) => {
    const { code, body, warnings } = await context.send("POST", stores(context), {
      body: store(context, "good", { size: 3, odd: 1, free: { any: { thing: [1] } } }),
    });
    assert.deepEqual([code, body.spec], [201, { size: 3, mode: "fast", free: { any: { thing: [1] } } }]);
    assert.deepEqual(warnings, ['299 - "unknown field \\"spec.odd\\""']);
    const strict = await context.send("POST", `${stores(context)}?fieldValidation=Strict`, {
      body: store(context, "strict", { size: 3, odd: 1 }),
    });
    assert.equal(strict.code, 400);
    assert.match(strict.body.message, /strict decoding error: unknown field "spec.odd"$/);
  });

  rule("what the schema forbids is invalid, each field with a cause", async (context) => {
    const body = store(context, "bad", { size: 10, mode: "odd", ports: [{ port: 1 }] });
    const { code, body: refused } = await context.send("POST", stores(context), { body });
    assert.equal(code, 422);
    const causes: { field: string; message: string; reason: string }[] = refused.details.causes;
    assert.deepEqual(causes.map(({ field, reason }) => `${field} ${reason}`).sort(), [
      "spec.mode FieldValueNotSupported",
      "spec.ports[0].name FieldValueRequired",
      "spec.size FieldValueInvalid",
    ]);
    assert.match(refused.message, new RegExp(`^Store.${groupOf(context)} "bad" is invalid: \\[spec`));
    assert.ok(
      causes.some(
        ({ message }) => message === "Invalid value: 10: spec.size in body should be less than or equal to 9",
      ),
    );
  });

  rule("a null where nothing may be null falls to the default, or is pruned", async (context) => {
    const body = store(context, "nulls", { size: 1, mode: null });
    const { code, body: made } = await context.send("POST", stores(context), { body });
    assert.deepEqual([code, made.spec], [201, { size: 1, mode: "fast" }]);
  });

  rule("an update without a resourceVersion is refused", async (context) => {
    await context.send("POST", stores(context), { body: store(context, "blind") });
    const { code, body } = await context.send("PUT", `${stores(context)}/blind`, { body: store(context, "blind") });
    assert.equal(code, 422);
    assert.match(body.message, /metadata.resourceVersion: Invalid value: .*must be specified for an update/);
  });
}

function subresourceRules(rule: Rule): void {
  rule("status has its own subresource, and generation counts the rest", async (context) => {
    const { send } = context;
    const path = `${stores(context)}/state`;
    const sent = { ...store(context, "state"), status: { phase: "sent" } };
    const { body: made } = await send("POST", stores(context), { body: sent });
    assert.deepEqual([made.status, made.metadata.generation], [undefined, 1]);
    const patch = async (target: string, body: object) =>
      (await send("PATCH", target, { type: PATCH.merge, body })).body;
    const written = await patch(`${path}/status`, { status: { phase: "Running" }, spec: { size: 5 } });
    assert.deepEqual([written.status.phase, written.spec.size, written.metadata.generation], ["Running", 1, 1]);
    const labelled = await patch(path, { metadata: { labels: { a: "b" } } });
    assert.equal(labelled.metadata.generation, 1);
    const changed = await patch(path, { spec: { size: 2 }, status: null });
    assert.deepEqual([changed.status.phase, changed.metadata.generation], ["Running", 2]);
    const viaStatus = await patch(`${path}/status`, { metadata: { labels: { a: "c", b: "c" } } });
    assert.deepEqual(viaStatus.metadata.labels, { a: "b" }, "metadata is not written through the status");
    const { body: read } = await send("GET", `${path}/status`);
    assert.deepEqual([read.kind, read.spec.size, read.status.phase], ["Store", 2, "Running"]);
  });

  rule("a status is validated too, and put under its own version", async (context) => {
    const { send } = context;
    const { body: made } = await send("POST", stores(context), { body: store(context, "judged") });
    const put = (status: object, resourceVersion: string) =>
      send("PUT", `${stores(context)}/judged/status`, {
        body: { ...made, metadata: { ...made.metadata, resourceVersion }, status },
      });
    assert.equal((await put({ phase: 7 }, made.metadata.resourceVersion)).code, 422);
    assert.equal((await put({ phase: "Up" }, made.metadata.resourceVersion)).code, 200);
    assert.equal((await put({ phase: "Down" }, made.metadata.resourceVersion)).code, 409);
  });

  rule("scale reads and writes the paths of the definition", async (context) => {
    const { send } = context;
    await send("POST", stores(context), { body: store(context, "scaled", { size: 2 }) });
    const path = `${stores(context)}/scaled/scale`;
    const { body: scale } = await send("GET", path);
    assert.deepEqual([scale.kind, scale.apiVersion, scale.spec], ["Scale", "autoscaling/v1", { replicas: 2 }]);
    const patched = await send("PATCH", path, { type: PATCH.merge, body: { spec: { replicas: 4 } } });
    assert.equal(patched.body.spec.replicas, 4);
    const { body } = await send("GET", `${stores(context)}/scaled`);
    assert.deepEqual([body.spec.size, body.metadata.generation], [4, 2]);
    const stale = await send("PUT", path, { body: { ...scale, spec: { replicas: 6 } } });
    assert.equal(stale.code, 409);
  });
}

function presentationRules(rule: Rule): void {
  rule("tables show the columns of the definition; a missing value is an empty cell", async (context) => {
    const { send } = context;
    await send("POST", stores(context), { body: store(context, "shown", { size: 7 }) });
    const empty = (await send("GET", `${stores(context)}/shown`, { headers: TABLE })).body;
    assert.deepEqual(
      empty.columnDefinitions.map(({ name, type, priority }: { name: string; type: string; priority: number }) =>
        [name, type, priority].join(),
      ),
      ["Name,string,0", "Size,integer,0", "Ready,string,0", "Port,string,1", "Big,boolean,0", "Age,date,0"],
    );
    assert.deepEqual(empty.rows[0].cells.slice(0, 5), ["shown", 7, null, null, null]);
    const status = {
      conditions: [{ type: "Ready", status: "True" }],
      ports: [{ port: 12 }, { port: 13 }],
      big: true,
    };
    await send("PATCH", `${stores(context)}/shown/status`, { type: PATCH.merge, body: { status } });
    const path = `${stores(context)}?fieldSelector=metadata.name%3Dshown`;
    const [row] = (await send("GET", path, { headers: TABLE })).body.rows;
    assert.deepEqual(row.cells.slice(0, 5), ["shown", 7, "True", "12", true]);
    assert.match(row.cells[5], /^\d+s$/);
    assert.equal(row.object.kind, "PartialObjectMetadata");
  });
}

function versionRules(rule: Rule): void {
  rule("every served version shows the same objects under its own name", async (context) => {
    const { send } = context;
    const older = `${stores(context).replace("/v1/", "/v1alpha1/")}/both`;
    await send("POST", stores(context), { body: store(context, "both") });
    const { body } = await send("GET", older);
    assert.deepEqual([body.apiVersion, body.spec.size], [`${groupOf(context)}/v1alpha1`, 1]);
    const written = await send("PUT", older, { body: { ...body, spec: { size: 2 } } });
    assert.equal(written.body.apiVersion, `${groupOf(context)}/v1alpha1`);
    assert.deepEqual((await send("GET", `${stores(context)}/both`)).body.spec.size, 2);
  });

  rule("strategic patches are for built-in kinds alone", async (context) => {
    const answer = await context.send("PATCH", `${stores(context)}/x`, { type: PATCH.strategic, body: { spec: {} } });
    assert.deepEqual([answer.code, answer.body.reason], [415, "UnsupportedMediaType"]);
  });

  rule("server-side apply of a custom resource merges lists by their keys", async (context) => {
    const apply = async (manager: string, name: string, port: number) =>
      (
        await context.send("PATCH", `${stores(context)}/merged?fieldManager=${manager}`, {
          type: PATCH.apply,
          body: store(context, "merged", { size: 1, ports: [{ name, port }] }),
        })
      ).body;
    await apply("one", "a", 1);
    const both = await apply("two", "b", 2);
    assert.deepEqual(both.spec.ports, [
      { name: "a", port: 1 },
      { name: "b", port: 2 },
    ]);
    assert.equal((await apply("two", "a", 9)).reason, "Conflict");
  });
}

function changeRules(rule: Rule): void {
  rule("a changed definition holds for objects that are there already: new defaults, new columns", async (context) => {
    const { send } = context;
    await install(context, definition(context, "things", "Thing", [version("v1")]));
    const path = context.at(`${groupOf(context)}/v1/things`);
    await send("POST", path, { body: { ...store(context, "old"), kind: "Thing" } });
    const next = structuredClone(version("v1"));
    Object.assign(next.schema.openAPIV3Schema.properties.spec.properties, { level: { type: "integer", default: 4 } });
    next.additionalPrinterColumns = [{ name: "Level", type: "integer", jsonPath: ".spec.level" }];
    const body = { spec: { versions: [next] } };
    await send("PATCH", `${CRDS}/things.${groupOf(context)}`, { type: PATCH.merge, body });
    const level = async (): Promise<unknown> => (await send("GET", `${path}/old`)).body.spec?.level;
    await until("the new default is there", async () => (await level()) === 4);
    assert.deepEqual((await send("GET", `${path}/old`, { headers: TABLE })).body.rows[0].cells, ["old", 4]);
  });

  rule("a definition whose names are taken is not established", async (context) => {
    const { send } = context;
    const copy = definition(context, "copies", "Store", [version("v1")]);
    await send("POST", CRDS, { body: copy });
    const reported = async (): Promise<string[]> => {
      const { body } = await send("GET", `${CRDS}/copies.${groupOf(context)}`);
      const conditions: { type: string; status: string; reason: string }[] = body.status?.conditions ?? [];
      return conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`).sort();
    };
    await until("its names were looked at", async () => (await reported()).length > 0);
    const [established, names] = await reported();
    assert.equal(established, "Established False NotAccepted");
    assert.match(names ?? "", /^NamesAccepted False (\w+)Conflict$/);
    assert.equal((await send("GET", context.at(`${groupOf(context)}/v1/copies`))).code, 404);
    await send("DELETE", `${CRDS}/copies.${groupOf(context)}`);
  });

  rule("a version that objects are stored in cannot be removed, nor the scope changed", async (context) => {
    const { send } = context;
    await install(context, definition(context, "fixes", "Fix", [version("v1")]));
    const patch = (spec: object) =>
      send("PATCH", `${CRDS}/fixes.${groupOf(context)}`, { type: PATCH.merge, body: { spec } });
    const removed = await patch({ versions: [{ ...version("v2"), storage: true }] });
    assert.equal(removed.code, 422);
    assert.match(
      removed.body.message,
      /status.storedVersions\[0\]: Invalid value: "v1": must appear in spec.versions|must remain in spec.versions/,
    );
    const rescoped = await patch({ scope: "Cluster" });
    assert.equal(rescoped.code, 422);
    assert.match(rescoped.body.message, /spec.scope: Invalid value: "Cluster": field is immutable/);
  });
}

function deletionRules(rule: Rule): void {
  rule("a deleted definition takes its objects along, and waits for their finalizers", async (context) => {
    const { send } = context;
    await install(context, definition(context, "temps", "Temp", [version("v1")]));
    const path = context.at(`${groupOf(context)}/v1/temps`);
    const make = (name: string, metadata: object = {}) =>
      send("POST", path, { body: { ...store(context, name), kind: "Temp", metadata: { name, ...metadata } } });
    await make("free");
    await make("held", { finalizers: ["example.io/x"] });
    const deleted = await send("DELETE", `${CRDS}/temps.${groupOf(context)}`);
    assert.deepEqual(deleted.body.metadata.finalizers, ["customresourcecleanup.apiextensions.k8s.io"]);
    await until("the free object is gone and the held one marked", async () => {
      const { items = [] } = (await send("GET", path)).body;
      return items.length === 1 && items[0].metadata.deletionTimestamp !== undefined;
    });
    await send("PATCH", `${path}/held`, { type: PATCH.merge, body: { metadata: { finalizers: null } } });
    const gone = async (): Promise<boolean> => (await send("GET", `${CRDS}/temps.${groupOf(context)}`)).code === 404;
    await until("the definition is gone", gone, { withinMs: 30_000, everyMs: 50 });
    await until("it is served no more", async () => (await send("GET", path)).code === 404);
  });
}

function stores(context: Parameters<typeof store>[0]): string {
  return context.at(`${groupOf(context)}/v1/stores`);
}
