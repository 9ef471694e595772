import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterView, NEW, OLD, pod } from "../../../../test/kit/facts/cluster-view.ts";
import { nodesAt } from "./target.ts";

test("a node that is back at a tag counts, also while its pod waits to be in service", () => {
  const back = pod(2, { nodeTag: NEW.nodeTag, inService: false });
  const view = clusterView({ pods: [pod(0), pod(1), back] });
  assert.equal(nodesAt(view, NEW.nodeTag), 1);
  assert.equal(nodesAt(view, OLD.nodeTag), 2);
});

test("a node whose pod is coming up counts nowhere", () => {
  const view = clusterView({ pods: [pod(0), pod(1), pod(2, { nodeTag: NEW.nodeTag, containerReady: false })] });
  assert.equal(nodesAt(view, NEW.nodeTag), 0);
});
