import assert from "node:assert/strict";
import { test } from "node:test";
import { asking, clusterView, facts, NEW, node, OLD, pod, upgrading } from "../../../../test/kit/facts/cluster-view.ts";
import { type CheckCase, testChecks } from "../../../../test/kit/facts/checked-cluster.ts";
import type { ClusterView } from "../view/cluster-view.ts";
import { checkInput } from "./check-input.ts";
import { nodesRunTheirImage } from "./running.ts";

const OLD_DIGEST = `sha256:${"a".repeat(64)}`;
const NEW_DIGEST = `sha256:${"b".repeat(64)}`;
const old = (ordinal: number) => pod(ordinal, { digest: OLD_DIGEST });
const fresh = { revision: NEW.nodeTag, nodeTag: NEW.nodeTag, digest: NEW_DIGEST };

/** Node 3 is made from the new tag, and the StatefulSet is as the spec says. */
function rolling(change: Partial<ClusterView> = {}): Partial<ClusterView> {
  const { workload } = clusterView();
  if (workload === undefined) throw new Error("the fixture has a workload");
  const image = `storeenterprise/node:${NEW.nodeTag}`;
  return {
    ...upgrading,
    workload: { ...workload, image, nodeTag: NEW.nodeTag, updateRevision: NEW.nodeTag },
    pods: [old(0), old(1), pod(2, fresh)],
    ...change,
  };
}

const reporting = (tag: string, more = {}) => ({
  cluster: facts({ nodes: [node(1), node(2), node(3, { tag, ...more })] }),
});

const cases: readonly CheckCase[] = [
  {
    name: "a digest that nodes run under another tag blocks before a node is replaced",
    view: {
      release: NEW,
      spec: asking(NEW.nodeTag, { storeEnterpriseImageSpec: { versionTag: NEW.nodeTag, digestHash: OLD_DIGEST } }),
      pods: [old(0), old(1), old(2)],
    },
    found: "block ImageDigestStale",
    evidence: new RegExp(`"${NEW.nodeTag}" with digestHash ${OLD_DIGEST}.*tag "${OLD.nodeTag}", which pod rec-0 runs`),
  },
  {
    name: "a running version may be pinned to the digest that runs",
    view: {
      spec: asking(OLD.nodeTag, { storeEnterpriseImageSpec: { versionTag: OLD.nodeTag, digestHash: OLD_DIGEST } }),
      pods: [old(0), old(1), old(2)],
    },
  },
  {
    name: "a node that reports another release than its pod is made from blocks",
    view: rolling(reporting(OLD.nodeTag)),
    found: "block NodeVersionMismatch",
    evidence: new RegExp(`pod rec-2 is made from tag "${NEW.nodeTag}" and runs "${OLD.nodeTag}" of ${OLD.operator}`),
  },
  {
    name: "a new tag whose image has the digest of the old one is no new version, whatever the node reports",
    view: rolling({ pods: [old(0), old(1), pod(2, { ...fresh, digest: OLD_DIGEST })] }),
    found: "block NodeVersionMismatch",
    evidence: new RegExp(`runs "${OLD.nodeTag}" of ${OLD.operator} \\(${OLD_DIGEST}\\)`),
  },
];

testChecks(cases);

const passing: readonly { readonly name: string; readonly view: Partial<ClusterView> }[] = [
  { name: "a node that reports the release of its pod is right", view: rolling() },
  {
    name: "what a node reported before it went down is not asked",
    view: rolling(reporting(OLD.nodeTag, { active: false })),
  },
  {
    name: "a pod that is about to be replaced may run what it wants",
    view: rolling({
      ...reporting(OLD.nodeTag),
      spec: asking(NEW.nodeTag, { storeEnterpriseImageSpec: { versionTag: NEW.nodeTag, digestHash: NEW_DIGEST } }),
    }),
  },
];

for (const { name, view } of passing)
  test(`NodeVersionMismatch: ${name}`, () => {
    assert.equal(nodesRunTheirImage.find(checkInput(clusterView(view))), undefined);
  });
