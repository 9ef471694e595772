import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { builtinResources } from "../builtin/resources.ts";
import { isJsonObject, objectMember, type JsonObject } from "../schema/json.ts";
import type { Schema } from "../schema/schema.ts";
import { validateValue } from "../schema/validate.ts";
import { builtinSchema, customSchema } from "./builtin.ts";
import { openapiV3Document } from "./document.ts";
import type { Described } from "./described.ts";
import { openapiV2Document } from "./version-2.ts";

const boat: Schema = {
  type: "object",
  properties: {
    metadata: { type: "object", properties: { name: { type: "string", maxLength: 5 } } },
    spec: { type: "object" },
  },
};

describe("schemas of built-in kinds", () => {
  test("every served kind has one, references resolved", () => {
    for (const resource of builtinResources) {
      const { metadata } = resource.schema().properties ?? {};
      assert.equal(metadata?.properties?.["labels"]?.type, "object", resource.kind);
    }
  });

  test("a definition that contains itself is a cycle, not an endless tree", () => {
    const { spec } = builtinSchema("apiextensions.k8s.io", "v1", "CustomResourceDefinition").properties ?? {};
    const root = spec?.properties?.["versions"]?.items?.properties?.["schema"]?.properties?.["openAPIV3Schema"];
    const inner = root?.properties?.["not"]?.properties?.["not"];
    assert.equal(inner?.properties, root?.properties);
  });

  test("a field keeps its own description beside the one of its type", () => {
    const { spec } = builtinSchema("", "v1", "Pod").properties ?? {};
    assert.match(spec?.properties?.["securityContext"]?.description ?? "", /^SecurityContext holds pod-level/);
    assert.equal(spec?.properties?.["containers"]?.["x-kubernetes-patch-merge-key"], "name");
  });

  test("quantities, ports by name and words are checked", () => {
    const { spec } = builtinSchema("", "v1", "Pod").properties ?? {};
    const pod = (container: JsonObject, more: JsonObject = {}): JsonObject => ({
      containers: [{ name: "a", ...container }],
      ...more,
    });
    const causes = (value: JsonObject): string[] => validateValue(spec ?? {}, value, "spec").map(({ field }) => field);
    assert.deepEqual(causes(pod({ resources: { requests: { cpu: "100m", memory: 1024 } } })), []);
    assert.deepEqual(causes(pod({ resources: { requests: { cpu: "many" } } })), [
      "spec.containers[0].resources.requests.cpu",
    ]);
    assert.deepEqual(causes(pod({ readinessProbe: { httpGet: { port: "http" } } })), []);
    assert.deepEqual(causes(pod({}, { restartPolicy: "Sometimes" })), ["spec.restartPolicy"]);
  });

  test("a custom kind gets the common fields, its restriction of names included", () => {
    const schema = customSchema(boat);
    assert.deepEqual(
      validateValue(schema, { apiVersion: "v1", kind: "Boat", metadata: { name: "short", labels: { a: "b" } } }),
      [],
    );
    const causes = validateValue(schema, { metadata: { name: "too-long", labels: { a: 1 } } });
    assert.deepEqual(
      causes.map(({ field }) => field),
      ["metadata.name", "metadata.labels.a"],
    );
  });
});

describe("documents", () => {
  test("every reference leads somewhere", () => {
    for (const [group, resources] of Map.groupBy(builtinResources, ({ group }) => group)) {
      const document = openapiV3Document(resources);
      const known = new Set(Object.keys(schemasOf(document)));
      const references = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(
        (found) => found[1] ?? "",
      );
      assert.deepEqual(
        references.filter((name) => !known.has(name)),
        [],
        group,
      );
    }
  });

  test("a custom kind is spelled out, and its patches are those that it takes", () => {
    const boats: Described = {
      group: "demo.example.com",
      version: "v1",
      kind: "Boat",
      plural: "boats",
      namespaced: true,
      verbs: ["get", "list", "patch"],
      subresources: ["status"],
      custom: true,
      schema: () => customSchema(boat),
    };
    const document = openapiV3Document([boats]);
    const schema = objectMember(schemasOf(document), "com.example.demo.v1.Boat") ?? {};
    assert.deepEqual(schema["x-kubernetes-group-version-kind"], [
      { group: "demo.example.com", version: "v1", kind: "Boat" },
    ]);
    const paths = objectMember(document, "paths") ?? {};
    assert.deepEqual(Object.keys(paths), [
      "/apis/demo.example.com/v1/boats",
      "/apis/demo.example.com/v1/namespaces/{namespace}/boats",
      "/apis/demo.example.com/v1/namespaces/{namespace}/boats/{name}",
      "/apis/demo.example.com/v1/namespaces/{namespace}/boats/{name}/status",
    ]);
    const one = objectMember(paths, "/apis/demo.example.com/v1/namespaces/{namespace}/boats/{name}") ?? {};
    assert.deepEqual(Object.keys(one), ["get", "patch"]);
    assert.doesNotMatch(JSON.stringify(one["patch"]), /strategic/);
    assert.match(JSON.stringify(one["patch"]), /"name":"fieldValidation","in":"query"/);
  });

  test("the head of the version 2 document says the same in both encodings", () => {
    const json: unknown = JSON.parse(openapiV2Document.json);
    assert.ok(isJsonObject(json) && json["swagger"] === "2.0");
    assert.match(openapiV2Document.protobuf.toString("latin1"), /2\.0.*Kubernetes.*unversioned/s);
  });
});

function schemasOf(document: JsonObject): JsonObject {
  return objectMember(objectMember(document, "components") ?? {}, "schemas") ?? {};
}
