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
import { decideDatabase } from "./decide.ts";
import type { DatabaseFacts, InstanceFacts } from "./facts.ts";
import { evenSlots } from "../../slots/shard-slots.ts";
import { placedOf } from "./placed.ts";
import { isBeingReplaced } from "./replacement.ts";
import { syncState, unsafeReplies } from "./sync-set.ts";

const lost: InstanceFacts = { ...dead, usedLaunch: 1, lostData: true };
/** Its only copy is gone. */
const gone = { 3: lost, 4: { ...lost, usedLaunch: 0 } };
const GONE = 'the data of shard 2 of "orders" on node 2 is gone with its volume; no replica has another copy';
const recovering = { record: { status: "recovery", persistence: "aofAlways" } } as const;
const agreed = { recovery: { lacks: "the newest copy", consent: true, empty: true } } as const;

/** Primaries are the instances 1 and 3, their replicas 2 and 4. */
const cases: readonly (TwoShards & { readonly rule: string; readonly want: string })[] = [
  { rule: "two shards that lack nothing rest", want: "rest" },
  {
    rule: "a shard that waits for its replica keeps no other from failing over",
    but: { 2: behind, 3: dead },
    want: "fail-over to 4",
  },
  {
    rule: "an act for the data of a later shard comes before a repair of an earlier one",
    but: { 2: { ...serving, follows: "another" }, 3: dead },
    want: "fail-over to 4",
  },
  {
    rule: "of two acts of the same urgency the first shard has the first",
    but: { 1: dead, 3: dead },
    want: "fail-over to 2",
  },
  {
    rule: "shards that wait for different things are waited for in one sentence",
    but: { 2: behind, 4: { ...behind, lagBytes: 2_000_000 } },
    want: "wait: shard 1: the 7.2 replica on node 2 is 1000000 bytes behind the primary; shard 2: the 7.2 replica on node 3 is 2000000 bytes behind the primary",
  },
  {
    rule: "while an upgrade waits, it says how many shards are done",
    record: toVersion8,
    first: { instances: [on(1, 1, "8.0"), on(2, 2, "8.0")] },
    second: { instances: [on(3, 2), on(4, 3), on(5, 1, "8.0")] },
    but: { 5: behind },
    want: "wait: 1 of 2 shards are at 8.0; shard 2: the 8.0 replica on node 1 is 1000000 bytes behind the primary",
  },
  {
    rule: "what is gone from a shard is asked about that shard",
    record: { persistence: "aofAlways" },
    but: gone,
    want: `ask-consent: ${GONE}`,
  },
  {
    rule: "consent to what one shard lacks lets no other one start empty",
    ...recovering,
    first: agreed,
    but: { 1: lost, 2: { ...lost, usedLaunch: 0 }, 3: { ...dead, usedLaunch: 1 }, 4: dead },
    want: "start-empty 1",
  },
  {
    rule: "a shard is asked about although another one has a consent",
    ...recovering,
    first: agreed,
    but: { 1: { ...primary, state: "loading" }, ...gone },
    want: `ask-consent: ${GONE}`,
  },
  {
    rule: "a shard that serves again has recovered although another one has not",
    ...recovering,
    first: agreed,
    second: { recovery: { lacks: GONE } },
    but: gone,
    want: "recovered",
  },
  {
    rule: "a database whose first shard is back waits for its second",
    ...recovering,
    second: { recovery: { lacks: GONE } },
    but: gone,
    want: `wait: ${GONE}`,
  },
  {
    rule: "the primary that is waited for is that of a shard",
    but: { 3: { ...dead, state: "silent" } },
    want: 'wait: the primary of shard 2 of "orders" on node 2 does not answer, and its node has not said that it crashed',
  },
];

for (const { rule, want, ...scene } of cases)
  test(rule, () => assert.equal(brief(decideDatabase(twoShards(scene))), want));

