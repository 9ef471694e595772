import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { databaseSpec } from "../database-spec.ts";
import { endpointSettings, engineDirectives, reportsSettings } from "./effects.ts";
import { CHANGE_FIELDS, CREATE_FIELDS, STORED_FIELDS } from "./fields.ts";
import type { Directives } from "./setting.ts";
import type { SettingName, SettingValues } from "./types.ts";
import {
  changesOfWire,
  differingSettings,
  settingsBesidesFallbacks,
  settingsOfSpec,
  settingsOfWire,
  wireOf,
} from "./values.ts";

const stored = z.looseObject(STORED_FIELDS);
const created = z.strictObject(CREATE_FIELDS);
const changed = z.strictObject(CHANGE_FIELDS);
const defaults = settingsOfSpec(databaseSpec.parse({}));

interface Case {
  /** As it is written in `spec`. */
  readonly spec: object;
  readonly record: Partial<SettingValues>;
  /** Another value. */
  readonly other: Partial<SettingValues>;
  readonly wire: object;
  /** Of engines; empty: none depends on it. */
  readonly directives: Directives;
}

const cases: Readonly<Record<SettingName, readonly Case[]>> = {
  memoryBytes: [
    {
      spec: { memorySize: "0.5GB" },
      record: { memoryBytes: 500_000_000 },
      other: { memoryBytes: 1 },
      wire: { memory_size: 500_000_000 },
      directives: {
        maxmemory: "500000000",
        "repl-backlog-size": "31250000",
        "client-output-buffer-limit": "replica 250000000 125000000 120",
      },
    },
  ],
  replication: [
    {
      spec: { replication: true },
      record: { replication: true },
      other: { replication: false },
      wire: { replication: true },
      directives: {},
    },
  ],
  durability: [
    {
      spec: { durability: "sync" },
      record: { durability: "sync" },
      other: { durability: "async" },
      wire: { durability: "sync" },
      directives: {},
    },
  ],
  withoutInSync: [
    {
      spec: { withoutReplica: "wait" },
      record: { withoutInSync: "wait" },
      other: { withoutInSync: "degrade" },
      wire: { without_replica: "wait" },
      directives: {},
    },
  ],
  persistence: (
    [
      ["disabled", "no", "everysec", ""],
      ["aofEverySecond", "yes", "everysec", ""],
      ["aofAlways", "yes", "always", ""],
      ["snapshotEvery1Hour", "no", "everysec", "3600 1"],
      ["snapshotEvery6Hour", "no", "everysec", "21600 1"],
      ["snapshotEvery12Hour", "no", "everysec", "43200 1"],
    ] as const
  ).map(([persistence, appendonly, appendfsync, save]) => ({
    spec: { persistence },
    record: { persistence },
    other: { persistence: persistence === "disabled" ? "aofAlways" : "disabled" },
    wire: { data_persistence: persistence },
    directives: { appendonly, appendfsync, save },
  })),
  evictionPolicy: [
    {
      spec: { evictionPolicy: "allkeys-lfu" },
      record: { evictionPolicy: "allkeys-lfu" },
      other: { evictionPolicy: "noeviction" },
      wire: { eviction_policy: "allkeys-lfu" },
      directives: { "maxmemory-policy": "allkeys-lfu" },
    },
  ],
  engineParameters: [
    {
      spec: {
        engineParameters: { "slowlog-max-len": "256", "notify-keyspace-events": "KEA", "lua-time-limit": "9000" },
      },
      record: { engineParameters: "lua-time-limit=9000 notify-keyspace-events=KEA slowlog-max-len=256" },
      other: { engineParameters: "" },
      wire: { engine_parameters: "lua-time-limit=9000 notify-keyspace-events=KEA slowlog-max-len=256" },
      directives: {
        "notify-keyspace-events": "KEA",
        "slowlog-max-len": "256",
        "slowlog-log-slower-than": "10000",
      },
    },
  ],
  maxClients: [
    {
      spec: { maxClients: 500 },
      record: { maxClients: 500 },
      other: { maxClients: 0 },
      wire: { max_connections: 500 },
      directives: {},
    },
  ],
  ossCluster: [
    {
      spec: { ossCluster: true },
      record: { ossCluster: true },
      other: { ossCluster: false },
      wire: { oss_cluster: true },
      directives: {},
    },
  ],
  tlsMode: [
    {
      spec: { tls: "mutual" },
      record: { tlsMode: "mutual" },
      other: { tlsMode: "enabled" },
      wire: { tls_mode: "mutual" },
      directives: {},
    },
  ],
  passwordOverlap: [
    {
      spec: { passwordOverlapSeconds: 60 },
      record: { passwordOverlap: 60 },
      other: { passwordOverlap: 300 },
      wire: { password_overlap_seconds: 60 },
      directives: {},
    },
  ],
  shardsPlacement: [
    {
      spec: { shardsPlacement: "dense" },
      record: { shardsPlacement: "dense" },
      other: { shardsPlacement: "sparse" },
      wire: { shards_placement: "dense" },
      directives: {},
    },
  ],
  proxyPolicy: [
    {
      spec: { proxyPolicy: "single" },
      record: { proxyPolicy: "single" },
      other: { proxyPolicy: "all-master-shards" },
      wire: { proxy_policy: "single" },
      directives: {},
    },
  ],
  parallelShards: [
    {
      spec: { parallelShardsUpgrade: 2 },
      record: { parallelShards: 2 },
      other: { parallelShards: 0 },
      wire: { parallel_shards_upgrade: 2 },
      directives: {},
    },
  ],
  upgradePolicy: [
    {
      spec: { storeUpgradePolicy: "major" },
      record: { upgradePolicy: "major" },
      other: { upgradePolicy: "latest" },
      wire: { redis_upgrade_policy: "major" },
      directives: {},
    },
  ],
};

