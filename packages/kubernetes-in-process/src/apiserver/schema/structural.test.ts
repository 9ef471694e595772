import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { describeCauses } from "../../testing/described-causes.ts";
import type { Schema } from "./schema.ts";
import { checkStructural } from "./structural.ts";

const ROOT = "spec.versions[0].schema.openAPIV3Schema";
const withField = (field: Schema): Schema => ({ type: "object", properties: { field } });

const cases: readonly { rule: string; schema: Schema; says: string }[] = [
  {
    rule: "every field has a type",
    schema: withField({}),
    says: `${ROOT}.properties[field].type: Required value: must not be empty for specified object fields`,
  },
  {
    rule: "the root is an object",
    schema: { type: "string" },
    says: `${ROOT}.type: Invalid value: "string": must be object at the root`,
  },
  {
    rule: "a list says what it holds",
    schema: withField({ type: "array" }),
    says: `${ROOT}.properties[field].items: Required value: must be specified`,
  },
  {
    rule: "an object is either a record or a map",
    schema: withField({ type: "object", properties: {}, additionalProperties: true }),
    says: `${ROOT}.properties[field].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive`,
  },
  {
    rule: "a default obeys its schema",
    schema: withField({ type: "integer", default: "x" }),
    says: `${ROOT}.properties[field].default: Invalid value: "string": ${ROOT}.properties[field].default in body must be of type integer: "string"`,
  },
  {
    rule: "a pattern is a regular expression",
    schema: withField({ type: "string", pattern: "(" }),
    says: `${ROOT}.properties[field].pattern: Invalid value: "(": must be a valid regular expression of at most 2048 characters`,
  },
  {
    rule: "a list of type map names its keys",
    schema: withField({ type: "array", "x-kubernetes-list-type": "map", items: { type: "object" } }),
    says: `${ROOT}.properties[field].x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map`,
  },
  {
    rule: "alternatives only add value rules",
    schema: withField({ type: "object", oneOf: [{ type: "object", default: {} }] }),
    says: `[${ROOT}.properties[field].oneOf[0].default: Forbidden: must be undefined to be structural, ${ROOT}.properties[field].oneOf[0].type: Forbidden: must be empty to be structural]`,
  },
  {
    rule: "it has no rules in CEL, which are not evaluated",
    schema: { type: "object", "x-kubernetes-validations": [{ rule: "self.a > 1" }] },
    says: `${ROOT}.x-kubernetes-validations: Forbidden: this server evaluates no rules in CEL`,
  },
];

describe("checkStructural refuses a schema unless", () => {
  for (const { rule, schema, says } of cases) {
    test(rule, () => {
      assert.equal(describeCauses(checkStructural(schema, ROOT)), says);
    });
  }
});

test("checkStructural accepts value rules in alternatives, and the int-or-string idiom", () => {
  const schema: Schema = {
    type: "object",
    properties: {
      a: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] },
      b: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      c: { "x-kubernetes-preserve-unknown-fields": true },
    },
    oneOf: [{ required: ["a"] }, { required: ["b"], properties: { b: { minProperties: 1 } } }],
  };
  assert.deepEqual(checkStructural(schema, ROOT), []);
});
