import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { applyDefaults } from "./defaults.ts";
import { sameJson } from "./json.ts";
import { pruneUnknown } from "./prune.ts";
import type { Schema } from "./schema.ts";

const schema: Schema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        nodes: { type: "integer", default: 3 },
        storage: { type: "object", properties: { size: { type: "string", default: "1Gi" } } },
        tls: { type: "object", default: {}, properties: { mode: { type: "string", default: "on" } } },
        ports: { type: "array", items: { type: "object", properties: { proto: { type: "string", default: "TCP" } } } },
        labels: { type: "object", additionalProperties: { type: "string" } },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        resource: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          properties: { spec: { type: "object", properties: { a: { type: "integer" } } } },
        },
        note: { type: "string", nullable: true, default: "none" },
      },
    },
  },
};

const defaulted: readonly { rule: string; given: unknown; gives: unknown }[] = [
  { rule: "an absent object without a default stays absent", given: {}, gives: {} },
  {
    rule: "an absent member gets its default, an object default its own",
    given: { spec: {} },
    gives: { spec: { nodes: 3, tls: { mode: "on" }, note: "none" } },
  },
  {
    rule: "what is given stays",
    given: { spec: { nodes: 5, tls: { mode: "off" }, note: "x" } },
    gives: { spec: { nodes: 5, tls: { mode: "off" }, note: "x" } },
  },
  {
    rule: "null gives way to a default, unless the field is nullable",
    given: { spec: { nodes: null, tls: {}, note: null } },
    gives: { spec: { nodes: 3, tls: { mode: "on" }, note: null } },
  },
  {
    rule: "items of lists are defaulted",
    given: { spec: { nodes: 1, tls: {}, note: "", ports: [{}, { proto: "UDP" }] } },
    gives: { spec: { nodes: 1, tls: { mode: "on" }, note: "", ports: [{ proto: "TCP" }, { proto: "UDP" }] } },
  },
];

describe("applyDefaults", () => {
  for (const { rule, given, gives } of defaulted) {
    test(rule, () => {
      assert.deepEqual(applyDefaults(schema, given), gives);
    });
  }

  test("hands out a copy of an object default", () => {
    const [one, other] = [applyDefaults(schema, { spec: {} }), applyDefaults(schema, { spec: {} })];
    assert.ok(sameJson(one, other));
    assert.notEqual(JSON.stringify(one), undefined);
  });
});

const pruned: readonly { rule: string; given: unknown; dropped: readonly string[]; leaves: unknown }[] = [
  {
    rule: "an unknown field goes and is named",
    given: { spec: { nope: 1, nodes: 2 } },
    dropped: ["spec.nope"],
    leaves: { spec: { nodes: 2 } },
  },
  {
    rule: "an unknown field of an item is named by index",
    given: { spec: { ports: [{ x: 1 }] } },
    dropped: ["spec.ports[0].x"],
    leaves: { spec: { ports: [{}] } },
  },
  {
    rule: "keys of a free map are no unknown fields",
    given: { spec: { labels: { a: "b" } } },
    dropped: [],
    leaves: { spec: { labels: { a: "b" } } },
  },
  {
    rule: "preserved fields stay",
    given: { spec: { free: { a: { b: 1 } } } },
    dropped: [],
    leaves: { spec: { free: { a: { b: 1 } } } },
  },
  {
    rule: "an embedded resource keeps its identity",
    given: { spec: { resource: { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec: { a: 1, b: 2 } } } },
    dropped: ["spec.resource.spec.b"],
    leaves: { spec: { resource: { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec: { a: 1 } } } },
  },
];

describe("pruneUnknown", () => {
  for (const { rule, given, dropped, leaves } of pruned) {
    test(rule, () => {
      assert.deepEqual(pruneUnknown(schema, given), { value: leaves, dropped });
    });
  }
});

test("defaults and pruning are settled after one pass, and keep hostile names harmless", () => {
  const names = fc.constantFrom(
    "spec",
    "nodes",
    "storage",
    "tls",
    "mode",
    "ports",
    "free",
    "__proto__",
    "constructor",
    "x",
  );
  const json = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, 1, "a", true),
      fc.array(tie("value"), { maxLength: 2 }),
      fc.array(fc.tuple(names, tie("value")), { maxLength: 3 }).map((entries) => Object.fromEntries(entries)),
    ),
  }));
  fc.assert(
    fc.property(json.value, (value) => {
      const once = applyDefaults(schema, pruneUnknown(schema, value).value);
      const again = pruneUnknown(schema, applyDefaults(schema, once));
      assert.deepEqual(again.dropped, []);
      assert.ok(sameJson(again.value, once));
      assert.equal(Object.getOwnPropertyDescriptor(Object.prototype, "x"), undefined);
    }),
    { numRuns: 300 },
  );
});
