import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { builtinSchema } from "../openapi/builtin.ts";
import { omitEmpty } from "./omit.ts";

const cases: readonly { rule: string; kind: [group: string, kind: string]; given: object; stored: object }[] = [
  {
    rule: "null members go",
    kind: ["", "Pod"],
    given: { metadata: { creationTimestamp: null, name: "a" } },
    stored: { metadata: { name: "a" } },
  },
  {
    rule: "empty optional lists and maps go",
    kind: ["", "Pod"],
    given: { spec: { containers: [{ name: "a", args: [] }], nodeSelector: {} } },
    stored: { spec: { containers: [{ name: "a" }] } },
  },
  {
    rule: "empty objects with fields of their own stay",
    kind: ["", "Pod"],
    given: { spec: { containers: [], securityContext: {} } },
    stored: { spec: { containers: [], securityContext: {} } },
  },
  {
    rule: "values of a free map stay",
    kind: ["", "ConfigMap"],
    given: { data: { a: "" } },
    stored: { data: { a: "" } },
  },
  {
    rule: "raw JSON stays as it is",
    kind: ["apps", "ControllerRevision"],
    given: { data: { spec: { a: null, b: [] } } },
    stored: { data: { spec: { a: null, b: [] } } },
  },
];

describe("omitEmpty", () => {
  for (const { rule, kind, given, stored } of cases) {
    test(rule, () => {
      assert.deepEqual(omitEmpty(builtinSchema(kind[0], "v1", kind[1]), given), stored);
    });
  }
});
