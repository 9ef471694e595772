import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { builtinSchema } from "../openapi/builtin.ts";
import type { JsonObject } from "../schema/json.ts";
import { applyStrategicPatch } from "./strategic-patch.ts";

const schema = builtinSchema("", "v1", "Pod");
const pod = (spec: JsonObject): JsonObject => ({ spec });
const two = pod({
  containers: [
    { name: "a", image: "a:1" },
    { name: "b", image: "b:1" },
  ],
});

const cases: readonly { rule: string; object: JsonObject; patch: JsonObject; gives: JsonObject }[] = [
  {
    rule: "items of a keyed list are merged by key and come in the order of the patch, others where they stood",
    object: two,
    patch: pod({
      containers: [
        { name: "c", image: "c:1" },
        { name: "a", image: "a:2" },
      ],
    }),
    gives: pod({
      containers: [
        { name: "c", image: "c:1" },
        { name: "a", image: "a:2" },
        { name: "b", image: "b:1" },
      ],
    }),
  },
  {
    rule: "$patch: delete removes an item",
    object: two,
    patch: pod({ containers: [{ name: "a", $patch: "delete" }] }),
    gives: pod({ containers: [{ name: "b", image: "b:1" }] }),
  },
  {
    rule: "an item is deleted before it is set anew",
    object: two,
    patch: pod({
      containers: [
        { name: "a", image: "a:2" },
        { name: "a", $patch: "delete" },
        { name: "b", args: ["x"] },
      ],
    }),
    gives: pod({
      containers: [
        { name: "a", image: "a:2" },
        { name: "b", image: "b:1", args: ["x"] },
      ],
    }),
  },
  {
    rule: "$patch: replace in a list replaces the list",
    object: two,
    patch: pod({ containers: [{ name: "z", image: "z:1" }, { $patch: "replace" }] }),
    gives: pod({ containers: [{ name: "z", image: "z:1" }] }),
  },
  {
    rule: "$patch: replace in an object replaces the object",
    object: pod({ nodeSelector: { a: "1", b: "2" } }),
    patch: pod({ nodeSelector: { c: "3", $patch: "replace" } }),
    gives: pod({ nodeSelector: { c: "3" } }),
  },
  {
    rule: "$patch: delete in an object empties it",
    object: pod({ nodeSelector: { a: "1" } }),
    patch: pod({ nodeSelector: { $patch: "delete" } }),
    gives: pod({ nodeSelector: {} }),
  },
  {
    rule: "$setElementOrder orders, items unknown to the patch keep their place",
    object: pod({ containers: [{ name: "a" }, { name: "b" }, { name: "x" }, { name: "c" }] }),
    patch: pod({
      "$setElementOrder/containers": [{ name: "c" }, { name: "d" }, { name: "a" }],
      containers: [{ name: "d" }],
    }),
    gives: pod({ containers: [{ name: "b" }, { name: "x" }, { name: "c" }, { name: "d" }, { name: "a" }] }),
  },
  {
    rule: "$deleteFromPrimitiveList takes values out of a merged list",
    object: { metadata: { finalizers: ["a", "b", "c"] } },
    patch: { metadata: { "$deleteFromPrimitiveList/finalizers": ["b"], finalizers: ["d"] } },
    gives: { metadata: { finalizers: ["d", "a", "c"] } },
  },
  {
    rule: "a merged list of values holds each once",
    object: { metadata: { finalizers: ["a"] } },
    patch: { metadata: { finalizers: ["a", "b"] } },
    gives: { metadata: { finalizers: ["a", "b"] } },
  },
  {
    rule: "$retainKeys drops what it does not name",
    object: pod({ volumes: [{ name: "v", emptyDir: {} }] }),
    patch: pod({ volumes: [{ name: "v", $retainKeys: ["name", "configMap"], configMap: { name: "m" } }] }),
    gives: pod({ volumes: [{ name: "v", configMap: { name: "m" } }] }),
  },
  {
    rule: "a list without a merge key is replaced",
    object: pod({ containers: [{ name: "a", args: ["1", "2"] }] }),
    patch: pod({ containers: [{ name: "a", args: ["3"] }] }),
    gives: pod({ containers: [{ name: "a", args: ["3"] }] }),
  },
  {
    rule: "null removes a member",
    object: pod({ nodeName: "n", hostname: "h" }),
    patch: pod({ nodeName: null }),
    gives: pod({ hostname: "h" }),
  },
  {
    rule: "directives and nulls where nothing was leave no trace",
    object: pod({}),
    patch: pod({
      "$setElementOrder/containers": [{ name: "a" }],
      containers: [{ name: "a", image: null }],
      nodeName: null,
    }),
    gives: pod({ containers: [{ name: "a" }] }),
  },
];

describe("strategic merge patch", () => {
  for (const { rule, object, patch, gives } of cases) {
    test(rule, () => {
      assert.deepEqual(applyStrategicPatch(object, patch, schema), { kind: "patched", object: gives });
    });
  }

  test("an item without its merge key is named", () => {
    assert.deepEqual(applyStrategicPatch(two, pod({ containers: [{ image: "x" }] }), schema), {
      kind: "failed",
      why: "malformed",
      message: 'map: {"image":"x"} does not contain declared merge key: name',
    });
  });
});
