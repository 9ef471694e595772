import assert from "node:assert/strict";
import type { Rule } from "./rule-set.ts";
import { CRDS, definition, version } from "./store-definition.ts";

/** One rule for each definition that a server must refuse. */
export function wrongDefinitionRules(rule: Rule): void {
  for (const { what, body, message } of wrongDefinitions) {
    rule(`a definition with ${what} is refused`, async (context) => {
      const wrong = body(definition(context, "wrongs", "Wrong", [version("v1")]));
      const answer = await context.send("POST", CRDS, { body: wrong });
      assert.deepEqual([answer.code, answer.body.reason], [422, "Invalid"], answer.text);
      assert.match(answer.body.message, message);
    });
  }
}

type Definition = ReturnType<typeof definition>;

const wrongDefinitions: readonly { what: string; body: (right: Definition) => object; message: RegExp }[] = [
  {
    what: "another name than plural.group",
    body: (right) => ({ ...right, metadata: { name: `b.${right.spec.group}` } }),
    message: /must be spec.names.plural\+"\."\+spec.group/,
  },
  {
    what: "two storage versions",
    body: (right) => withVersions(right, [version("v1"), { ...version("v2"), storage: true }]),
    message: /must have exactly one version marked as storage version/,
  },
  {
    what: "no schema",
    body: (right) => withVersions(right, [{ ...version("v1"), schema: undefined }]),
    message: /schemas are required/,
  },
  {
    what: "a schema that is not structural",
    body: (right) => withSchema(right, { type: "object", properties: { spec: { description: "what" } } }),
    message: /properties\[spec\]\.type: Required value: must not be empty for specified object fields/,
  },
  {
    what: "a default that its schema forbids",
    body: (right) =>
      withSchema(right, {
        type: "object",
        properties: { spec: { type: "object", properties: { a: { type: "integer", default: "b" } } } },
      }),
    message: /properties\[spec\]\.properties\[a\]\.default: Invalid value: "string"/,
  },
  {
    what: "a rule in no language",
    body: (right) =>
      withSchema(right, {
        type: "object",
        "x-kubernetes-validations": [{ rule: "self.spec.size ===" }],
        properties: { spec: { type: "object", properties: { size: { type: "integer" } } } },
      }),
    message: /x-kubernetes-validations/,
  },
];

function withVersions(right: Definition, versions: readonly object[]): object {
  return { ...right, spec: { ...right.spec, versions } };
}

function withSchema(right: Definition, openAPIV3Schema: object): object {
  return withVersions(right, [{ ...version("v1"), schema: { openAPIV3Schema } }]);
}
