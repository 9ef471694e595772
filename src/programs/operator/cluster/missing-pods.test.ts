import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "#kit/base/clock";
import { clusterView, pod } from "../../../../test/kit/facts/cluster-view.ts";
import type { ClusterObservation } from "../../../mechanisms/observe/cluster.ts";
import { MissingPods } from "./missing-pods.ts";

test("pods are missing since the first look that saw it, and a look that sees all ends that", () => {
  let now = 1_000;
  const missing = new MissingPods({ uptimeMs: () => now } as unknown as Clock); // it asks for no more
  const observation = { rec: { metadata: { name: "rec", namespace: "default" } } } as Pick<ClusterObservation, "rec">;
  const look = (at: number, pods: number) => {
    now = at;
    const view = clusterView({ pods: [0, 1, 2].slice(0, pods).map((ordinal) => pod(ordinal)) });
    return missing.viewOf(observation, view).podsMissingMs;
  };
  assert.deepEqual(
    [look(1_000, 3), look(2_000, 2), look(9_000, 1), look(10_000, 3), look(11_000, 2), look(12_000, 2)],
    [undefined, 0, 7_000, undefined, 0, 1_000],
  );
  missing.forget("default/rec");
  assert.equal(look(13_000, 2), 0);
});
