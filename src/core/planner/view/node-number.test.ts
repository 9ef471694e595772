import assert from "node:assert/strict";
import { test } from "node:test";
import { nodesOf } from "./cluster-view.ts";
import { clusterView } from "../../../../test/kit/facts/cluster-view.ts";
import { isNodeNumber, rightNodeNumber } from "./node-number.ts";

const cases: readonly [asked: number, has: number, right: number][] = [
  [4, 3, 3],
  [2, 3, 3],
  [3, 5, 5],
  [4, 0, 5],
  [1, 0, 3],
  [6, 4, 5],
];

for (const [asked, has, right] of cases)
  test(`asked for ${asked} nodes, a cluster of ${has} is proposed ${right}, which is allowed`, () => {
    assert.equal(rightNodeNumber(asked, has), right);
    assert.equal(isNodeNumber(right), true);
  });

test("a number that is refused asks for no node, so that no right of such a node is missing", () => {
  const { spec, workload } = clusterView();
  assert.equal(nodesOf({ workload, spec: { ...spec, nodes: 4 } }), 3);
  assert.equal(nodesOf({ workload, spec: { ...spec, nodes: 5 } }), 5);
  assert.equal(nodesOf({ workload: undefined, spec: { ...spec, nodes: 4 } }), 4);
});
