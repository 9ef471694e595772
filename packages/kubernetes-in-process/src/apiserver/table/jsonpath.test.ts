import assert from "node:assert/strict";
import { test } from "node:test";
import { compileJsonPath } from "./jsonpath.ts";

const OBJECT = {
  spec: {
    size: 3,
    "a.b": "dotted",
    list: [
      { n: "x", v: 1 },
      { n: "y", v: 2 },
    ],
  },
  status: {
    conditions: [
      { type: "Ready", status: "True" },
      { type: "Live", status: "False", code: 7, on: true },
    ],
  },
};

const rules: readonly [path: string, found: readonly unknown[]][] = [
  [".spec.size", [3]],
  ["{.spec.size}", [3]],
  ["$.spec.size", [3]],
  [".spec.a\\.b", ["dotted"]],
  ["['spec']['a.b']", ["dotted"]],
  [".spec.list[*].v", [1, 2]],
  [".spec.list[1].v", [2]],
  [".spec.list[-1].n", ["y"]],
  [".spec.list[9].n", []],
  [".spec.none.at.all", []],
  ['.status.conditions[?(@.type=="Ready")].status', ["True"]],
  [".status.conditions[?(@.type == 'Live')].status", ["False"]],
  [".status.conditions[?(@.code==7)].type", ["Live"]],
  [".status.conditions[?(@.on==true)].type", ["Live"]],
];
for (const [path, found] of rules) {
  test(`${path} finds ${JSON.stringify(found)}`, () => {
    assert.deepEqual(compileJsonPath(path)?.(OBJECT), found);
  });
}

test("what is no simple path does not compile", () => {
  for (const path of ["spec.size", ".a[", ".a[?(@.b)]", "a b", ".a[1:2:3:4]"]) {
    assert.equal(compileJsonPath(path), undefined, path);
  }
});