for (const { spec, record, other, wire, directives } of Object.values(cases).flat()) {
  const name = JSON.stringify(spec);
  const settings = settingsOfSpec(databaseSpec.parse(spec));

  test(`setting ${name}: from the spec to the record, the management API and back`, () => {
    assert.deepEqual(settings, { ...defaults, ...record });
    assert.deepEqual(wireOf(settings), { ...wireOf(defaults), ...wire });
    assert.deepEqual(settingsOfWire(wireOf(settings)), settings);
    assert.deepEqual(settingsOfWire(created.parse(wireOf(settingsBesidesFallbacks(settings)))), settings);
    assert.deepEqual(stored.parse(JSON.parse(JSON.stringify(settings))), settings);
  });

  test(`setting ${name}: a change of it says it and nothing else`, () => {
    assert.deepEqual(wireOf(differingSettings(settings, { ...settings, ...other })), wire);
    assert.deepEqual(changesOfWire(changed.parse(wire)), record);
    assert.deepEqual(differingSettings(settings, settings), {});
  });

  test(`setting ${name}: the directives of engines`, () => {
    const rendered = engineDirectives(settings);
    assert.deepEqual(rendered, { ...rendered, ...directives });
  });
}

test("a record of an older release that lacks a setting has its fallback", () => {
  assert.deepEqual(stored.parse({ memoryBytes: 1, novelty: 2 }), {
    ...defaults,
    memoryBytes: 1,
    novelty: 2,
  });
  assert.equal(stored.safeParse({}).error?.issues[0]?.path[0], "memoryBytes");
});

test("a request to create a database omits values that equal the fallback: nodes of an older release refuse fields that they do not know", () => {
  assert.deepEqual(wireOf(settingsBesidesFallbacks(defaults)), { memory_size: 100_000_000 });
});

test("the management API refuses what is no setting, no value of one, or left out without a fallback", () => {
  const refused = (schema: z.ZodType, body: object): unknown => schema.safeParse(body).error?.issues[0]?.path[0];
  assert.equal(changed.safeParse({ novelty: 1 }).error?.issues[0]?.code, "unrecognized_keys");
  assert.equal(created.safeParse({ memory_size: 2e6, novelty: 1 }).error?.issues[0]?.code, "unrecognized_keys");
  assert.equal(refused(created, {}), "memory_size");
  assert.equal(refused(changed, { memory_size: 1 }), "memory_size");
  assert.equal(refused(changed, { max_connections: -1 }), "max_connections");
  assert.equal(refused(changed, { eviction_policy: "sometimes" }), "eviction_policy");
  assert.equal(refused(changed, { eviction_policy: undefined }), "eviction_policy");
});

test("endpoints get the settings that they apply, and no others", () => {
  assert.deepEqual(endpointSettings({ ...defaults, maxClients: 7 }), {
    maxClients: 7,
    ossCluster: false,
    tlsMode: "disabled",
  });
});

test("an engine has the settings when its INFO says so", () => {
  const info = new Map([
    ["maxmemory", "100000000"],
    ["maxmemory_policy", "volatile-lru"],
  ]);
  assert.equal(reportsSettings(defaults, info), true);
  assert.equal(reportsSettings({ ...defaults, memoryBytes: 1 }, info), false);
  assert.equal(reportsSettings(defaults, new Map()), false);
});
