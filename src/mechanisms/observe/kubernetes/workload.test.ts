import assert from "node:assert/strict";
import { test } from "node:test";
import type { StatefulSet } from "kubernetes-types/apps/v1.js";
import type { Pod } from "kubernetes-types/core/v1.js";
import { IN_SERVICE_GATE, NODE_CONTAINER } from "../../../core/api/names.ts";
import type { Stored } from "#kit/kube/kube";
import { nodePodOf, TEMPLATE_ANNOTATION, workloadOf } from "./workload.ts";

type PodStatus = NonNullable<Pod["status"]>;

const metadata = { name: "rec-10", namespace: "default", uid: "u", resourceVersion: "1" };
const containers = [
  { name: "sidecar", image: "mesh:1" },
  { name: NODE_CONTAINER, image: "registry:5000/node:8.2.0-25.12" },
];

function podWith(status: PodStatus, more: object = {}): Stored<Pod> {
  return { apiVersion: "v1", kind: "Pod", metadata: { ...metadata, ...more }, spec: { containers }, status };
}

function waitingFor(reason: string, message?: string): PodStatus {
  const state = { waiting: { reason, ...(message === undefined ? {} : { message }) } };
  return {
    containerStatuses: [{ name: NODE_CONTAINER, image: "", imageID: "", ready: false, restartCount: 0, state }],
  };
}

test("a pod is known by the number at the end of its name, and by its own container", () => {
  const { ordinal, nodeTag, revision } = nodePodOf(podWith({}, { labels: { "controller-revision-hash": "rec-7f" } }));
  assert.deepEqual([ordinal, nodeTag, revision], [10, "8.2.0-25.12", "rec-7f"]);
});

test("a pod without a status is neither ready nor in service, and in no trouble", () => {
  const { containerReady, inService, trouble, deleting } = nodePodOf(podWith({}));
  assert.deepEqual([containerReady, inService, trouble, deleting], [false, false, "", false]);
});

test("finalizers of others are known, and those of Kubernetes itself are not", () => {
  const { finalizers } = nodePodOf(podWith({}, { finalizers: ["orphan", "a/b", "foregroundDeletion"] }));
  assert.deepEqual(finalizers, ["a/b"]);
  assert.equal(nodePodOf(podWith({}, { finalizers: ["orphan"] })).finalizers, undefined);
});

test("readiness is that of the node's container, not of one beside it", () => {
  const seen = (name: string, ready: boolean) => ({ name, ready, image: "", imageID: "", restartCount: 0 });
  const status = { containerStatuses: [seen("sidecar", true), seen(NODE_CONTAINER, false)] };
  assert.equal(nodePodOf(podWith(status)).containerReady, false);
});

for (const [status, expected] of [
  ["True", true],
  ["False", false],
  ["Unknown", false],
] as const) {
  test(`the gate ${status} means in service: ${expected}`, () => {
    assert.equal(nodePodOf(podWith({ conditions: [{ type: IN_SERVICE_GATE, status }] })).inService, expected);
  });
}

const troubles: readonly (readonly [rule: string, status: PodStatus, trouble: string])[] = [
  [
    "no worker takes the pod",
    {
      conditions: [
        { type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/3 nodes are available" },
      ],
    },
    "Unschedulable: 0/3 nodes are available",
  ],
  ["the image cannot be pulled", waitingFor("ImagePullBackOff", "not found"), "ImagePullBackOff: not found"],
  ["the container crashes again and again without a message", waitingFor("CrashLoopBackOff"), "CrashLoopBackOff"],
  ["the container starts", waitingFor("ContainerCreating"), ""],
  ["the pod is scheduled", { conditions: [{ type: "PodScheduled", status: "True" }] }, ""],
];
for (const [rule, status, trouble] of troubles) {
  test(`trouble of a pod: ${rule}`, () => {
    assert.equal(nodePodOf(podWith(status)).trouble, trouble);
  });
}

function workloadWith(set: Pick<StatefulSet, "spec" | "status">, more: object = {}): Stored<StatefulSet> {
  return { apiVersion: "apps/v1", kind: "StatefulSet", metadata: { ...metadata, ...more }, ...set };
}

test("a workload that its controller has not looked at since it was changed is not observed", () => {
  const status = { replicas: 3, observedGeneration: 4, updateRevision: "rec-7f" };
  assert.equal(workloadOf(workloadWith({ status }, { generation: 5 })).observed, false);
  assert.equal(workloadOf(workloadWith({ status }, { generation: 4 })).observed, true);
});

test("the fields of a workload are read back as written", () => {
  const spec = {
    replicas: 5,
    serviceName: "rec",
    selector: {},
    template: { spec: { containers } },
    updateStrategy: { rollingUpdate: { partition: 2 } },
  };
  const annotations = { [TEMPLATE_ANNOTATION]: "abc" };
  const { template, nodeTag, replicas, partition } = workloadOf(workloadWith({ spec }, { annotations }));
  assert.deepEqual([template, nodeTag, replicas, partition], ["abc", "8.2.0-25.12", 5, 2]);
});
