import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalQuantities, canonicalQuantity } from "./quantity.ts";

const quantities: readonly [sent: unknown, stored: unknown][] = [
  [1, "1"],
  [0.5, "500m"],
  ["1000m", "1"],
  ["1500m", "1500m"],
  ["0.1", "100m"],
  ["0", "0"],
  ["0Gi", "0"],
  ["1024Mi", "1Gi"],
  ["1.5Gi", "1536Mi"],
  ["0.5Gi", "512Mi"],
  ["1000Mi", "1000Mi"],
  ["512", "512"],
  ["4000M", "4G"],
  ["1024", "1024"],
  ["-1000m", "-1"],
  ["1e3", "1e3"],
  ["much", "much"],
  [true, true],
];
for (const [sent, stored] of quantities) {
  test(`the quantity ${JSON.stringify(sent)} is stored as ${JSON.stringify(stored)}`, () => {
    assert.equal(canonicalQuantity(sent), stored);
  });
}

test("quantities are found by their schema, at whatever depth", () => {
  const amount = { format: "quantity" };
  const schema = { properties: { list: { items: { additionalProperties: amount } }, name: {} } };
  const value = { list: [{ cpu: 1 }], name: "1000m" };
  assert.deepEqual(canonicalQuantities(schema, value), { list: [{ cpu: "1" }], name: "1000m" });
});
