import assert from "node:assert/strict";
import { test } from "node:test";
import {
  behind,
  brief,
  dead,
  factsOf,
  node,
  on,
  primary,
  serving,
  silence,
} from "../../../../test/kit/facts/database-scene.ts";
import type { Scene } from "../../../../test/kit/facts/database-scene.ts";
import type { InstanceFacts } from "./facts.ts";
import { decideDatabase } from "./decide.ts";
import { REPLICA_LOST_MS } from "./replicas.ts";

const pair = [on(1, 1), on(2, 2)];
const lost: InstanceFacts = { ...dead, usedLaunch: 1, lostData: true };
const kept: InstanceFacts = { ...serving, hasData: false, kept: true, streaming: false };
const persistent = { replication: false, persistence: "aofAlways" } as const;
const agreed = { recovery: { lacks: "the newest copy", consent: true } } as const;
const GONE = 'the data of "orders" on node 1 is gone with its volume';
const draining1 = [node(1, { draining: true })];

const cases: readonly (Scene & { readonly rule: string; readonly want: string })[] = [
  { rule: "a database with a primary and a replica in sync rests", instances: pair, want: "rest" },
  {
    rule: "a new database is active once its replica is in sync",
    instances: pair,
    record: { status: "pending" },
    want: "activate",
  },
  {
    rule: "a new database waits for its replica, and says how far it is",
    instances: pair,
    record: { status: "pending" },
    but: { 2: behind },
    want: "wait: the 7.2 replica on node 2 is 1000000 bytes behind the primary",
  },
  {
    rule: "a changed database is active once every engine has the new settings",
    instances: pair,
    record: { status: "active-change-pending" },
    but: { 2: { ...serving, configured: false } },
    want: "wait: the engine on node 2 has not taken the new settings yet",
  },
  {
    rule: "a switchover that had begun comes before everything else",
    instances: pair,
    shard: { switchover: { to: 2, epoch: 2 } },
    but: { 1: dead },
    want: "resume-switchover",
  },
  { rule: "a dead primary is followed by its replica", instances: pair, but: { 1: dead }, want: "fail-over to 2" },
  {
    rule: "of two replicas the one with more data takes over",
    instances: [...pair, on(3, 3)],
    but: { 1: dead, 3: { ...serving, offset: 101 } },
    want: "fail-over to 3",
  },
  {
    rule: "a replica that was promoted already takes over, whatever the offsets",
    instances: [...pair, on(3, 3)],
    but: { 1: dead, 2: primary, 3: { ...serving, offset: 101 } },
    want: "fail-over to 2",
  },
  {
    rule: "a replica that never held the data does not take over: the only copy starts again",
    instances: pair,
    but: { 1: { ...dead, usedLaunch: 1 }, 2: { ...serving, hasData: false, streaming: false } },
    want: "relaunch 1",
  },
  {
    rule: "a launch that was allowed and not used yet is not allowed twice",
    instances: [{ ...on(1, 1), launch: 2 }],
    record: { replication: false },
    but: { 1: { ...dead, usedLaunch: 1 } },
    want: 'wait: the primary of "orders" on node 1 is starting',
  },
  {
    rule: "the only copy on a node that is gone is waited for",
    instances: [on(1, 1)],
    record: { replication: false },
    but: { 1: dead },
    nodes: [node(1, { alive: false, goneForMs: 7_000 })],
    want: 'wait: node 1, gone for 7 s, holds the newest copy of "orders"',
  },
  {
    rule: "a primary that its node has not started yet is no node that is gone",
    instances: [on(1, 1)],
    record: { replication: false, status: "pending" },
    but: { 1: dead },
    want: 'wait: the primary of "orders" on node 1 does not run yet',
  },
  {
    rule: "what the only copy kept is gone with its volume: nothing starts before a user agrees",
    instances: [on(1, 1)],
    record: persistent,
    but: { 1: lost },
    want: `ask-consent: ${GONE}; no replica has another copy`,
  },
  ...(["disabled", "aofAlways"] as const).flatMap((persistence) => [
    {
      rule: `a database with persistence ${persistence} that was made for a backup does not start without it`,
      instances: [{ ...on(1, 1), launch: 0 }],
      record: { replication: false, persistence, status: "recovery" as const },
      shard: { recovery: { lacks: "its data", awaited: true as const } },
      but: { 1: { ...lost, usedLaunch: 0 } },
      want: "wait: its data",
    },
    {
      rule: `a database with persistence ${persistence} that was made for a backup starts empty once a user agrees`,
      instances: [{ ...on(1, 1), launch: 0 }],
      record: { replication: false, persistence, status: "recovery" as const },
      shard: { recovery: { lacks: "its data", awaited: true as const, consent: true as const } },
      but: { 1: { ...lost, usedLaunch: 0 } },
      want: "start-empty 1",
    },
  ]),
  {
    rule: "what has been asked is waited for",
    instances: [on(1, 1)],
    record: { ...persistent, status: "recovery" },
    shard: { recovery: { lacks: `${GONE}; no replica has another copy` } },
    but: { 1: lost },
    want: `wait: ${GONE}; no replica has another copy`,
  },
  {
    rule: "once a user agrees the database starts empty",
    instances: [on(1, 1)],
    record: { ...persistent, status: "recovery" },
    shard: { recovery: { lacks: `${GONE}; no replica has another copy`, consent: true } },
    but: { 1: lost },
    want: "start-empty 1",
  },
  {
    rule: "a database that may start empty may do so again when its engine ends before it serves",
    instances: [on(1, 1)],
    record: { ...persistent, status: "recovery" },
    shard: { recovery: { lacks: "what was gone at first", consent: true, empty: true } },
    but: { 1: lost },
    want: "start-empty 1",
  },
  {
    rule: "who agreed to an older copy, which is gone by now, is asked before the database starts empty",
    instances: pair,
    record: { persistence: "aofAlways", status: "recovery" },
    shard: { recovery: { lacks: `${GONE}; node 2 has an older copy on its disk`, consent: true } },
    but: { 1: lost, 2: lost },
    want: `ask-consent: ${GONE}; no replica has another copy`,
  },
  {
    rule: "a database without persistence kept nothing: it starts empty unasked",
    instances: [on(1, 1)],
    record: { replication: false, persistence: "disabled" },
    but: { 1: lost },
    want: "start-empty 1",
  },
  {
    rule: "a replica that runs on has more than any disk, and takes over unasked",
    instances: pair,
    record: { persistence: "aofAlways" },
    but: { 1: lost },
    want: "fail-over to 2",
  },
  {
    rule: "an older copy on the disk of a replica takes over once a user agrees",
    instances: pair,
    record: { persistence: "aofAlways", status: "recovery" },
    shard: agreed,
    but: { 1: lost, 2: kept },
    want: "fail-over to 2",
  },
  {
    rule: "an older copy does not take over unasked while the node with the newest is away",
    instances: pair,
    but: { 1: dead, 2: kept },
    nodes: [node(1, { alive: false, goneForMs: 7_000 })],
    want: 'ask-consent: node 1, which is away, holds the newest copy of "orders"; node 2 has an older one on its disk',
  },
  {
    rule: "an older copy takes over from a node that is away once a user agrees",
    instances: pair,
    record: { status: "recovery" },
    shard: agreed,
    but: { 1: dead, 2: kept },
    nodes: [node(1, { alive: false, goneForMs: 7_000 })],
    want: "fail-over to 2",
  },
  {
    rule: "a database in recovery has recovered once its primary serves, also while its replica catches up",
    instances: pair,
    record: { status: "recovery" },
    shard: { recovery: { lacks: "" } },
    but: { 2: behind },
    want: "recovered",
  },
  {
    rule: "the engine of a new database is started three times before its creation has failed",
    instances: [on(1, 1)],
    record: { replication: false, status: "pending" },
    but: { 1: { ...dead, usedLaunch: 2, lastWords: "no such module" } },
    want: "relaunch 1",
  },
  {
    rule: "after the third time its creation has failed, with what the engine said",
    instances: [{ ...on(1, 1), launch: 3 }],
    record: { replication: false, status: "pending" },
    but: { 1: { ...dead, usedLaunch: 3, lastWords: "no such module" } },
    want: 'creation-failed: the engine of "orders" on node 1 has ended 3 times before it served: no such module',
  },
  {
    rule: "a creation that has failed goes on",
    instances: [{ ...on(1, 1), launch: 3 }],
    record: { replication: false, status: "creation-failed" },
    but: { 1: { ...dead, usedLaunch: 3 } },
    want: "relaunch 1",
  },
  {
    rule: "a database whose creation had failed is active once it serves",
    instances: pair,
    record: { status: "creation-failed" },
    want: "activate",
  },
  {
    rule: "a primary that is silent is not replaced while its node may still run it",
    instances: pair,
    but: { 1: silence },
    want: 'wait: the primary of "orders" on node 1 does not answer, and its node has not said that it crashed',
  },
  {
    rule: "a replica that follows another engine is pointed at the primary",
    instances: pair,
    but: { 2: { ...serving, streaming: false, follows: "another" } },
    want: "reattach 2",
  },
  {
    rule: "a primary leaves a draining node for its replica in sync",
    instances: pair,
    nodes: draining1,
    want: "switch-over to 2",
  },
  {
    rule: "a primary does not leave for a replica that is behind",
    instances: pair,
    nodes: draining1,
    but: { 2: behind },
    want: "wait: the 7.2 replica on node 2 is 1000000 bytes behind the primary",
  },
  {
    rule: "a primary without replica gets one elsewhere before its node is left",
    instances: [on(1, 1)],
    record: { replication: false },
    nodes: draining1,
    want: "add 7.2 on node 2",
  },
  {
    rule: "what is left on the draining node goes once the primary has moved",
    instances: [on(1, 1), on(2, 2)],
    record: { replication: false },
    shard: { primary: 2 },
    nodes: draining1,
    want: "retire 1",
  },
  {
    rule: "two nodes drained at once: a third copy is made on the node that stays",
    instances: pair,
    nodes: [node(1, { draining: true }), node(2, { draining: true })],
    want: "add 7.2 on node 3",
  },
  {
    rule: "a replica whose node restarts is waited for",
    instances: pair,
    but: { 2: dead },
    nodes: [node(2, { alive: false, goneForMs: REPLICA_LOST_MS - 1 })],
    want: "wait: the 7.2 replica on node 2 does not run",
  },
  {
    rule: "a replica whose node is gone for long is made again elsewhere",
    instances: pair,
    but: { 2: dead },
    nodes: [node(2, { alive: false, goneForMs: REPLICA_LOST_MS })],
    want: "add 7.2 on node 3",
  },
  {
    rule: "the lost replica goes when its successor is in sync",
    instances: [...pair, on(3, 3)],
    but: { 2: dead },
    nodes: [node(2, { alive: false, goneForMs: REPLICA_LOST_MS })],
    want: "retire 2",
  },
  {
    rule: "a replica on a node in maintenance is made again elsewhere",
    instances: pair,
    but: { 2: dead },
    nodes: [node(2, { alive: false, draining: true, goneForMs: 2 * REPLICA_LOST_MS })],
    want: "add 7.2 on node 3",
  },
  {
    rule: "replication turned on gets a replica",
    instances: [on(1, 1)],
    record: { status: "active-change-pending" },
    want: "add 7.2 on node 2",
  },
  {
    rule: "replication turned off loses its replica",
    instances: pair,
    record: { status: "active-change-pending", replication: false },
    want: "retire 2",
  },
];

for (const scene of cases) {
  test(scene.rule, () => {
    assert.equal(brief(decideDatabase(factsOf(scene))), scene.want);
  });
}
