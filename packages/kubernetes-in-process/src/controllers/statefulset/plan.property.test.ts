import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { nextActions, type PodAction, type PodView, type StatefulSetView } from "./plan.ts";

/** A world that obeys the plan and otherwise does what chance says. */
class Simulation {
  pods: PodView[] = [];
  settings: Omit<StatefulSetView, "pods">;

  constructor(settings: Omit<StatefulSetView, "pods">) {
    this.settings = settings;
  }

  pass(): PodAction[] {
    const actions = nextActions({ ...this.settings, pods: this.pods });
    for (const action of actions) {
      if (action.kind === "create") this.pods.push(starting(action.ordinal, action.revision));
      else this.change(action.ordinal, { terminating: true, ready: false, available: false });
    }
    return actions;
  }

  change(ordinal: number, over: Partial<PodView>): void {
    this.pods = this.pods.map((pod) => (pod.ordinal === ordinal ? { ...pod, ...over } : pod));
  }

  /** Every pod that goes is gone, every other one is ready unless its revision is broken. */
  tick(ordinal: number, broken: string): void {
    const pod = this.pods.find((each) => each.ordinal === ordinal);
    if (pod?.terminating === true) this.pods = this.pods.filter((each) => each !== pod);
    else if (pod !== undefined && pod.revision !== broken) this.change(ordinal, { ready: true, available: true });
  }
}

function starting(ordinal: number, revision: string): PodView {
  return { ordinal, revision, over: false, terminating: false, ready: false, available: false };
}

const ordinals = fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 60 });

test("an update takes down one ready pod at a time, whatever the order of events", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.boolean(), ordinals, (replicas, ordered, events) => {
      const world = rolledOut(replicas, ordered);
      world.settings = { ...world.settings, updateRevision: "new" };
      for (const ordinal of events) {
        const deleted = world.pass().filter(({ kind }) => kind === "delete");
        assert.ok(deleted.length <= 1);
        assert.ok(world.pods.filter(({ ready }) => ready).length >= replicas - 1);
        world.tick(ordinal, "");
      }
    }),
  );
});

test("every roll ends with all pods at the new revision, also after a broken one under Parallel", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), ordinals, (replicas, events) => {
      const world = rolledOut(replicas, false);
      world.settings = { ...world.settings, updateRevision: "broken" };
      for (const ordinal of events) {
        world.pass();
        world.tick(ordinal, "broken");
      }
      assert.ok(
        world.pods.filter(({ revision }) => revision === "broken").length <= 1,
        "a broken template costs one pod",
      );
      world.settings = { ...world.settings, updateRevision: "new" };
      settle(world);
      assert.deepEqual(
        world.pods.map(({ revision }) => revision),
        Array.from({ length: replicas }, () => "new"),
      );
    }),
  );
});

test("a settled set has nothing to do, at any size, start and partition", () => {
  const size = fc.integer({ min: 0, max: 5 });
  fc.assert(
    fc.property(size, size, size, fc.boolean(), (replicas, start, partition, ordered) => {
      const world = new Simulation({ ...quiet(replicas, ordered), start, rolling: { partition } });
      settle(world);
      const wanted = Array.from({ length: replicas }, (_, index) => start + index);
      assert.deepEqual(
        world.pods.map(({ ordinal }) => ordinal).toSorted((a, b) => a - b),
        wanted,
      );
    }),
  );
});

function quiet(replicas: number, ordered: boolean): Omit<StatefulSetView, "pods"> {
  return { start: 0, replicas, ordered, rolling: { partition: 0 }, currentRevision: "old", updateRevision: "old" };
}

function rolledOut(replicas: number, ordered: boolean): Simulation {
  const world = new Simulation(quiet(replicas, ordered));
  settle(world);
  return world;
}

/** Runs passes and lets every pod get on, until there is nothing to do. */
function settle(world: Simulation): void {
  for (let round = 0; round < 100; round += 1) {
    const actions = world.pass();
    if (actions.length === 0 && world.pods.every(({ ready }) => ready)) return;
    for (const { ordinal } of world.pods) world.tick(ordinal, "broken");
  }
  assert.fail("it never settles");
}
