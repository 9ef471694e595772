import assert from "node:assert/strict";
import { test } from "node:test";
import { dead, factsOf, on } from "../../../../test/kit/facts/database-scene.ts";
import type { DatabaseRecord, ShardRecovery } from "../../api/records.ts";
import { stepBehindGate } from "./site-gate.ts";
import type { Rest } from "../findings/step.ts";
import type { LeaderProposal } from "./step.ts";

const relaunch: LeaderProposal = { kind: "relaunch", shard: 1, instance: 1 };
const empty: LeaderProposal = { kind: "start-empty", shard: 1, instance: 1 };
const site = { activeActive: { guid: "a", site: 1 } } as const;
const kept = { ...site, persistence: "aofAlways" } as const;
const unkept = { ...site, persistence: "disabled" } as const;
const NEW = { status: "pending" } as const;

const steps: readonly (readonly [
  rule: string,
  record: Partial<DatabaseRecord>,
  step: LeaderProposal,
  want: (LeaderProposal | Rest)["kind"],
  lettingIn?: readonly number[] | undefined,
  recovery?: ShardRecovery,
])[] = [
  ["without persistence starts again after its clients are kept waiting", unkept, relaunch, "await-sites"],
  ["that keeps what it writes starts again at once", kept, relaunch, "relaunch"],
  ["that starts empty does so after its clients are kept waiting", kept, empty, "await-sites"],
  ["that is being made starts again at once", { ...unkept, ...NEW }, relaunch, "relaunch"],
  ["that is being made starts empty at once", { ...kept, ...NEW }, empty, "start-empty"],
  ["of one cluster alone starts again at once", { persistence: "disabled" }, relaunch, "relaunch"],
  [
    "that comes back from what a node set aside starts again at once",
    unkept,
    relaunch,
    "relaunch",
    undefined,
    { lacks: "" },
  ],
  ["that was asked about an older copy waits", unkept, relaunch, "await-sites", undefined, { lacks: "a node" }],
  ["waits for proxies that may let clients in", { ...unkept, awaitsSites: true }, relaunch, "wait", [2, 3]],
  ["starts once no proxy lets clients in", { ...unkept, awaitsSites: true }, relaunch, "relaunch", []],
  ["that keeps what it writes waits for proxies as well", { ...kept, awaitsSites: true }, relaunch, "wait", [2]],
];
for (const [rule, record, step, want, lettingIn, recovery] of steps)
  test(`gate: a primary of a site ${rule}`, () => {
    const shard = recovery === undefined ? {} : { recovery };
    const facts = factsOf({ instances: [on(1, 1)], record, shard, but: { 1: dead } });
    assert.equal(stepBehindGate({ ...facts, ...(lettingIn === undefined ? {} : { lettingIn }) }, step).kind, want);
  });

test("gate: the reason names the nodes, and steps that start no primary go on", () => {
  const facts = factsOf({ instances: [on(1, 1)], record: { ...unkept, awaitsSites: true }, but: { 1: dead } });
  const step = stepBehindGate({ ...facts, lettingIn: [2, 3] }, relaunch);
  assert.match(step.kind === "wait" ? step.wait.evidence : "", /proxies of nodes 2, 3/);
  assert.equal(stepBehindGate({ ...facts, lettingIn: [2, 3] }, { kind: "rest" }).kind, "rest");
});