const stray: InstanceFacts = { ...serving, follows: "another" };
/** Room for what their databases hold, and not for all that they may ever take. */
const TIGHT = [1, 2, 3].map((uid) => node(uid, { container: { limit: 120e6, reserve: 0 } }));
const ROOMY = [1, 2, 3].map((uid) => node(uid, { container: { limit: 9e9, reserve: 0 } }));
const REFUSED =
  'wait: 0 of 2 shards are at 8.0; shard 1: the 8.0 replica on node 3 is 1000000 bytes behind the primary; shard 2 of "orders" is next: there is no room for the copies of several shards at once';
const turns: readonly (TwoShards & { rule: string; facts: Partial<DatabaseFacts>; want: string })[] = [
  {
    rule: "a shard whose step did not succeed gives way to another one",
    but: { 1: dead, 4: stray },
    facts: { failed: new Set([1]) },
    want: "reattach 4",
  },
  {
    rule: "it has the next turn when no other shard needs an act",
    but: { 1: dead },
    facts: { failed: new Set([1]) },
    want: "fail-over to 2",
  },
  {
    rule: "what pauses gives way to what another shard needs that did not succeed before",
    but: { 1: dead, 4: stray },
    facts: { failed: new Set([1, 2]), pausing: [{ kind: "fail-over", shard: 1 }] },
    want: "reattach 4",
  },
  {
    rule: "another step of the shard does not pause, such as what takes its failover back",
    first: { switchover: { to: 2, epoch: 2, forced: true } },
    but: { 4: stray },
    facts: { pausing: [{ kind: "fail-over", shard: 1 }] },
    want: "resume-switchover",
  },
  {
    rule: "one shard of a database has a copy made where there is room at rest alone",
    record: toVersion8,
    nodes: TIGHT,
    facts: {},
    want: "add 8.0 on node 3",
  },
  {
    rule: "and the next one begins once that has none more than it shall have",
    record: toVersion8,
    nodes: TIGHT,
    first: { instances: [on(1, 1), on(2, 2), on(5, 3, "8.0")] },
    but: { 5: behind },
    facts: {},
    want: REFUSED,
  },
  {
    rule: "where there is room for all of it, shards are upgraded side by side",
    record: toVersion8,
    nodes: ROOMY,
    first: { instances: [on(1, 1), on(2, 2), on(5, 3, "8.0")] },
    but: { 5: behind },
    facts: {},
    want: "add 8.0 on node 1",
  },
  {
    rule: "not more of them than the database says",
    record: { ...toVersion8, parallelShards: 1 },
    nodes: ROOMY,
    first: { instances: [on(1, 1), on(2, 2), on(5, 3, "8.0")] },
    but: { 5: behind },
    facts: {},
    want: 'wait: 0 of 2 shards are at 8.0; shard 1: the 8.0 replica on node 3 is 1000000 bytes behind the primary; shard 2 of "orders" is next: one shard is upgraded at a time',
  },
  {
    rule: "what the request for the upgrade says counts instead",
    record: {
      parallelShards: 1,
      upgrade: {
        target: "8.0",
        actionUid: "a",
        startedAt: "t",
        mayDiscardData: false,
        parallelShards: 2,
        waitingFor: "",
      },
    },
    nodes: ROOMY,
    first: { instances: [on(1, 1), on(2, 2), on(5, 3, "8.0")] },
    but: { 5: behind },
    facts: {},
    want: "add 8.0 on node 1",
  },
  {
    rule: "a shard that has begun goes on, also between two copies",
    record: { ...toVersion8, parallelShards: 1 },
    nodes: ROOMY,
    second: { instances: [on(3, 2), on(4, 3, "8.0")] },
    facts: {},
    want: "add 8.0 on node 1",
  },
  {
    rule: "a shard that is done lets the next one begin",
    record: { ...toVersion8, parallelShards: 1 },
    nodes: ROOMY,
    first: { instances: [on(1, 1, "8.0"), on(2, 2, "8.0")] },
    facts: {},
    want: "add 8.0 on node 1",
  },
  {
    rule: "of the next instances that becomes the primary which has the fewest primaries beside it",
    record: toVersion8,
    first: { instances: [on(1, 1), on(5, 2, "8.0"), on(6, 3, "8.0")] },
    second: { primary: 3, instances: [on(3, 2, "8.0"), on(4, 1, "8.0")] },
    facts: {},
    want: "verify 6",
  },
  {
    rule: "in a dense database the one which has the most",
    record: { ...toVersion8, shardsPlacement: "dense" },
    first: { instances: [on(1, 1), on(5, 3, "8.0"), on(6, 2, "8.0")] },
    second: { primary: 3, instances: [on(3, 2, "8.0"), on(4, 1, "8.0")] },
    facts: {},
    want: "verify 6",
  },
  {
    rule: "one that was compared is the one, wherever it is",
    record: toVersion8,
    first: { instances: [on(1, 1), on(5, 2, "8.0"), on(6, 3, "8.0")] },
    second: { primary: 3, instances: [on(3, 2, "8.0"), on(4, 1, "8.0")] },
    facts: { verified: new Set([5]) },
    want: "switch-over to 5",
  },
  {
    rule: "a primary leaves its node for the one with the fewest primaries",
    nodes: [node(1, { draining: true }), node(2), node(3)],
    first: { instances: [on(1, 1), on(5, 2), on(6, 3)] },
    second: { instances: [on(3, 2), on(4, 3)] },
    facts: {},
    want: "switch-over to 6",
  },
  {
    rule: "a comparison that goes on keeps another shard from nothing",
    record: toVersion8,
    first: { instances: [on(1, 1), on(2, 2, "8.0"), on(5, 3, "8.0")] },
    second: { primary: 4, instances: [on(4, 3, "8.0")] },
    but: { 4: primary },
    facts: { comparing: new Set([2]) },
    want: "add 8.0 on node 1",
  },
];

