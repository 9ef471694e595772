import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { JsonObject } from "../schema/json.ts";
import { applyJsonPatch } from "./json-patch.ts";
import { applyMergePatch } from "./merge-patch.ts";

const refused: readonly { rule: string; operations: unknown; why: string; says: string }[] = [
  {
    rule: "a test that does not hold",
    operations: [{ op: "test", path: "/a", value: 2 }],
    why: "unprocessable",
    says: "testing value /a failed: test failed",
  },
  {
    rule: "a path that is not there",
    operations: [{ op: "remove", path: "/x" }],
    why: "unprocessable",
    says: 'remove operation does not apply: doc is missing path: "/x": missing value',
  },
  {
    rule: "a body that is no array",
    operations: { op: "add" },
    why: "malformed",
    says: "a JSON patch is an array of operations",
  },
  {
    rule: "an entry that is no operation",
    operations: ["add"],
    why: "malformed",
    says: "every operation of a JSON patch has an op and a path",
  },
  {
    rule: "a patch that replaces the object with something else",
    operations: [{ op: "replace", path: "", value: 1 }],
    why: "unprocessable",
    says: "the patch does not leave an object",
  },
  {
    rule: "copies that double the object again and again",
    operations: Array.from({ length: 64 }, (_, i) => ({ op: "copy", from: "", path: `/a${i}` })),
    why: "tooLarge",
    says: "the copies of the patch exceed 3145728 bytes",
  },
  {
    rule: "more operations than the limit",
    operations: Array.from({ length: 10_001 }, () => ({ op: "test", path: "/a", value: 1 })),
    why: "tooLarge",
    says: "The allowed maximum operations in a JSON patch is 10000, got 10001",
  },
];

describe("a JSON patch is refused for", () => {
  for (const { rule, operations, why, says } of refused) {
    test(rule, () => {
      assert.deepEqual(applyJsonPatch({ a: 1 }, operations), { kind: "failed", why, message: says });
    });
  }

  test("an attempt on the prototype", () => {
    const outcome = applyJsonPatch({ a: 1 }, [{ op: "add", path: "/__proto__/polluted", value: 1 }]);
    assert.equal(outcome.kind, "failed");
    assert.equal("polluted" in {}, false);
  });
});

test("a JSON patch applies all operations and leaves its arguments alone", () => {
  const before = { a: 1, list: [1, 2] };
  const value = { deep: [1] };
  const outcome = applyJsonPatch(before, [
    { op: "add", path: "/list/-", value: 3 },
    { op: "add", path: "/b", value },
    { op: "add", path: "/b/deep/-", value: 2 },
    { op: "move", from: "/a", path: "/c" },
  ]);
  assert.deepEqual(outcome, { kind: "patched", object: { list: [1, 2, 3], b: { deep: [1, 2] }, c: 1 } });
  assert.deepEqual([before, value], [{ a: 1, list: [1, 2] }, { deep: [1] }]);
});

const merged: readonly { rule: string; object: JsonObject; patch: JsonObject; gives: JsonObject }[] = [
  { rule: "members are replaced", object: { a: 1, b: 2 }, patch: { a: 3 }, gives: { a: 3, b: 2 } },
  { rule: "objects are merged", object: { s: { a: 1, b: 2 } }, patch: { s: { b: 3 } }, gives: { s: { a: 1, b: 3 } } },
  {
    rule: "null removes",
    object: { a: 1, b: { c: 1 } },
    patch: { a: null, b: { c: null, d: null } },
    gives: { b: {} },
  },
  { rule: "lists are replaced as a whole", object: { l: [1, 2] }, patch: { l: [3] }, gives: { l: [3] } },
  {
    rule: "an object takes the place of a value, without its nulls",
    object: { a: 1 },
    patch: { a: { b: 1, c: null } },
    gives: { a: { b: 1 } },
  },
];

describe("merge patch", () => {
  for (const { rule, object, patch, gives } of merged) {
    test(rule, () => {
      assert.deepEqual(applyMergePatch(object, patch), gives);
    });
  }

  test("a member called __proto__ is an ordinary member", () => {
    const patch: unknown = JSON.parse('{"__proto__": {"polluted": 1}}');
    assert.ok(typeof patch === "object" && patch !== null);
    const result = applyMergePatch({}, Object.fromEntries(Object.entries(patch)));
    assert.equal(JSON.stringify(result), '{"__proto__":{"polluted":1}}');
    assert.equal("polluted" in {}, false);
  });

  test("the same patch again changes nothing", () => {
    const leaf = fc.oneof(fc.constant(null), fc.integer(), fc.string(), fc.array(fc.integer(), { maxLength: 2 }));
    const object = fc.dictionary(
      fc.constantFrom("a", "b", "c"),
      fc.oneof(leaf, fc.dictionary(fc.constantFrom("x", "y"), leaf)),
    );
    fc.assert(
      fc.property(object, object, (start, patch) => {
        const once = applyMergePatch(start, patch);
        assert.deepEqual(applyMergePatch(once, patch), once);
      }),
    );
  });
});
