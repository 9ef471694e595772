import assert from "node:assert/strict";
import { test } from "node:test";
import { waitUnasked } from "../../../core/planner/findings/step.ts";
import { twoShards } from "../../../../test/kit/facts/two-shards.ts";
import { Comparisons } from "./comparisons.ts";

const { record } = twoShards({});
const ofFirst = { kind: "verify", shard: 1, replica: 2 } as const;
const ofSecond = { kind: "verify", shard: 2, replica: 4 } as const;

/** Two comparisons that go on until they are ended; `ended` names the replicas of those that were. */
function begun(): { readonly comparisons: Comparisons; readonly ended: number[] } {
  const comparisons = new Comparisons(() => undefined, new AbortController().signal);
  const ended: number[] = [];
  for (const step of [ofFirst, ofSecond])
    comparisons.follow(record, step, (signal) => {
      signal.addEventListener("abort", () => ended.push(step.replica));
      return new Promise(() => undefined);
    });
  return { comparisons, ended };
}

test("each shard has a comparison of its own", () => {
  const { comparisons, ended } = begun();
  assert.deepEqual([...comparisons.replicasOf(record)], [2, 4]);
  assert.equal(comparisons.follow(record, ofFirst, () => Promise.reject(new Error("begun again"))).kind, "under-way");
  assert.deepEqual(ended, []);
});

test("a step for one shard leaves the comparison of another one alone", () => {
  const { comparisons, ended } = begun();
  comparisons.endFor(record, waitUnasked("DatabaseWaits", ""));
  comparisons.endFor(record, ofSecond);
  assert.deepEqual(ended, []);
  comparisons.endFor(record, { kind: "fail-over", shard: 2, to: 4 });
  assert.deepEqual(ended, [4]);
  assert.deepEqual([...comparisons.replicasOf(record)], [2]);
});

test("a step for the whole database ends both, and so does its deletion", () => {
  const [active, gone] = [begun(), begun()];
  active.comparisons.endFor(record, { kind: "activate" });
  gone.comparisons.endAll(record.uid + 1);
  assert.deepEqual(gone.ended, []);
  gone.comparisons.endAll(record.uid);
  assert.deepEqual(
    [active.ended, gone.ended],
    [
      [2, 4],
      [2, 4],
    ],
  );
});

test("a comparison with a former primary is none with the present one", () => {
  const { comparisons } = begun();
  const shards = record.shards.map((shard) => (shard.id === 1 ? { ...shard, epoch: 2 } : shard));
  assert.deepEqual([...comparisons.replicasOf({ ...record, shards })], [4]);
});
