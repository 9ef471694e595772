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
import { decideDatabase } from "./decide.ts";
import { REPLICA_LOST_MS } from "./replicas.ts";

const pair = [on(1, 1), on(2, 2)];
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