for (const { rule, facts, want, ...scene } of turns)
  test(rule, () => assert.equal(brief(decideDatabase({ ...twoShards(scene), ...facts })), want));

test("replies of a shard that has a replica in sync do wait, whatever another shard lacks", () => {
  const synced = { inSync: { epoch: 1, members: [2], joining: [] } };
  const { record } = twoShards({
    record: { durability: "sync", withoutInSync: "degrade" },
    first: synced,
    second: { inSync: { epoch: 1, members: [], joining: [] } },
  });
  const [first, second] = record.shards.map((shard) => unsafeReplies(record, shard));
  assert.equal(first, undefined);
  assert.match(second ?? "", /^no replica is in sync/);
  assert.equal(syncState(record), "degraded", "the state of the database is that of its worst shard");
});

test("a shard that is in recovery keeps the replica of another one from nothing", () => {
  const leaving = { ...recovering, nodes: [node(2, { draining: true })] };
  const second = { recovery: { lacks: GONE }, primary: 4 };
  assert.equal(isBeingReplaced(twoShards({ ...leaving, second }), 2), true);
  const first = { recovery: { lacks: "" } };
  assert.equal(isBeingReplaced(twoShards({ ...leaving, first, second }), 2), false);
});

test("a pass over 512 shards, each of which looks for a place, takes far less than a second", () => {
  const ids = Array.from({ length: 512 }, (_, at) => at + 1);
  const scene = twoShards({ record: { ...toVersion8, memoryBytes: 512e8 }, nodes: [1, 2, 3].map((uid) => node(uid)) });
  const shards = evenSlots(ids.length).map((slots, at) => {
    const first = 2 * at + 1;
    return {
      id: at + 1,
      epoch: 1,
      primary: first,
      instances: [on(first, 1 + (at % 3)), on(first + 1, 1 + ((at + 1) % 3))],
      slots,
    };
  });
  const record = { ...scene.record, shards };
  const instances = new Map(
    shards.flatMap((shard) => shard.instances.map(({ id }) => [id, id === shard.primary ? primary : serving] as const)),
  );
  const everything = shards.flatMap((shard) => placedOf(record, shard));
  const began = process.cpuUsage();
  const decided = decideDatabase({ ...scene, record, instances, everything });
  const { user } = process.cpuUsage(began);
  assert.match(brief(decided), /^wait: 0 of 512 shards are at 8\.0; .*; and 509 more reasons of other shards$/);
  assert.ok(user < 1_000_000, `${user / 1_000} ms`);
});
