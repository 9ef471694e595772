import assert from "node:assert/strict";
import { test } from "node:test";
import { isTrue } from "#kit/kube/conditions";
import { SHOWN_PRIMARY } from "../../../../test/kit/facts/shown-primary.ts";
import { block, pause, warn } from "../../../core/planner/findings/finding.ts";
import { REST, waitFor } from "../../../core/planner/findings/step.ts";
import type { DatabaseStatus } from "../../../core/api/database-status.ts";
import type { BdbRecord, ShardInstanceRecord } from "../../../ports/management/records.ts";
import { notReady } from "../context/cluster-context.ts";
import type { DatabaseReport } from "./database-report.ts";
import { databaseStatusOf } from "./status.ts";

const NOW = new Date("2026-01-01T00:00:00Z");
const STAND_IN = "7.2 (stand-in: redis 7.0.15)";
const SUSPENSION = pause("OperatorUpgraded", "upgrade the cluster");
const REFUSED = {
  id: "RefusedByCluster",
  severity: "block",
  evidence: "the port is taken",
  remedy: "another",
} as const;

const SHARD: ShardInstanceRecord = {
  ...SHOWN_PRIMARY,
  assigned_slots: "0-16383",
  redis_version: "7.2",
  engine: "redis 7.0.15",
};

interface Case {
  readonly name: string;
  readonly report: Partial<DatabaseReport>;
  /** `<status> <reason>: <message>` of the condition Ready. */
  readonly ready: string;
  readonly specStatus?: string;
}

const cases: readonly Case[] = [
  { name: "a database that serves", report: {}, ready: `True Active: serves version ${STAND_IN}`, specStatus: "Valid" },
  {
    name: "active, and its engine does not answer",
    report: { bdb: bdb({ version: "" }) },
    ready: "False Active: the engine is starting",
  },
  {
    name: "a replica catches up: it serves all the same",
    report: { bdb: bdb({ waiting_for: "the 7.2 replica on node 2 is receiving the data" }) },
    ready: "True Recovering: the 7.2 replica on node 2 is receiving the data",
  },
  {
    name: "an upgrade says how far it is",
    report: { bdb: bdb({ status: "active-change-pending" }), actions: [action("upgrade_bdb", 45)] },
    ready: "False Changing: the database is being upgraded, 45 % done",
  },
  {
    name: "a new database",
    report: { bdb: bdb({ status: "pending", version: "" }), actions: [action("create_bdb", 0)] },
    ready: "False Changing: the database is being made",
  },
  {
    name: "a cluster that does not exist makes the spec invalid",
    report: {
      bdb: undefined,
      decision: undefined,
      unready: { id: "ClusterNotFound", severity: "block", evidence: "there is none", remedy: "make it" },
    },
    ready: "False ClusterNotFound: there is none; remedy: make it",
    specStatus: "Invalid",
  },
  {
    name: "a cluster that is being made does not",
    report: { bdb: undefined, decision: undefined, unready: notReady("rec", "not yet") },
    ready: "False ClusterNotReady: not yet; remedy: storectl why, or kubectl describe rec rec",
  },
  {
    name: "an edit that is refused is not what was asked for, also while the database serves",
    report: { decision: { findings: [REFUSED], warnings: [], drift: undefined, step: waitFor(REFUSED) } },
    ready: "False RefusedByCluster: the port is taken; remedy: another",
    specStatus: "Invalid",
  },
  {
    name: "a version that is refused because it is lower is none either",
    report: {
      decision: {
        findings: [],
        warnings: [],
        drift: block("DowngradeRefused", "it is at 7.4", "write it"),
        step: REST,
      },
    },
    ready: "False DowngradeRefused: it is at 7.4; remedy: write it",
    specStatus: "Invalid",
  },
  {
    name: "a refusal is reported with its way out",
    report: { bdb: undefined, failure: REFUSED },
    ready: "False RefusedByCluster: the port is taken; remedy: another",
  },
];

for (const { name, report, ready, specStatus } of cases) {
  test(`the status of a database: ${name}`, () => {
    const status = databaseStatusOf({ ...whole(), ...report }, NOW);
    const condition = status.conditions?.find(({ type }) => type === "Ready");
    assert.equal(`${condition?.status} ${condition?.reason}: ${condition?.message}`, ready);
    if (specStatus !== undefined) assert.equal(status.specStatus, specStatus);
  });
}

test("a change that needs the consent of a user is stalled, and one that waits for something else is not", () => {
  const obstacle = { id: "KeysMisplaced", evidence: "shard 1 has 3", remedy: "storectl reshape" };
  const stalled = (severity: string): string | undefined => {
    const changing = bdb({ status: "active-change-pending", obstacle: { ...obstacle, severity } });
    const { conditions } = databaseStatusOf({ ...whole(), bdb: changing }, NOW);
    return conditions?.find(({ type }) => type === "Stalled")?.message;
  };
  assert.equal(stalled("consent"), "shard 1 has 3; remedy: storectl reshape");
  assert.equal(stalled("wait"), "nothing waits for a person");
});

test("the reported version stays while the engine does not answer, until the database has another one", () => {
  const served = databaseStatusOf(whole(), NOW);
  assert.deepEqual(servingOf(served), [STAND_IN, "7.2", "redis 7.0.15", true]);
  const silent = bdb({ version: "", version_display: "7.2" });
  assert.deepEqual(servingOf(databaseStatusOf({ ...whole(), before: served, bdb: silent }, NOW)), servingOf(served));
  const upgraded = { ...silent, redis_version: "8.0" } as const;
  const after = databaseStatusOf({ ...whole(), before: served, bdb: upgraded }, NOW);
  assert.deepEqual(servingOf(after), ["8.0", "8.0", undefined, undefined]);
});

