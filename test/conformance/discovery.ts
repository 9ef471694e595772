import assert from "node:assert/strict";
import { until } from "#kit/testing/until";
import { definition, groupOf, install } from "./store-definition.ts";
import { configMap, namesOf, PATCH, pod, workload } from "./objects.ts";
import type { Rule, RuleSet } from "./rule-set.ts";

const TABLE = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };

/** What a server says about itself and its kinds, and the shapes in which it shows objects. */
export const discovery: RuleSet = {
  title: "discovery and shapes",
  prepare: (context) => install(context, definition(context, "stores", "Store")),
  rules: [documentRules, shapeRules, kindRules],
};

function documentRules(rule: Rule): void {
  rule("groups, versions and resources are listed, custom ones too", async (context) => {
    const { send } = context;
    const group = await send("GET", `/apis/${groupOf(context)}`);
    assert.deepEqual([group.body.kind, group.body.preferredVersion.version], ["APIGroup", "v1"]);
    const { body: list } = await send("GET", `/apis/${groupOf(context)}/v1`);
    assert.deepEqual(list.resources.map(({ name }: { name: string }) => name).sort(), [
      "stores",
      "stores/scale",
      "stores/status",
    ]);
    const { body: core } = await send("GET", "/api/v1");
    const pods = core.resources.find(({ name }: { name: string }) => name === "pods");
    assert.deepEqual(pods.verbs.toSorted(), [
      "create",
      "delete",
      "deletecollection",
      "get",
      "list",
      "patch",
      "update",
      "watch",
    ]);
    assert.deepEqual([pods.kind, pods.namespaced, pods.shortNames, pods.singularName], ["Pod", true, ["po"], "pod"]);
  });

  rule("aggregated discovery says the same in one answer", async (context) => {
    const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    const { body, type } = await context.send("GET", "/apis", { headers: { accept } });
    assert.match(type, /as=APIGroupDiscoveryList/);
    const found = body.items.find(({ metadata }: { metadata: { name: string } }) => metadata.name === groupOf(context));
    const [preferred] = found.versions;
    assert.deepEqual([preferred.version, preferred.resources[0].shortNames], ["v1", ["sto"]]);
    assert.deepEqual(preferred.resources[0].responseKind.kind, "Store");
  });

  rule("the OpenAPI document names the kind and the parameters of writes", async (context) => {
    const { send } = context;
    const headers = { accept: "application/json" };
    let url: string | undefined;
    await until("the document is there", async () => {
      const index = await send("GET", "/openapi/v3", { headers });
      // the real one sends the list as text
      url = JSON.parse(index.text).paths[`apis/${groupOf(context)}/v1`]?.serverRelativeURL;
      return url !== undefined && (await send("GET", url, { headers })).code === 200;
    });
    const { body } = await send("GET", url ?? "", { headers });
    const kinds = [{ group: groupOf(context), version: "v1", kind: "Store" }];
    const schema = body.components.schemas[`io.example.${context.namespace}.v1.Store`];
    assert.deepEqual(schema["x-kubernetes-group-version-kind"], kinds);
    const path = `/apis/${groupOf(context)}/v1/namespaces/{namespace}/stores/{name}`;
    const parameters: string[] = body.paths[path].patch.parameters.map(({ name }: { name: string }) => name);
    assert.ok(["fieldValidation", "dryRun", "fieldManager"].every((name) => parameters.includes(name)));
  });
}

