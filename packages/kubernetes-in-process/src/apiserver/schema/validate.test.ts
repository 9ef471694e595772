import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { describeCauses } from "../../testing/described-causes.ts";
import type { Schema } from "./schema.ts";
import { validateValue } from "./validate.ts";
import { processorMs } from "../../../../controller-kit/src/testing/processor-ms.ts";

const text: Schema = { type: "string" };
const whole: Schema = { type: "integer" };
const spec = (properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema => ({
  type: "object",
  properties: { spec: { type: "object", properties, required } },
});

const refused: readonly { rule: string; schema: Schema; value: unknown; says: string }[] = [
  {
    rule: "a string where an integer belongs names both types",
    schema: spec({ nodes: whole }),
    value: { spec: { nodes: "three" } },
    says: 'spec.nodes: Invalid value: "string": spec.nodes in body must be of type integer: "string"',
  },
  {
    rule: "null is no value unless the schema is nullable",
    schema: spec({ nodes: whole }),
    value: { spec: { nodes: null } },
    says: 'spec.nodes: Invalid value: "null": spec.nodes in body must be of type integer: "null"',
  },
  {
    rule: "a fraction is no integer",
    schema: spec({ nodes: whole }),
    value: { spec: { nodes: 1.5 } },
    says: 'spec.nodes: Invalid value: "number": spec.nodes in body must be of type integer: "number"',
  },
  {
    rule: "an integer beyond its format is refused",
    schema: spec({ port: { type: "integer", format: "int32" } }),
    value: { spec: { port: 3_000_000_000 } },
    says: 'spec.port: Invalid value: 3000000000: spec.port in body must be of type int32: "int64"',
  },
  {
    rule: "a missing required field is a required value",
    schema: spec({ nodes: whole }, ["nodes"]),
    value: { spec: {} },
    says: "spec.nodes: Required value",
  },
  {
    rule: "an unknown word lists the supported ones",
    schema: spec({ mode: { type: "string", enum: ["a", "b"] } }),
    value: { spec: { mode: "x" } },
    says: 'spec.mode: Unsupported value: "x": supported values: "a", "b"',
  },
  {
    rule: "a text that breaks the pattern shows it",
    schema: spec({ size: { type: "string", pattern: "^[0-9]+Gi$" } }),
    value: { spec: { size: "1GB" } },
    says: `spec.size: Invalid value: "1GB": spec.size in body should match '^[0-9]+Gi$'`,
  },
  {
    rule: "length is counted in characters, not in UTF-16 units",
    schema: spec({ name: { type: "string", minLength: 3 } }),
    value: { spec: { name: "😀😀" } },
    says: 'spec.name: Invalid value: "😀😀": spec.name in body should be at least 3 chars long',
  },
  {
    rule: "a text may be too long",
    schema: spec({ name: { type: "string", maxLength: 2 } }),
    value: { spec: { name: "abc" } },
    says: "spec.name: Too long: may not be more than 2 bytes",
  },
  {
    rule: "a number may be too small or too big",
    schema: spec({ nodes: { type: "integer", minimum: 1 }, workers: { type: "integer", maximum: 5 } }),
    value: { spec: { nodes: 0, workers: 6 } },
    says:
      "[spec.nodes: Invalid value: 0: spec.nodes in body should be greater than or equal to 1, " +
      "spec.workers: Invalid value: 6: spec.workers in body should be less than or equal to 5]",
  },
  {
    rule: "list items are named by index",
    schema: spec({ ports: { type: "array", items: { type: "object", properties: { port: whole } } } }),
    value: { spec: { ports: [{ port: 1 }, { port: "x" }] } },
    says: 'spec.ports[1].port: Invalid value: "string": spec.ports[1].port in body must be of type integer: "string"',
  },
  {
    rule: "two items with the keys of one are duplicates",
    schema: spec({
      ports: {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
        items: { type: "object", properties: { name: text } },
      },
    }),
    value: { spec: { ports: [{ name: "a" }, { name: "a" }] } },
    says: 'spec.ports[1]: Duplicate value: map[string]interface {}{"name":"a"}',
  },
  {
    rule: "values of a free map are checked too",
    schema: spec({ labels: { type: "object", additionalProperties: text } }),
    value: { spec: { labels: { a: 1 } } },
    says: 'spec.labels.a: Invalid value: "integer": spec.labels.a in body must be of type string: "integer"',
  },
  {
    rule: "a date is checked by its format",
    schema: spec({ since: { type: "string", format: "date-time" } }),
    value: { spec: { since: "yesterday" } },
    says: 'spec.since: Invalid value: "yesterday": spec.since in body must be of type date-time: "yesterday"',
  },
  {
    rule: "exactly one alternative of oneOf has to hold",
    schema: { type: "object", oneOf: [{ required: ["a"] }, { required: ["b"] }], properties: { a: whole, b: whole } },
    value: { a: 1, b: 2 },
    says: ': Invalid value: "": "" must validate one and only one schema (oneOf). Found 2 valid alternatives',
  },
];

describe("validateValue refuses", () => {
  for (const { rule, schema, value, says } of refused) {
    test(rule, () => {
      assert.equal(describeCauses(validateValue(schema, value)), says);
    });
  }
});

const accepted: readonly { rule: string; schema: Schema; value: unknown }[] = [
  { rule: "null where the schema is nullable", schema: { type: "integer", nullable: true }, value: null },
  { rule: "an integer as a number", schema: { type: "number" }, value: 3 },
  { rule: "an integer as int-or-string", schema: { "x-kubernetes-int-or-string": true }, value: 3 },
  { rule: "a text as int-or-string", schema: { "x-kubernetes-int-or-string": true }, value: "25%" },
  { rule: "a decimal multiple whatever binary fractions say", schema: { type: "number", multipleOf: 0.1 }, value: 0.3 },
  { rule: "a format it does not know", schema: { type: "string", format: "moon-phase" }, value: "full" },
  { rule: "a Go pattern with a flag", schema: { type: "string", pattern: "(?i)^abc$" }, value: "ABC" },
  { rule: "anything under unknown fields", schema: { type: "object" }, value: { a: { b: [1, null] } } },
];

describe("validateValue accepts", () => {
  for (const { rule, schema, value } of accepted) {
    test(rule, () => {
      assert.deepEqual(validateValue(schema, value), []);
    });
  }
});

test("a pattern that would take for ever is given up, not waited for", () => {
  const before = processorMs();
  const causes = validateValue({ type: "string", pattern: "^(a+)+$" }, `${"a".repeat(60)}!`);
  assert.equal(causes.length, 1);
  assert.ok(processorMs() - before < 2000);
});
