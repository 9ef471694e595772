import assert from "node:assert/strict";
import { test } from "node:test";
import { isTrue, withCondition } from "./conditions.ts";
import { keyOf, refOfKey } from "./ref.ts";
import { parseSelector } from "./selector-text.ts";
import { meetsAll, selects, selectorText } from "./selector.ts";

const now = new Date("2026-01-01T00:00:10Z");
const ready = { type: "Ready", status: "True", reason: "Up", message: "", lastTransitionTime: "2025-01-01T00:00:00Z" };

test("lastTransitionTime stays while the status stays", () => {
  const next = { type: "Ready", status: "True", reason: "Other", message: "new" };
  assert.deepEqual(withCondition([ready], next, now), [{ ...next, lastTransitionTime: ready.lastTransitionTime }]);
});

test("lastTransitionTime moves with the status, and other conditions keep their place", () => {
  const other = { ...ready, type: "Other" };
  const next = { type: "Ready", status: "False", reason: "Down", message: "" };
  const list = withCondition([ready, other], next, now);
  assert.deepEqual(list, [{ ...next, lastTransitionTime: "2026-01-01T00:00:10Z" }, other]);
  assert.equal(isTrue(list, "Ready"), false);
  assert.equal(isTrue(list, "Other"), true);
});

test("a new condition comes last", () => {
  assert.deepEqual(withCondition(undefined, { type: "A", status: "True" }, now), [
    { type: "A", status: "True", lastTransitionTime: "2026-01-01T00:00:10Z" },
  ]);
});

for (const ref of [{ name: "a" }, { name: "a", namespace: "ns" }]) {
  test(`a ref survives its key: ${keyOf(ref)}`, () => assert.deepEqual(refOfKey(keyOf(ref)), ref));
}

const labels = { app: "x", tier: "db" };
const selectors = [
  { name: "absent selects nothing", selector: undefined, want: false },
  { name: "empty selects everything", selector: {}, want: true },
  { name: "pairs must all match", selector: { matchLabels: { app: "x", tier: "web" } }, want: false },
  { name: "In", selector: { matchExpressions: [{ key: "tier", operator: "In", values: ["web", "db"] }] }, want: true },
  {
    name: "NotIn of an absent label",
    selector: { matchExpressions: [{ key: "zone", operator: "NotIn", values: ["a"] }] },
    want: true,
  },
  { name: "Exists", selector: { matchExpressions: [{ key: "zone", operator: "Exists" }] }, want: false },
  { name: "DoesNotExist", selector: { matchExpressions: [{ key: "zone", operator: "DoesNotExist" }] }, want: true },
];
for (const { name, selector, want } of selectors) {
  test(`label selector: ${name}`, () => assert.equal(selects(selector, labels), want));
}

const texts = [
  { text: "", want: true },
  { text: "app=x,tier==db", want: true },
  { text: "app!=x", want: false },
  { text: "tier in (web, db),app", want: true },
  { text: "tier notin (web),!zone", want: true },
  { text: "rank>3", want: true },
  { text: "rank<3", want: false },
  { text: "app>3", want: false },
];
for (const { text, want } of texts) {
  test(`the selector "${text}" ${want ? "selects" : "does not select"}`, () =>
    assert.equal(meetsAll(parseSelector(text), { ...labels, rank: "7" }), want));
}
for (const text of ["a=b=c", "a in b", "=x", "a in (", "-bad-=x", "a=-bad-", "a>x"]) {
  test(`"${text}" is no selector`, () => assert.throws(() => parseSelector(text), { code: "KUBE_INVALID" }));
}

test("a label selector is spelled as list and watch take it", () => {
  const matchExpressions = [
    { key: "b", operator: "In", values: ["1", "2"] },
    { key: "c", operator: "DoesNotExist" },
  ];
  assert.equal(selectorText({ matchLabels: { a: "x" }, matchExpressions }), "a=x,b in (1,2),!c");
});
