import assert from "node:assert/strict";
import { test } from "node:test";
import { nextActions, type PodView, type StatefulSetView } from "./plan.ts";

const pod = (ordinal: number, revision = "old", over: Partial<PodView> = {}): PodView => ({
  ordinal,
  revision,
  over: false,
  terminating: false,
  ready: true,
  available: true,
  ...over,
});
const unready = { ready: false, available: false };

function set(pods: readonly PodView[], over: Partial<StatefulSetView> = {}): StatefulSetView {
  return {
    start: 0,
    replicas: 3,
    ordered: false,
    rolling: { partition: 0 },
    currentRevision: "old",
    updateRevision: "new",
    pods,
    ...over,
  };
}

const ordered = { ordered: true };
const still = { updateRevision: "old" };
const cases: { name: string; view: StatefulSetView; want: string[] }[] = [
  {
    name: "Parallel makes all missing pods at once",
    view: set([], still),
    want: ["create 0 old", "create 1 old", "create 2 old"],
  },
  {
    name: "OrderedReady makes the lowest missing pod only",
    view: set([], { ...still, ...ordered }),
    want: ["create 0 old"],
  },
  {
    name: "OrderedReady waits for a pod that is not ready",
    view: set([pod(0, "old", unready)], { ...still, ...ordered }),
    want: [],
  },
  {
    name: "OrderedReady goes on when the pod before is ready",
    view: set([pod(0)], { ...still, ...ordered }),
    want: ["create 1 old"],
  },
  {
    name: "OrderedReady waits for a pod that is going",
    view: set([pod(0, "old", { terminating: true })], { ...still, ...ordered }),
    want: [],
  },
  {
    name: "OrderedReady waits for minReadySeconds",
    view: set([pod(0, "old", { available: false })], { ...still, ...ordered }),
    want: [],
  },
  {
    name: "Parallel does not wait to make pods",
    view: set([pod(0, "old", unready)], still),
    want: ["create 1 old", "create 2 old"],
  },
  {
    name: "a pod that is over is replaced",
    view: set([pod(0), pod(1, "old", { over: true, ...unready }), pod(2)], still),
    want: ["delete 1 over"],
  },
  {
    name: "a pod that is over and going is awaited",
    view: set([pod(0), pod(1, "old", { over: true, terminating: true }), pod(2)]),
    want: [],
  },
  {
    name: "ordinals begin at the start that the spec names",
    view: set([], { ...still, start: 5, replicas: 2 }),
    want: ["create 5 old", "create 6 old"],
  },
  { name: "a settled set has nothing to do", view: set([pod(0), pod(1), pod(2)], still), want: [] },

  {
    name: "OrderedReady removes the highest surplus pod only",
    view: set(
      [0, 1, 2, 3, 4].map((n) => pod(n)),
      { ...still, ...ordered },
    ),
    want: ["delete 4 surplus"],
  },
  {
    name: "Parallel removes all surplus pods",
    view: set(
      [0, 1, 2, 3, 4].map((n) => pod(n)),
      still,
    ),
    want: ["delete 4 surplus", "delete 3 surplus"],
  },
  {
    name: "OrderedReady waits for a surplus pod that is going",
    view: set([0, 1, 2, 3].map((n) => pod(n)).concat(pod(4, "old", { terminating: true })), { ...still, ...ordered }),
    want: [],
  },
  {
    name: "OrderedReady removes an unhealthy surplus pod when it is the first unhealthy one",
    view: set([0, 1, 2].map((n) => pod(n)).concat(pod(3, "old", unready)), { ...still, ...ordered }),
    want: ["delete 3 surplus"],
  },

  { name: "an update takes the highest ordinal first", view: set([pod(0), pod(1), pod(2)]), want: ["delete 2 stale"] },
  {
    name: "an update goes on below a healthy new pod",
    view: set([pod(0), pod(1), pod(2, "new")]),
    want: ["delete 1 stale"],
  },
  { name: "an unhealthy new pod stops the update", view: set([pod(0), pod(1), pod(2, "new", unready)]), want: [] },
  {
    name: "a new pod must be available, not only ready",
    view: set([pod(0), pod(1), pod(2, "new", { available: false })]),
    want: [],
  },
  {
    name: "a stale pod that is going is awaited",
    view: set([pod(0), pod(1), pod(2, "old", { terminating: true })]),
    want: [],
  },
  {
    name: "Parallel deletes a stale pod even if it is unhealthy",
    view: set([pod(0), pod(1), pod(2, "broken", unready)]),
    want: ["delete 2 stale"],
  },
  {
    name: "OrderedReady stays behind an unhealthy stale pod",
    view: set([pod(0), pod(1), pod(2, "broken", unready)], ordered),
    want: [],
  },
  {
    name: "a healthy old pod below does not matter when a higher one is stale",
    view: set([pod(0, "old", unready), pod(1), pod(2)]),
    want: ["delete 2 stale"],
  },
  {
    name: "the partition keeps lower ordinals",
    view: set([pod(0), pod(1), pod(2, "new")], { rolling: { partition: 2 } }),
    want: [],
  },
  {
    name: "a partition above all ordinals keeps everything",
    view: set([pod(0), pod(1), pod(2)], { rolling: { partition: 3 } }),
    want: [],
  },
  {
    name: "below the partition a missing pod gets the current revision",
    view: set([pod(1), pod(2, "new")], { rolling: { partition: 2 } }),
    want: ["create 0 old"],
  },
  {
    name: "from the partition on a missing pod gets the new revision, and the update waits for it",
    view: set([pod(0), pod(1)]),
    want: ["create 2 new"],
  },
  {
    name: "OnDelete updates no pod that is not deleted",
    view: withoutRolling(set([pod(0), pod(1), pod(2)])),
    want: [],
  },
  {
    name: "OnDelete makes missing pods of the new revision",
    view: withoutRolling(set([pod(0), pod(1)])),
    want: ["create 2 new"],
  },
];

for (const { name, view, want } of cases) {
  test(name, () => {
    const said = nextActions(view).map(
      (action) => `${action.kind} ${action.ordinal} ${action.kind === "create" ? action.revision : action.because}`,
    );
    assert.deepEqual(said, want);
  });
}

function withoutRolling({ rolling: _, ...rest }: StatefulSetView): StatefulSetView {
  return rest;
}
