import assert from "node:assert/strict";
import { test } from "node:test";
import type { ContainerStatus, PodCondition, PodSpec } from "kubernetes-types/core/v1.js";
import { podFactsOf } from "../../testing/pod-facts.ts";
import { podStatus } from "./status.ts";

const NOW = new Date("2026-01-01T00:00:00Z");
const running = container({ running: {} }, { ready: true });
const unready = container({ running: {} });
const waiting = container({ waiting: { reason: "ContainerCreating" } });
const backingOff = container(
  { waiting: { reason: "CrashLoopBackOff" } },
  { lastState: { terminated: { exitCode: 1 } } },
);
const succeeded = container({ terminated: { exitCode: 0 } });
const failed = container({ terminated: { exitCode: 1 } });

interface Case {
  readonly name: string;
  readonly containers: readonly ContainerStatus[];
  readonly init?: readonly ContainerStatus[];
  readonly spec?: Partial<PodSpec>;
  readonly conditions?: readonly PodCondition[];
  readonly phase: string;
  readonly ready: "True" | "False";
  readonly reason?: string;
}

const gates = { readinessGates: [{ conditionType: "gate" }] };
const cases: Case[] = [
  {
    name: "a container that never ran keeps the pod Pending",
    containers: [running, waiting],
    phase: "Pending",
    ready: "False",
    reason: "ContainersNotReady",
  },
  { name: "all running and ready", containers: [running], phase: "Running", ready: "True" },
  {
    name: "one that is not ready holds the pod back",
    containers: [running, unready],
    phase: "Running",
    ready: "False",
    reason: "ContainersNotReady",
  },
  {
    name: "one that waits to be restarted is still Running",
    containers: [backingOff],
    phase: "Running",
    ready: "False",
    reason: "ContainersNotReady",
  },
  {
    name: "one that ended and will be restarted is still Running",
    containers: [failed],
    phase: "Running",
    ready: "False",
    reason: "ContainersNotReady",
  },
  {
    name: "all done well",
    containers: [succeeded],
    spec: { restartPolicy: "OnFailure" },
    phase: "Succeeded",
    ready: "False",
    reason: "PodCompleted",
  },
  {
    name: "all done, one badly, none to be restarted",
    containers: [succeeded, failed],
    spec: { restartPolicy: "Never" },
    phase: "Failed",
    ready: "False",
    reason: "PodFailed",
  },
  {
    name: "a failure that is restarted is no end",
    containers: [succeeded, failed],
    spec: { restartPolicy: "OnFailure" },
    phase: "Running",
    ready: "False",
    reason: "ContainersNotReady",
  },
  {
    name: "a failed init container ends a pod that is not restarted",
    containers: [waiting],
    init: [failed],
    spec: { restartPolicy: "Never" },
    phase: "Failed",
    ready: "False",
    reason: "PodFailed",
  },
  {
    name: "a gate without a condition holds the pod back",
    containers: [running],
    spec: gates,
    phase: "Running",
    ready: "False",
    reason: "ReadinessGatesNotReady",
  },
  {
    name: "a gate that is False holds the pod back",
    containers: [running],
    spec: gates,
    conditions: [{ type: "gate", status: "False" }],
    phase: "Running",
    ready: "False",
    reason: "ReadinessGatesNotReady",
  },
  {
    name: "a gate that is True lets it be Ready",
    containers: [running],
    spec: gates,
    conditions: [{ type: "gate", status: "True" }],
    phase: "Running",
    ready: "True",
  },
];

for (const { name, containers, init = [], spec = {}, conditions = [], phase, ready, reason } of cases) {
  test(`pod status: ${name}`, () => {
    const { pod } = podFactsOf({}, { containers: [], ...spec });
    const seen = { podIP: "127.42.1.7", hostIP: "127.42.0.1", startedAt: NOW, init, containers };
    const status = podStatus({ ...pod, status: { conditions: [...conditions] } }, seen, NOW);
    const condition = status.conditions?.find(({ type }) => type === "Ready");
    assert.deepEqual(
      { phase: status.phase, ready: condition?.status, reason: condition?.reason },
      { phase, ready, reason },
    );
    assert.deepEqual(
      status.conditions?.filter(({ type }) => type === "gate"),
      conditions,
      "conditions of others are kept",
    );
  });
}

const classes: { name: string; resources: NonNullable<PodSpec["containers"][number]["resources"]>; want: string }[] = [
  { name: "nothing asked for", resources: {}, want: "BestEffort" },
  {
    name: "less asked for than allowed",
    resources: { requests: { cpu: "1" }, limits: { cpu: "2", memory: "1Gi" } },
    want: "Burstable",
  },
  { name: "limits alone are requests too", resources: { limits: { cpu: "2", memory: "1Gi" } }, want: "Guaranteed" },
];

for (const { name, resources, want } of classes) {
  test(`quality of service: ${name}`, () => {
    const { pod } = podFactsOf({}, { containers: [{ name: "main", resources }] });
    const seen = { podIP: undefined, hostIP: "127.42.0.1", startedAt: NOW, init: [], containers: [waiting] };
    assert.equal(podStatus(pod, seen, NOW).qosClass, want);
  });
}

function container(state: ContainerStatus["state"], over: Partial<ContainerStatus> = {}): ContainerStatus {
  return {
    name: "main",
    image: "node:1",
    imageID: "",
    ready: false,
    restartCount: 0,
    ...(state === undefined ? {} : { state }),
    ...over,
  };
}
