import assert from "node:assert/strict";
import { test } from "node:test";
import { nextScalings, type RolloutView, type ReplicaSetView } from "./rollout.ts";

const set = (name: string, wanted: number, available = wanted, existing = wanted): ReplicaSetView => ({
  name,
  wanted,
  available,
  existing,
});

function view(
  fresh: ReplicaSetView,
  old: ReplicaSetView[],
  rolling?: RolloutView["rolling"],
  replicas = 4,
): RolloutView {
  return { replicas, ...(rolling === undefined ? {} : { rolling }), fresh, old };
}

const both = { maxSurge: 1, maxUnavailable: 1 };
const cases: { name: string; view: RolloutView; want: Record<string, number> }[] = [
  { name: "a first rollout gets all its pods at once", view: view(set("new", 0), [], both), want: { new: 4 } },
  { name: "the new set grows by the surge", view: view(set("new", 0), [set("old", 4)], both), want: { new: 1 } },
  {
    name: "old pods go as far as availability allows",
    view: view(set("new", 1, 0), [set("old", 4)], both),
    want: { old: 3 },
  },
  { name: "then the new set takes the room", view: view(set("new", 1, 0), [set("old", 3)], both), want: { new: 2 } },
  {
    name: "nothing moves while the new pods are not available",
    view: view(set("new", 2, 0), [set("old", 3)], both),
    want: {},
  },
  {
    name: "a surge alone never goes below the wanted pods",
    view: view(set("new", 1, 0), [set("old", 4)], { maxSurge: 1, maxUnavailable: 0 }),
    want: {},
  },
  {
    name: "and takes one old pod for each new one that serves",
    view: view(set("new", 1, 1), [set("old", 4)], { maxSurge: 1, maxUnavailable: 0 }),
    want: { old: 3 },
  },
  {
    name: "old pods that do not serve go first",
    view: view(set("new", 1, 0), [set("bad", 2, 0), set("old", 2)], both),
    want: { bad: 1 },
  },
  {
    name: "a broken rollout is left for a newer one without losing pods that serve",
    view: view(set("new", 0), [set("old", 3), set("broken", 2, 0)], both),
    want: { broken: 0 },
  },
  { name: "the end: the last old pods go", view: view(set("new", 4), [set("old", 1)], both), want: { old: 0 } },
  { name: "a set that is done is left alone", view: view(set("new", 4), [set("old", 0)], both), want: {} },
  { name: "fewer wanted pods shrink the set", view: view(set("new", 6), [], both), want: { new: 4 } },
  { name: "Recreate stops all old pods first", view: view(set("new", 0), [set("old", 4)]), want: { old: 0 } },
  { name: "Recreate waits until they are gone", view: view(set("new", 0), [set("old", 0, 0, 2)]), want: {} },
  { name: "Recreate then starts all new ones", view: view(set("new", 0), [set("old", 0)]), want: { new: 4 } },
];

for (const { name, view: given, want } of cases) {
  test(name, () => {
    assert.deepEqual(
      Object.fromEntries(nextScalings(given).map(({ name: which, replicas }) => [which, replicas])),
      want,
    );
  });
}
