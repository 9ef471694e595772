import assert from "node:assert/strict";
import { test } from "node:test";
import { factsOf, on } from "../../../../test/kit/facts/database-scene.ts";
import type { DatabaseRecord, InSyncSet, ShardRecord } from "../../api/records.ts";
import type { PrimarySample } from "./in-sync.ts";
import { nextSyncSet, syncState, unsafeReplies, waitsForReplicas, withSyncSet } from "./sync-set.ts";

const replicas = [{ id: 2 }, { id: 3 }];

/** What the primary said at a moment: its offset, and what replica 2 has confirmed; undefined: it is not linked. */
const said = (at: number, offset: number, confirmed: number | undefined): PrimarySample => ({
  at,
  offset,
  replicas: new Map(confirmed === undefined ? [] : [[2, { linked: true, offset: confirmed }]]),
});
const set = (members: number[], joining: number[]): InSyncSet => ({ epoch: 1, version: 1, members, joining });

const cases: readonly {
  readonly rule: string;
  readonly written: InSyncSet | undefined;
  readonly samples: readonly PrimarySample[];
  readonly confirmedAt?: number;
  readonly want: readonly [members: readonly number[], joining: readonly number[]];
}[] = [
  {
    rule: "a replica that has caught up joins first",
    written: set([], []),
    samples: [said(1, 5, 4), said(2, 9, 5)],
    want: [[], [2]],
  },
  {
    rule: "so it does when no set was written yet",
    written: undefined,
    samples: [said(1, 5, 4), said(2, 9, 5)],
    want: [[], [2]],
  },
  {
    rule: "it is no member before every proxy waits for it",
    written: set([], [2]),
    samples: [said(1, 5, 5), said(2, 9, 9)],
    want: [[], [2]],
  },
  {
    rule: "nor by what the primary said before they did",
    written: set([], [2]),
    samples: [said(1, 5, 5), said(2, 9, 9)],
    confirmedAt: 2,
    want: [[], [2]],
  },
  {
    rule: "nor while it lacks what was written when they did",
    written: set([], [2]),
    samples: [said(1, 5, 5), said(3, 9, 8)],
    confirmedAt: 2,
    want: [[], [2]],
  },
  {
    rule: "it is a member once it has that",
    written: set([], [2]),
    samples: [said(3, 9, 8), said(4, 12, 9)],
    confirmedAt: 2,
    want: [[2], []],
  },
  {
    rule: "one that loses its link while it joins must begin anew",
    written: set([], [2]),
    samples: [said(1, 5, 5), said(3, 9, undefined)],
    confirmedAt: 2,
    want: [[], []],
  },
  {
    rule: "a member that has lost its link leaves when anything is written",
    written: set([2], []),
    samples: [said(1, 5, 5), said(2, 9, undefined)],
    want: [[], []],
  },
  {
    rule: "members from before replies waited are confirmed too, and stay members meanwhile",
    written: { epoch: 1, members: [2] },
    samples: [said(1, 5, 5), said(2, 9, 9)],
    want: [[2], [2]],
  },
  {
    rule: "once confirmed, they are members and nothing else",
    written: set([2], [2]),
    samples: [said(1, 5, 5), said(2, 9, 9)],
    confirmedAt: 2,
    want: [[2], []],
  },
];

for (const { rule, written, samples, confirmedAt, want } of cases)
  test(`the set of a database whose replies wait: ${rule}`, () => {
    const { members, joining } = nextSyncSet({ written, samples, replicas, confirmedAt });
    assert.deepEqual([members, joining], want);
  });

test("a set is written only over the one that it was decided on, with the next version", () => {
  const shard: ShardRecord = { id: 1, epoch: 1, primary: 1, instances: [on(1, 1), on(2, 2)], inSync: set([], [2]) };
  const { record } = factsOf({ instances: shard.instances, shard: { epoch: 1 } });
  const written = (stored: Partial<ShardRecord>) =>
    withSyncSet({ ...record, shards: [{ ...shard, ...stored }] }, shard, { members: [2], joining: [] }).shards[0]
      ?.inSync;
  assert.deepEqual(written({}), { epoch: 1, members: [2], joining: [], version: 2 });
  const changed = { ...set([], [2]), version: 3 };
  assert.deepEqual(written({ inSync: changed }), changed);
  assert.deepEqual(written({ switchover: { to: 2, epoch: 2 } }), set([], [2]));
});

test("a database with sync says why its replies do not wait, or are not given", () => {
  const { record } = factsOf({ instances: [on(1, 1), on(2, 2)], shard: { epoch: 1 } });
  const says = (withoutInSync: "wait" | "degrade", inSync: InSyncSet) => {
    const [shard] = record.shards.map((one) => ({ ...one, inSync }));
    assert.ok(shard !== undefined);
    const sync: DatabaseRecord = { ...record, durability: "sync", withoutInSync, shards: [shard] };
    return `${syncState(sync)}: ${unsafeReplies(sync, shard)}`;
  };
  assert.equal(says("wait", set([2], [])), "in-sync: undefined");
  assert.match(says("wait", set([3], [])), /^withheld/, "the only one in the set is gone");
  assert.match(says("wait", set([], [2])), /^withheld: .*replies wait for one; set withoutReplica to degrade/);
  assert.match(says("degrade", set([], [])), /^degraded: .*replies do not wait, and a crash/);
  assert.match(says("degrade", { epoch: 1, members: [2] }), /^starting: .*older release/);
  const async: DatabaseRecord = { ...record, durability: "async" };
  assert.deepEqual([syncState(async), ...async.shards.map((one) => unsafeReplies(async, one))], [undefined, undefined]);
});

test("replies wait where that is asked for, there are replicas, and every node can do it", () => {
  const waits = (durability: "sync" | "async", replication: boolean, everyNodeCan: boolean) =>
    waitsForReplicas({ durability, replication }, everyNodeCan);
  assert.deepEqual([waits("sync", true, true), waits("async", true, true)], [true, false]);
  assert.deepEqual([waits("sync", false, true), waits("sync", true, false)], [false, false]);
});
