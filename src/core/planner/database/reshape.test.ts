import assert from "node:assert/strict";
import { test } from "node:test";
import {
  behind,
  brief,
  dead,
  node,
  on,
  primary,
  serving,
  toVersion8,
} from "../../../../test/kit/facts/database-scene.ts";
import { twoShards, type TwoShards } from "../../../../test/kit/facts/two-shards.ts";
import type { ReshapeIntent, ShardRecord } from "../../api/records.ts";
import { decideDatabase } from "./decide.ts";
import type { DatabaseFacts, InstanceFacts } from "./facts.ts";
import { findingBehind } from "../findings/step.ts";
import type { MoverFacts, ReshapeFacts } from "./reshape-facts.ts";

type AtWork = Extract<MoverFacts, { readonly state: "at-work" }>;

/** The one new shard: its primary 10 on node 3, its replica 11 on node 1. */
const next: ShardRecord = {
  id: 3,
  epoch: 1,
  primary: 10,
  instances: [on(10, 3), on(11, 1)],
  slots: [{ from: 0, to: 16_383 }],
};
const copying: ReshapeIntent = {
  tableEpoch: 1,
  phase: "copy",
  shards: [next],
  mover: { node: 2, ports: [20_030] },
  attempt: 1,
  since: "2026-01-01T00:00:00.000Z",
};
const source = { id: 1, state: "following", isCurrent: true, touched: 0 } as const;
const target = { id: 3, state: "following", copiedBytes: 30_000_000, lagBytes: 0 } as const;
const ready: AtWork = { state: "at-work", sources: [source, { ...source, id: 2 }], targets: [target] };

interface Scene extends TwoShards {
  readonly reshape?: Partial<ReshapeIntent>;
  readonly mover?: MoverFacts;
  readonly seen?: Partial<ReshapeFacts>;
  readonly engines?: Readonly<Record<number, InstanceFacts>>;
}

/** Two shards that become one; what is not said is healthy, and the new shard has all. */
function scene({ reshape, mover = ready, seen, engines = {}, record, ...rest }: Scene): DatabaseFacts {
  const facts = twoShards({
    ...rest,
    record: { status: "active-change-pending", shardCount: 1, ...record },
  });
  const fresh = next.instances.map(({ id }) => [id, engines[id] ?? serving] as const);
  return {
    ...facts,
    record: { ...facts.record, reshape: { ...copying, ...reshape } },
    instances: new Map([...facts.instances, ...fresh]),
    reshape: { mover, attemptMs: 100_000, mayRetire: false, ...seen },
  };
}

const halves = [{ slots: [{ from: 0, to: 8_191 }] }, { slots: [{ from: 8_192, to: 16_383 }] }];
const uneven = [{ slots: [{ from: 0, to: 99 }] }, { slots: [{ from: 100, to: 16_383 }] }];

const ended: MoverFacts = { state: "over", code: "MOVER_TARGET_GONE", why: "it ended" };
const lasting: MoverFacts = { ...ended, code: "MOVER_UNKNOWN_COMMAND" };
const draining = (uid: number) => node(uid, { draining: true });
const away = (uid: number, goneForMs: number) => node(uid, { alive: false, goneForMs });

