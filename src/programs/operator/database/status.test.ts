import assert from "node:assert/strict";
import { test } from "node:test";
import type { BdbRecord } from "../../../ports/management/records.ts";
import { databaseStatusOf, type DatabaseReport } from "./status.ts";

const NOW = new Date("2026-01-01T00:00:00Z");
const STAND_IN = "7.2 (stand-in: redis 7.0.15)";

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
      unready: { reason: "ClusterNotFound", message: "there is none" },
    },
    ready: "False ClusterNotFound: there is none",
    specStatus: "Invalid",
  },
  {
    name: "a cluster that is being made does not",
    report: { bdb: undefined, decision: undefined, unready: { reason: "ClusterNotReady", message: "not yet" } },
    ready: "False ClusterNotReady: not yet",
  },
  {
    name: "a refusal is told with its way out",
    report: { bdb: undefined, failure: { reason: "RefusedByCluster", message: "the port is taken; remedy: another" } },
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

test("the version that was told stays while the engine does not answer, until the database has another one", () => {
  const before = { version: STAND_IN };
  const silent = databaseStatusOf({ ...whole(), before, bdb: bdb({ version: "", version_display: "7.2" }) }, NOW);
  assert.equal(silent.version, STAND_IN);
  const upgraded = bdb({ version: "", version_display: "8.0", redis_version: "8.0" });
  assert.equal(databaseStatusOf({ ...whole(), before, bdb: upgraded }, NOW).version, "8.0");
});

test("Ready speaks of the spec that was acted on: an edit that waits for the cluster's upgrade is not in it", () => {
  const suspension = { reason: "OperatorUpgraded", message: "upgrade the cluster" } as const;
  const edited = { ...whole(), generation: 3, before: { observedGeneration: 2 } };
  const generationOf = (report: DatabaseReport): number | undefined =>
    databaseStatusOf(report, NOW).conditions?.find(({ type }) => type === "Ready")?.observedGeneration;
  assert.equal(generationOf({ ...edited, decision: undefined, suspension }), 2);
  assert.equal(generationOf(edited), 3);
});

function whole(): DatabaseReport {
  return {
    generation: 1,
    before: {},
    cluster: "rec",
    secretName: "redb-orders",
    bdb: bdb(),
    actions: [],
    suspension: undefined,
    decision: { findings: [], drift: undefined, act: { kind: "none" } },
    unready: undefined,
    failure: undefined,
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
    shard_list: [],
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