test("the version that an older operator wrote stays while the engine does not answer", () => {
  const before = { version: STAND_IN };
  const status = databaseStatusOf({ ...whole(), before, bdb: bdb({ version: "", version_display: "7.2" }) }, NOW);
  assert.deepEqual([status.version, status.storeVersion], [STAND_IN, "7.2"]);
});

const DRIFT = warn("UpgradedByHand", "it is at 7.2", "write it");
const FOUND = { id: "SpecInvalid", severity: "block", evidence: "a field", remedy: "correct it" } as const;

const findings: readonly {
  readonly name: string;
  readonly report: Partial<DatabaseReport>;
  /** `<severity> <id>` of each. */
  readonly want: readonly string[];
}[] = [
  { name: "of a database as its spec says there are none", report: {}, want: [] },
  {
    name: "a cluster that does not answer holds it up",
    report: { unready: notReady("rec", "no") },
    want: ["wait ClusterNotReady"],
  },
  { name: "a refusal blocks", report: { failure: REFUSED }, want: ["block RefusedByCluster"] },
  {
    name: "those of the spec come before drift, which is a warning",
    report: { decision: { findings: [FOUND], warnings: [], drift: DRIFT, step: waitFor(FOUND) } },
    want: ["block SpecInvalid", "warn UpgradedByHand"],
  },
  {
    name: "while management is suspended, those found before stay",
    report: { before: { findings: [FOUND] }, decision: undefined, suspension: SUSPENSION },
    want: ["block SpecInvalid"],
  },
];

for (const { name, report, want } of findings) {
  test(`the findings of a database: ${name}`, () => {
    const found = databaseStatusOf({ ...whole(), ...report }, NOW).findings ?? [];
    assert.deepEqual(
      found.map(({ severity, id }) => `${severity} ${id}`),
      want,
    );
  });
}

test("a database that the cluster refuses to make has failed to be made, and is pending once it is not refused", () => {
  const unmade = { ...whole(), bdb: undefined };
  const refused = databaseStatusOf({ ...unmade, failure: REFUSED }, NOW);
  assert.equal(refused.status, "creation-failed");
  assert.equal(databaseStatusOf({ ...unmade, before: refused }, NOW).status, "pending");
  const made = { ...refused, databaseUID: "1" };
  assert.equal(databaseStatusOf({ ...whole(), before: made, failure: REFUSED }, NOW).status, "active");
});

test("Ready speaks of the spec that was acted on: an edit that waits for the cluster's upgrade is not in it", () => {
  const edited = { ...whole(), generation: 3, before: { observedGeneration: 2 } };
  const generationOf = (report: DatabaseReport): number | undefined =>
    databaseStatusOf(report, NOW).conditions?.find(({ type }) => type === "Ready")?.observedGeneration;
  assert.equal(generationOf({ ...edited, decision: undefined, suspension: SUSPENSION }), 2);
  assert.equal(generationOf(edited), 3);
});

test("what stands against the schedule of backups is among the findings, once, and keeps nothing else from being ready", () => {
  const taken = warn("BackupScheduleTaken", "it is of another", "delete it");
  const before = { findings: [taken, warn("PodUnknown", "e", "r")] };
  const report = { ...whole(), before, ofSchedule: [taken] };
  const idsOf = ({ findings = [] }: DatabaseStatus) => findings.map(({ id }) => id);
  const status = databaseStatusOf(report, NOW);
  assert.deepEqual([idsOf(status), isTrue(status.conditions, "Ready")], [["BackupScheduleTaken"], true]);
  const suspended = databaseStatusOf({ ...report, decision: undefined, suspension: SUSPENSION }, NOW);
  assert.deepEqual(idsOf(suspended), ["PodUnknown", "BackupScheduleTaken"]);
});

function servingOf({ version, storeVersion, engine, standIn }: DatabaseStatus): readonly unknown[] {
  return [version, storeVersion, engine, standIn];
}

function whole(): DatabaseReport {
  return {
    generation: 1,
    before: {},
    cluster: "rec",
    secretName: "redb-orders",
    passwordFrom: undefined,
    authorityDigest: undefined,
    bdb: bdb(),
    isPolled: true,
    hasService: true,
    shards: [SHARD],
    actions: [],
    suspension: undefined,
    decision: { findings: [], warnings: [], drift: undefined, step: REST },
    unready: undefined,
    failure: undefined,
    ofSchedule: [],
  };
}

function action(name: string, progress: number) {
  return { action_uid: "a", name, object_name: "bdb:1", status: "running", progress } as const;
}

function bdb(change: Partial<BdbRecord> = {}): BdbRecord {
  return {
    uid: 1,
    name: "orders",
    type: "redis",
    status: "active",
    version: "7.0.15",
    version_display: STAND_IN,
    redis_version: "7.2",
    memory_size: 100_000_000,
    port: 10_000,
    replication: true,
    data_persistence: "disabled",
    eviction_policy: "volatile-lru",
    shards_count: 1,
    shard_list: [1],
    stand_in: true,
    epoch: 1,
    endpoints: [],
    module_list: [],
    waiting_for: "",
    loss_reports: [],
    action_uid: "a",
    created_time: "",
    last_changed_time: "",
    ...change,
  };
}