function shapeRules(rule: Rule): void {
  rule("the version says what it is", async ({ send }) => {
    const { body } = await send("GET", "/version");
    assert.equal(body.major, "1");
    assert.match(body.gitVersion, /^v1\.\d+\.\d+/);
  });

  rule("a table has columns, rows and the metadata of its objects", async (context) => {
    const { at, send } = context;
    await send("POST", at("pods"), { body: pod("shown") });
    const { body } = await send("GET", at("pods"), { headers: TABLE });
    assert.deepEqual([body.kind, body.apiVersion], ["Table", "meta.k8s.io/v1"]);
    const columns: { name: string; priority: number }[] = body.columnDefinitions;
    assert.deepEqual(
      columns.filter(({ priority }) => priority === 0).map(({ name }) => name),
      ["Name", "Ready", "Status", "Restarts", "Age"],
    );
    const [row] = body.rows;
    assert.deepEqual(row.cells.slice(0, 4), ["shown", "0/1", "Pending", "0"]);
    assert.deepEqual([row.object.kind, row.object.metadata.name], ["PartialObjectMetadata", "shown"]);
    const whole = await send("GET", `${at("pods")}?includeObject=Object`, { headers: TABLE });
    assert.equal(whole.body.rows[0].object.kind, "Pod");
    const none = await send("GET", `${at("pods")}?includeObject=None`, { headers: TABLE });
    assert.equal(none.body.rows[0].object, null);
  });

  rule("the table of a StatefulSet counts what is ready", async ({ at, send }) => {
    await send("POST", at("apps/v1/statefulsets"), { body: workload("StatefulSet", "counted") });
    const { body } = await send("GET", at("apps/v1/statefulsets", "counted"), { headers: TABLE });
    assert.deepEqual(body.rows[0].cells.slice(0, 2), ["counted", "0/0"]);
  });

  rule("a client that asks for metadata alone gets metadata alone", async ({ at, send }) => {
    const accept = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
    await send("POST", at("configmaps"), { body: configMap("part", {}, { data: { a: "1" } }) });
    const { body } = await send("GET", at("configmaps"), { headers: { accept } });
    assert.equal(body.kind, "PartialObjectMetadataList");
    const found = body.items.find(({ metadata }: { metadata: { name: string } }) => metadata.name === "part");
    assert.deepEqual([found.kind, found.data], ["PartialObjectMetadata", undefined]);
  });

  rule("a client that asks for YAML gets YAML", async ({ at, send }) => {
    const body = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: yaml }\ndata: { a: 'yes' }\n";
    const made = await send("POST", at("configmaps"), { body, type: "application/yaml" });
    assert.equal(made.code, 201, made.text);
    const read = await send("GET", at("configmaps", "yaml"), { headers: { accept: "application/yaml" } });
    assert.match(read.type, /^application\/yaml/);
    assert.match(read.text, /^kind: ConfigMap$/m);
  });
}

function kindRules(rule: Rule): void {
  rule("an event is kept under both of its names", async (context) => {
    const { at, send, namespace } = context;
    const involvedObject = { apiVersion: "v1", kind: "ConfigMap", name: "busy", namespace, uid: "u-1" };
    const event = { involvedObject, reason: "Grown", message: "Has grown", type: "Normal", count: 1 };
    const sent = { metadata: { generateName: "busy-" }, ...event, source: { component: "tester" } };
    assert.equal((await send("POST", at("events"), { body: sent })).code, 201);
    const found = await send("GET", `${at("events")}?fieldSelector=involvedObject.name%3Dbusy,reason%3DGrown`);
    assert.equal(found.body.items.length, 1);
    const { body } = await send("GET", at("events.k8s.io/v1/events"));
    assert.deepEqual(
      body.items.map(({ regarding, note }: { regarding: { name: string }; note: string }) => [regarding.name, note]),
      [["busy", "Has grown"]],
    );
    const elsewhere = { ...sent, involvedObject: { ...involvedObject, namespace: "default" } };
    assert.equal((await send("POST", at("events"), { body: elsewhere })).code, 422);
  });

  rule("a Lease changes hands by compare-and-swap", async (context) => {
    const { at, send } = context;
    const path = at("coordination.k8s.io/v1/leases");
    const renewTime = "2026-01-01T00:00:00.000000Z";
    const spec = { holderIdentity: "a", leaseDurationSeconds: 15, renewTime, leaseTransitions: 0 };
    const { body: made } = await send("POST", path, { body: { metadata: { name: "leader" }, spec } });
    assert.deepEqual(made.spec, spec);
    const take = (holderIdentity: string) =>
      send("PUT", `${path}/leader`, { body: { ...made, spec: { ...spec, holderIdentity } } });
    assert.deepEqual([(await take("b")).code, (await take("c")).code], [200, 409]);
    const { body } = await send("PATCH", `${path}/leader`, {
      type: PATCH.merge,
      body: { spec: { leaseDurationSeconds: 0 } },
    });
    assert.match(body.message, /spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0/);
    assert.deepEqual(namesOf((await send("GET", path)).body), ["leader"]);
  });
}
