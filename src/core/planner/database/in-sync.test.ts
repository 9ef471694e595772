import assert from "node:assert/strict";
import { test } from "node:test";
import { factsOf, node, on } from "../../../../test/kit/facts/database-scene.ts";
import type { ShardRecord } from "../../api/records.ts";
import { IN_SYNC_MS, inSyncMembers, presentMembers, successorsOf, withMembers, withSample } from "./in-sync.ts";
import type { Confirmed, PrimarySample } from "./in-sync.ts";

const REPLICA = 2;

/** A moment of the primary: what it had written, and what the replica had confirmed; undefined: it is not listed. */
const said = (at: number, offset: number, confirmed: number | undefined, linked = true): PrimarySample => ({
  at,
  offset,
  replicas: new Map<number, Confirmed>(confirmed === undefined ? [] : [[REPLICA, { linked, offset: confirmed }]]),
});

interface Case {
  readonly rule: string;
  readonly samples: readonly PrimarySample[];
  readonly member: boolean;
  readonly after: boolean;
}

const cases: readonly Case[] = [
  {
    rule: "a replica joins once it has confirmed what was written at the sample before",
    samples: [said(0, 100, 50), said(500, 200, 100)],
    member: false,
    after: true,
  },
  {
    rule: "one that has confirmed less does not join",
    samples: [said(0, 100, 50), said(500, 200, 99)],
    member: false,
    after: false,
  },
  { rule: "one that was seen once does not join", samples: [said(0, 100, 100)], member: false, after: false },
  {
    rule: "one that still receives the data does not join",
    samples: [said(0, 100, 100, false), said(500, 100, 100, false)],
    member: false,
    after: false,
  },
  {
    rule: "a member that is late by less than the limit stays",
    samples: [said(0, 100, 100), said(IN_SYNC_MS - 1, 900, 100)],
    member: true,
    after: true,
  },
  {
    rule: "a member that has not confirmed what was written long ago leaves",
    samples: [said(0, 101, 100), said(IN_SYNC_MS, 900, 100)],
    member: true,
    after: false,
  },
  {
    rule: "a member that is not linked leaves as soon as something is written",
    samples: [said(0, 100, 100), said(500, 101, undefined)],
    member: true,
    after: false,
  },
  {
    rule: "a member that is not linked stays while nothing is written",
    samples: [said(0, 100, 100), said(500, 100, undefined), said(90_000, 100, undefined)],
    member: true,
    after: true,
  },
  {
    rule: "a member of which nothing was seen leaves",
    samples: [said(0, 100, undefined)],
    member: true,
    after: false,
  },
  { rule: "while the primary says nothing, a member stays", samples: [], member: true, after: true },
];

for (const { rule, samples, member, after } of cases) {
  test(`replicas in sync: ${rule}`, () => {
    const kept = samples.reduce<readonly PrimarySample[]>(withSample, []);
    const members = inSyncMembers(kept, member ? [REPLICA] : [], [{ id: REPLICA }]);
    assert.deepEqual(members, after ? [REPLICA] : []);
  });
}

test("of the samples none is kept that is older than what decisions need", () => {
  const all = Array.from({ length: 100 }, (_, i) => said(i * 500, i, i));
  assert.equal(all.reduce<readonly PrimarySample[]>(withSample, []).length, IN_SYNC_MS / 500 + 1);
});

const shard: ShardRecord = { id: 1, epoch: 4, primary: 1, instances: [on(1, 1), on(2, 2), on(3, 3)] };

test("a set counts in its own epoch alone, and while the node of the primary keeps it", () => {
  assert.deepEqual(presentMembers({ ...shard, inSync: { epoch: 4, members: [2] } }), [2]);
  assert.equal(presentMembers({ ...shard, inSync: { epoch: 3, members: [2] } }), undefined);
  const kept = { ...shard, inSync: { epoch: 4, members: [2] } };
  assert.deepEqual(successorsOf(kept, [node(1)], "async"), [2]);
  assert.equal(successorsOf(kept, [node(1, { keepsInSync: false })], "sync"), undefined);
});

test("a replica that is gone is no member: nothing may wait for it", () => {
  const left = { ...shard, instances: [on(1, 1), on(3, 3)] };
  assert.deepEqual(presentMembers({ ...left, inSync: { epoch: 4, members: [2, 3] } }), [3]);
  assert.deepEqual(presentMembers({ ...left, instances: [on(1, 1)], inSync: { epoch: 4, members: [2] } }), []);
});

test("members are written for the epoch that they were decided in, not while the primary moves, and none that is gone", () => {
  const { record } = factsOf({ instances: shard.instances, shard: { epoch: 4 } });
  const setOf = (decided: Parameters<typeof withMembers>[1], over: Partial<ShardRecord> = {}) =>
    withMembers({ ...record, shards: [{ ...shard, ...over }] }, decided, [2, 3, 9]).shards[0]?.inSync;
  assert.deepEqual(setOf(shard), { epoch: 4, members: [2, 3] });
  assert.equal(setOf({ id: 1, epoch: 3 }), undefined);
  assert.equal(setOf(shard, { switchover: { to: 2, epoch: 5 } }), undefined);
});
