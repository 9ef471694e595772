import assert from "node:assert/strict";
import { test } from "node:test";
import {
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
import type { InstanceFacts } from "./facts.ts";

const pair = [on(1, 1), on(2, 2)];
const lost: InstanceFacts = { ...dead, usedLaunch: 1, lostData: true };
const unable: InstanceFacts = { ...dead, usedLaunch: 1, failedStarts: 3, lastWords: "no space left" };
const GONE = 'the data of "orders" on node 1 is gone with its volume';
const UNABLE = 'the primary of "orders" on node 1 cannot start: no space left; node 2 has an older copy';
const OLDER =
  'the primary of "orders" on node 1 runs as a replica, and its node, of a release before 0.6.0, does not start it anew; ' +
  "with spec.persistentSpec its data stays when its pod is made again: kubectl delete pod rec-0";
const synced = (...members: readonly number[]) => ({ inSync: { epoch: 1, members } });

const cases: readonly (Scene & { readonly rule: string; readonly want: string })[] = [
  {
    rule: "of two replicas the one in sync takes over, also when the other reports more",
    instances: [...pair, on(3, 3)],
    shard: synced(2),
    but: { 1: dead, 3: { ...serving, offset: 101 } },
    want: "fail-over to 2",
  },
  {
    rule: "a primary that kept its data returns before a replica that is not in sync takes over",
    instances: pair,
    record: { persistence: "aofEverySecond" },
    shard: synced(),
    but: { 1: { ...dead, usedLaunch: 1 } },
    want: "relaunch 1",
  },
  {
    rule: "a primary that ended in good order returns when the replica in sync lacks what it had written",
    instances: pair,
    record: { persistence: "aofEverySecond" },
    shard: synced(2),
    but: { 1: { ...dead, usedLaunch: 1, endedCleanly: true, lastOffset: 101 }, 2: { ...serving, drained: true } },
    want: "relaunch 1",
  },
  {
    rule: "a replica that may not have taken in everything yet is not judged by its offset",
    instances: pair,
    record: { persistence: "aofEverySecond" },
    shard: synced(2),
    but: { 1: { ...dead, usedLaunch: 1, lastOffset: 101 } },
    want: "fail-over to 2",
  },
  {
    rule: "a replica that is not in sync takes over from a primary that kept nothing",
    instances: pair,
    record: { persistence: "disabled" },
    shard: synced(),
    but: { 1: { ...dead, usedLaunch: 1 } },
    want: "fail-over to 2",
  },
  {
    rule: "a replica that is not in sync takes over from a primary that lost its data",
    instances: pair,
    record: { persistence: "aofAlways" },
    shard: synced(),
    but: { 1: lost },
    want: "fail-over to 2",
  },
  {
    rule: "a replica that is not in sync does not take over unasked from a node that is away",
    instances: pair,
    record: { persistence: "aofAlways" },
    shard: synced(),
    nodes: [node(1, { alive: false, goneForMs: 9_000 })],
    but: { 1: { ...dead, cutOff: true } },
    want: 'ask-consent: node 1, which is away, holds the newest copy of "orders"; node 2 has an older one',
  },
  {
    rule: "a replica of a primary whose node keeps no set takes over as it always has",
    instances: pair,
    shard: synced(),
    nodes: [node(1, { keepsInSync: false })],
    but: { 1: { ...dead, usedLaunch: 1 } },
    want: "fail-over to 2",
  },
  {
    rule: "a replica that was promoted already goes on, in sync or not",
    instances: pair,
    record: { persistence: "aofAlways" },
    shard: synced(),
    but: { 1: { ...dead, usedLaunch: 1 }, 2: primary },
    want: "fail-over to 2",
  },
  {
    rule: "a primary that kept nothing does not start empty before its replica has answered",
    instances: pair,
    record: { persistence: "disabled" },
    but: { 1: { ...dead, usedLaunch: 1 }, 2: silence },
    want: 'wait: the primary of "orders" on node 1 has ended; the 7.2 replica on node 2 does not answer',
  },
  {
    rule: "a primary that kept nothing starts when its replica lost its memory too",
    instances: pair,
    record: { persistence: "disabled" },
    but: { 1: { ...dead, usedLaunch: 1 }, 2: { ...silence, state: "loading" } },
    want: "relaunch 1",
  },
  {
    rule: "a primary that runs as a replica starts anew when no other copy can take over",
    instances: pair,
    record: { persistence: "aofEverySecond" },
    but: { 1: { ...serving, role: "replica", usedLaunch: 1, hasData: false }, 2: { ...serving, hasData: false } },
    want: "relaunch 1",
  },
  {
    rule: "it is given no launch by which a node of an older release does not start it: its pod is to be made again",
    instances: pair,
    record: { persistence: "aofEverySecond" },
    nodes: [node(1, { startsAnew: false }), node(2)],
    but: { 1: { ...serving, role: "replica", usedLaunch: 1, hasData: false }, 2: { ...serving, hasData: false } },
    want: `wait: ${OLDER}`,
  },
  {
    rule: "its pod is made again, and it is given the launch by which each node starts it",
    instances: pair,
    record: { persistence: "aofEverySecond" },
    nodes: [node(1, { startsAnew: false }), node(2)],
    but: { 1: { ...dead, usedLaunch: 1 }, 2: { ...serving, hasData: false } },
    want: "relaunch 1",
  },
  {
    rule: "one that runs as a replica, and may start as primary already, is waited for",
    instances: pair,
    but: { 1: { ...serving, role: "replica", usedLaunch: 0, hasData: false }, 2: { ...serving, hasData: false } },
    want: 'wait: the primary of "orders" on node 1 is starting',
  },
  {
    rule: "from one that runs as a replica the replica in sync takes over",
    instances: pair,
    shard: synced(2),
    but: { 1: { ...serving, role: "replica", usedLaunch: 1 } },
    want: "fail-over to 2",
  },
  {
    rule: "one that runs as a replica is not started anew before the node of its engine has said what it may do",
    instances: pair,
    but: { 1: { ...serving, role: "replica", hasData: false }, 2: { ...serving, hasData: false } },
    want: 'wait: the primary of "orders" on node 1 does not run yet',
  },
  {
    rule: "a primary that kept all returns without its replica",
    instances: pair,
    record: { persistence: "aofAlways" },
    but: { 1: { ...dead, usedLaunch: 1 }, 2: silence },
    want: "relaunch 1",
  },
  {
    rule: "what a replica reads from its disk is awaited before the data of its primary counts as lost",
    instances: pair,
    record: { persistence: "aofAlways" },
    but: { 1: lost, 2: { ...silence, state: "loading" } },
    want: `wait: ${GONE}; the 7.2 replica on node 2 is loading its data`,
  },
  {
    rule: "a replica that starts again after a crash is awaited, also once a user agreed to an empty database",
    instances: pair,
    record: { persistence: "aofAlways", status: "recovery" },
    shard: { recovery: { lacks: "", consent: true } },
    but: { 1: lost, 2: { ...dead, usedLaunch: 0, failedStarts: 2 } },
    want: `wait: ${GONE}; the 7.2 replica on node 2 does not run; it has ended 2 times before it served`,
  },
  {
    rule: "a replica whose node has not yet said that its engine ended is awaited",
    instances: pair,
    record: { persistence: "aofAlways" },
    but: { 1: lost, 2: dead },
    want: `wait: ${GONE}; the 7.2 replica on node 2 does not run`,
  },
  {
    rule: "a replica that cannot start is not awaited",
    instances: pair,
    record: { persistence: "aofAlways" },
    but: { 1: lost, 2: { ...dead, usedLaunch: 0, failedStarts: 3 } },
    want: `ask-consent: ${GONE}; no replica has another copy`,
  },
  {
    rule: "a replica whose disk is lost as well is not awaited",
    instances: pair,
    record: { persistence: "aofAlways" },
    but: { 1: lost, 2: { ...lost, usedLaunch: 0 } },
    want: `ask-consent: ${GONE}; no replica has another copy`,
  },
  {
    rule: "a user who is asked learns of a copy on a node that is away",
    instances: pair,
    record: { persistence: "aofAlways" },
    nodes: [node(2, { alive: false, goneForMs: 9_000 })],
    but: { 1: lost, 2: { ...dead, cutOff: true } },
    want: `ask-consent: ${GONE}; node 2, which is away, may have an older copy`,
  },
  {
    rule: "a primary that cannot start is started again, when there is no other copy",
    instances: [on(1, 1)],
    record: { replication: false, persistence: "aofAlways" },
    but: { 1: unable },
    want: "relaunch 1",
  },
  {
    rule: "a primary that cannot start gives way to the replica in sync",
    instances: pair,
    record: { persistence: "aofAlways" },
    shard: synced(2),
    but: { 1: { ...unable, lastOffset: 101 }, 2: { ...serving, drained: true } },
    want: "fail-over to 2",
  },
  {
    rule: "where only an older copy is left besides a primary that cannot start, a user is asked",
    instances: pair,
    record: { persistence: "aofAlways" },
    shard: synced(),
    but: { 1: unable },
    want: `ask-consent: ${UNABLE}`,
  },
  {
    rule: "while a user is asked, the primary that cannot start is started again",
    instances: pair,
    record: { persistence: "aofAlways", status: "recovery" },
    shard: { ...synced(), recovery: { lacks: UNABLE } },
    but: { 1: unable },
    want: "relaunch 1",
  },
  {
    rule: "an older copy takes over from a primary that cannot start once a user agrees",
    instances: pair,
    record: { persistence: "aofAlways", status: "recovery" },
    shard: { ...synced(), recovery: { lacks: UNABLE, consent: true } },
    but: { 1: unable },
    want: "fail-over to 2",
  },
  {
    rule: "a primary that is about to be started again says why it ended before",
    instances: [{ ...on(1, 1), launch: 9 }],
    record: { replication: false, persistence: "aofAlways" },
    but: { 1: unable },
    want: 'wait: the primary of "orders" on node 1 is starting; it has ended 3 times before it served: no space left',
  },
];

for (const { rule, want, ...scene } of cases) {
  test(rule, () => assert.equal(brief(decideDatabase(factsOf(scene))), want));
}