const cases: readonly (readonly [rule: string, scene: Scene, want: string | RegExp])[] = [
  ["clients go to the new shards when they have all", {}, "switch-table"],
  ["a node that does not answer proves nothing", { mover: { state: "unknown" } }, /node 2, which copies .* answer/],
  ["the mover has time to begin", { mover: { state: "awaited" } }, /node 2 begins to copy/],
  ["a mover that has ended is followed by another", { mover: ended }, "begin-copy"],
  [
    "an attempt that fails again and again is not repeated at once",
    { mover: ended, reshape: { attempt: 4 }, seen: { attemptMs: 6_000 } },
    /^wait: one shard is made instead of 2: copying begins anew in 2 s: it ended/,
  ],
  [
    "a user gets to know of one that fails for long",
    { mover: ended, reshape: { attempt: 5 }, seen: { attemptMs: 6_000 } },
    /failed 5 times, with MOVER_TARGET_GONE: it ended/,
  ],
  [
    "and of one that cannot succeed at once",
    { mover: { ...ended, code: "SLOTS_UNKNOWN_DATA" }, seen: { attemptMs: 59_000 } },
    /failed once, with SLOTS_UNKNOWN_DATA/,
  ],
  [
    "which is tried again all the same, as the data may be gone",
    { mover: { ...ended, code: "SLOTS_UNKNOWN_DATA" }, seen: { attemptMs: 60_000 } },
    "begin-copy",
  ],
  [
    "what has failed for long is said while the next attempt copies",
    {
      mover: { ...ready, targets: [{ ...target, state: "copying" }] },
      reshape: { attempt: 6, failed: { code: "MOVER_TARGET_GONE", why: "it ended" } },
    },
    /failed 5 times, with MOVER_TARGET_GONE: it ended/,
  ],
  [
    "and what cannot succeed, also before that has begun",
    {
      mover: { state: "awaited" },
      reshape: { attempt: 2, failed: { code: "MOVER_UNKNOWN_COMMAND", why: "a client has used it" } },
    },
    /failed once, with MOVER_UNKNOWN_COMMAND: a client has used it/,
  ],
  [
    "a few failures are not said again",
    {
      mover: { state: "awaited" },
      reshape: { attempt: 3, failed: { code: "MOVER_TARGET_GONE", why: "it ended" } },
    },
    /node 2 begins to copy/,
  ],
  [
    "nothing that has failed before is in the way of shards that have all",
    { reshape: { attempt: 6, failed: { code: "MOVER_TARGET_GONE", why: "it ended" } } },
    "switch-table",
  ],
  [
    "what came from a primary that was replaced is worth nothing",
    { mover: { ...ready, sources: [source, { ...source, id: 2, isCurrent: false }] } },
    "begin-copy",
  ],
  [
    "an engine that ends loses what it got",
    { mover: { ...ready, targets: [{ ...target, state: "over" }] } },
    "begin-copy",
  ],
  [
    "progress is said while keys are copied",
    { mover: { ...ready, targets: [{ ...target, state: "copying" }] } },
    /0 of one new shard have their keys, 30 MB are copied/,
  ],
  [
    "new shards catch up before clients are held",
    { mover: { ...ready, targets: [{ ...target, lagBytes: 5_000_000 }] } },
    /5000000 bytes behind/,
  ],
  [
    "few keys are left to be copied again",
    {
      mover: {
        ...ready,
        sources: [
          { ...source, touched: 400 },
          { ...source, touched: 1 },
        ],
      },
    },
    /401 keys are copied again/,
  ],
  [
    "an engine that follows another is pointed at the mover",
    { engines: { 10: { ...serving, follows: "another" } } },
    "reattach 10",
  ],
  [
    "a replica has what its primary has",
    { engines: { 11: { ...serving, lagBytes: 1_000_000 } } },
    /1000000 bytes behind/,
  ],
  ["the engines of new shards serve", { engines: { 10: dead } }, /new shard on node 3 does not serve/],
  ["a primary that serves and is lost is replaced first", { but: { 1: dead } }, "fail-over to 2"],
  [
    "no clients are held while a primary does not answer",
    { but: { 1: { ...primary, state: "silent" } } },
    /the primary of shard 1 does not serve/,
  ],
  ["an upgrade waits for the new shards", { record: toVersion8 }, "switch-table"],
  ["another number that is asked for ends it", { record: { shardCount: 3 } }, "withdraw-reshape"],
  ["the former number that is asked for ends it", { record: { shardCount: 2 } }, "withdraw-reshape"],
  ["other slots that are asked for end it", { record: { shardCount: 2, shardSlots: uneven } }, "withdraw-reshape"],
  ["a node that is to be left ends it", { nodes: [draining(1)] }, "withdraw-reshape"],
  ["a node of a new shard that stays away ends it", { nodes: [away(3, 20_000)] }, "withdraw-reshape"],
  ["a node that was away for a moment does not", { nodes: [away(3, 2_000)] }, "switch-table"],
  ["a hold that was found is resolved first", { reshape: { phase: "hold" }, but: { 1: dead } }, "resume-table"],
  ["a return that was found is ended first", { reshape: { phase: "return" }, but: { 1: dead } }, "resume-table"],
];

for (const [rule, given, want] of cases)
  test(`another number of shards: ${rule}`, () => {
    const step = brief(decideDatabase(scene(given)));
    if (typeof want === "string") assert.equal(step, want);
    else assert.match(step, want);
  });

const retiring = { phase: "retire", tableEpoch: 1 } as const;
const after: Scene = { record: { shardCount: 2 }, reshape: retiring };

for (const [rule, given, want] of [
  ["the former shards stay for some seconds", after, /former shards go in some seconds/],
  ["then they go", { ...after, seen: { mayRetire: true } }, "retire-shards"],
  ["a primary that is lost is replaced meanwhile", { ...after, but: { 1: dead } }, "fail-over to 2"],
] as const satisfies readonly (readonly [string, Scene, string | RegExp])[])
  test(`another number of shards that serves: ${rule}`, () => {
    const step = brief(decideDatabase(scene(given)));
    if (typeof want === "string") assert.equal(step, want);
    else assert.match(step, want);
  });

for (const [rule, given, want] of [
  ["it begins when it is asked for", { record: { shardCount: 4 } }, "begin-reshape"],
  ["nothing begins when it is so", { record: { shardCount: 2 } }, "rest"],
  ["an upgrade comes first", { record: { ...toVersion8, shardCount: 4 } }, /add 8.0/],
  ["so many shards with other slots are asked for", { record: { shardCount: 2, shardSlots: uneven } }, "begin-reshape"],
  ["the slots that they have are asked for", { record: { shardCount: 2, shardSlots: halves } }, "rest"],
  [
    "it waits for a node that is away",
    { record: { shardCount: 4 }, nodes: [away(3, 20_000)] },
    /4 shards are made when node 3/,
  ],
  [
    "it waits for room, with the figures",
    { record: { shardCount: 4, memoryBytes: 4e9 } },
    /cannot get 4: a primary finds no place .*each of 4 shards needs \d+ MB of memory; .* node 1 has/,
  ],
] as const satisfies readonly (readonly [string, TwoShards, string | RegExp])[])
  test(`another number of shards that is asked for: ${rule}`, () => {
    const step = brief(decideDatabase(twoShards(given)));
    if (typeof want === "string") assert.equal(step, want);
    else assert.match(step, want);
  });

for (const [rule, given, id] of [
  ["shards that find no place", twoShards({ record: { shardCount: 4, memoryBytes: 4e9 } }), "ShardsLackRoom"],
  ["a copy that cannot succeed", scene({ mover: lasting, seen: { attemptMs: 1 } }), "ShardCopyFails"],
  [
    "a copy that cannot succeed beside a shard that waits",
    scene({ mover: lasting, seen: { attemptMs: 1 }, but: { 2: behind } }),
    "ShardCopyFails",
  ],
] as const satisfies readonly (readonly [string, DatabaseFacts, string])[])
  test(`another number of shards has a finding: ${rule}`, () => {
    assert.equal(findingBehind(decideDatabase(given))?.id, id);
  });
