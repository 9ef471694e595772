import assert from "node:assert/strict";
import { test } from "node:test";
import { OLD, release } from "../../../../test/kit/facts/cluster-view.ts";
import { nearby, references } from "../../../../test/kit/facts/references.ts";
import { databaseView as view, existingDatabase as existing } from "../../../../test/kit/facts/database-view.ts";
import { planDatabase, type DatabaseView } from "./plan.ts";

const unmade = { existing: undefined, home: undefined };
const major = references({ clusters: [nearby({ upgradePolicy: "major" })] });

interface Case {
  readonly name: string;
  readonly view: DatabaseView;
  /** Undefined where it rests, or waits for its finding. */
  readonly act: object | undefined;
  readonly finding?: string;
  readonly drift?: string;
  readonly warning?: string;
}

const halves = ["0-8191", "8192-16383"];
const none = undefined;
const defaults = { memory_size: 100_000_000 };

const cases: readonly Case[] = [
  {
    name: "a Secret that has changed gives its password to the cluster",
    view: view({}, { secret: "changed" }),
    act: { kind: "update", uid: 1, settings: {}, password: true },
  },
  {
    name: "a site of an Active-Active database is made as one",
    view: view({}, { ...unmade, site: { guid: "a", site: 2 } }),
    act: { kind: "create", settings: defaults, version: "8.2", modules: [], site: { guid: "a", site: 2 } },
  },
  {
    name: "a database that its cluster does not take for a site yet is made one",
    view: view({}, { site: { guid: "a", site: 2 } }),
    act: { kind: "update", uid: 1, settings: {}, password: false, site: { guid: "a", site: 2 } },
  },
  {
    name: "a site that gets another number is given it",
    view: view({}, { site: { guid: "a", site: 3 }, existing: existing({ site: { guid: "a", site: 2 } }) }),
    act: { kind: "update", uid: 1, settings: {}, password: false, site: { guid: "a", site: 3 } },
  },
  {
    name: "a site that its cluster takes for one is left alone",
    view: view({}, { site: { guid: "a", site: 2 }, existing: existing({ site: { guid: "a", site: 2 } }) }),
    act: none,
  },
  {
    name: "a changed password goes along with changed settings",
    view: view({ evictionPolicy: "noeviction" }, { secret: "changed" }),
    act: { kind: "update", uid: 1, settings: { eviction_policy: "noeviction" }, password: true },
  },
  {
    name: "a password does not wait for another change to end",
    drift: "EditWaits",
    view: view({ evictionPolicy: "noeviction" }, { secret: "changed", existing: existing({ isSettled: false }) }),
    act: { kind: "update", uid: 1, settings: {}, password: true },
  },
  {
    name: "more memory does not wait for a change that may wait for it",
    drift: "EditWaits",
    view: view(
      { memorySize: "200MB", evictionPolicy: "noeviction" },
      { existing: existing({ isSettled: false, mayGrow: true }) },
    ),
    act: { kind: "update", uid: 1, settings: { memory_size: 200_000_000 }, password: false },
  },
  {
    name: "less memory waits for another change to end",
    drift: "EditWaits",
    view: view(
      { memorySize: "100MB" },
      { existing: existing({ isSettled: false, mayGrow: true, memoryBytes: 200_000_000 }) },
    ),
    act: none,
  },
  {
    name: "without its Secret a database keeps the password, and is changed all the same",
    view: view({ evictionPolicy: "noeviction" }, { secret: "missing" }),
    act: { kind: "update", uid: 1, settings: { eviction_policy: "noeviction" }, password: false },
    warning: "DatabaseSecretMissing",
  },
  { name: "a database that equals its spec is left alone", view: view({ storeVersion: "7.4" }), act: none },
  { name: "no version written: the version stays what it is", view: view({}), act: none },
  {
    name: "a database that is not there is made",
    view: view({ storeVersion: "7.2", databasePort: 12_000 }, unmade),
    act: { kind: "create", settings: defaults, port: 12_000, version: "7.2", modules: [] },
  },
  {
    name: "no version written: a new database gets the newest that the release supports",
    view: view({}, { ...unmade, references: references({ release: release("7.22.0-7") }) }),
    act: { kind: "create", settings: defaults, version: "7.4", modules: [] },
  },
  {
    name: "its modules go along by name; numbers of versions have no effect",
    view: view({ storeVersion: "7.2", moduleList: [{ name: "search", version: "1", config: "a b" }] }, unmade),
    act: { kind: "create", settings: defaults, version: "7.2", modules: [{ name: "search", args: "a b" }] },
  },
  {
    name: "settings that differ are changed, and no others",
    view: view({ memorySize: "1GB", replication: true }),
    act: { kind: "update", uid: 1, settings: { memory_size: 1_000_000_000, replication: true }, password: false },
  },
  {
    name: "a higher version is an upgrade",
    view: view({ storeVersion: "8.2" }),
    act: { kind: "upgrade", uid: 1, from: "7.4", storeVersion: "8.2" },
  },
  {
    name: "settings go before the upgrade",
    view: view({ storeVersion: "8.2", evictionPolicy: "noeviction" }),
    act: { kind: "update", uid: 1, settings: { eviction_policy: "noeviction" }, password: false },
  },
  {
    name: "a change that runs is waited for",
    drift: "EditWaits",
    view: view({ storeVersion: "8.2" }, { existing: existing({ isSettled: false }) }),
    act: none,
  },
  {
    name: "a version that this release does not carry is refused",
    view: view({ storeVersion: "8.2" }, { references: references({ release: release("7.22.0-7") }) }),
    act: none,
    finding: "IncompatibleDatabaseVersion",
  },
  {
    name: "an older release of the 8 line carries 8.2 too",
    view: view({ storeVersion: "8.2" }, { references: references({ release: OLD }) }),
    act: { kind: "upgrade", uid: 1, from: "7.4", storeVersion: "8.2" },
  },
  {
    name: "a database that was upgraded by hand is never taken back",
    view: view({ storeVersion: "7.2" }),
    act: none,
    drift: "UpgradedByHand",
  },
  {
    name: "a lower version that is written is refused",
    view: view({ storeVersion: "7.2" }, { isEdited: true }),
    act: none,
    drift: "DowngradeRefused",
  },
  {
    name: "a refusal stands as long as the spec does",
    view: view({ storeVersion: "7.2" }, { wasRefused: true }),
    act: none,
    drift: "DowngradeRefused",
  },
  {
    name: "another number of shards is asked for",
    view: view({ shardCount: 3 }),
    act: { kind: "update", uid: 1, settings: {}, password: false, shards: 3 },
  },
  {
    name: "an object that says no number of shards leaves a database those that it has",
    view: view({}, { existing: { ...existing({}), shards: 5 } }),
    act: none,
  },
  {
    name: "and those that are being made",
    view: view({}, { existing: { ...existing({}), isSettled: false, mayGrow: true, shards: 5 } }),
    act: none,
  },
  {
    name: "another number of shards ends one that is being made",
    view: view({ shardCount: 1 }, { existing: { ...existing({}), isSettled: false, mayGrow: true, shards: 3 } }),
    act: { kind: "update", uid: 1, settings: {}, password: false, shards: 1 },
  },
  {
    name: "other slots of its shards are asked for",
    view: view(
      { shardCount: 2, shardSlots: ["0-99", "100-16383"] },
      { existing: existing({ shards: 2, slots: halves }) },
    ),
    act: { kind: "update", uid: 1, settings: {}, password: false, slots: ["0-99", "100-16383"] },
  },
  {
    name: "slots that it has are left alone, in whichever order and with whichever part of the memory",
    view: view({ shardSlots: ["8192-16383=40%", "0-8191"] }, { existing: existing({ shards: 2, slots: halves }) }),
    act: none,
  },
  {
    name: "an object that names slots no more ends a change to those that were named",
    view: view(
      { shardCount: 2 },
      { existing: existing({ isSettled: false, mayGrow: true, shards: 2, slots: halves, namesSlots: true }) },
    ),
    act: { kind: "update", uid: 1, settings: {}, password: false, shards: 2 },
  },
  {
    name: "a new database gets the slots that it asks for",
    view: view({ shardSlots: ["0-99", "100-16383"], storeVersion: "8.0" }, unmade),
    act: {
      kind: "create",
      settings: { memory_size: 100_000_000 },
      slots: ["0-99", "100-16383"],
      version: "8.0",
      modules: [],
    },
  },
  {
    name: "a new database gets the shards that it asks for",
    view: view({ shardCount: 2, storeVersion: "8.0" }, unmade),
    act: {
      kind: "create",
      settings: { memory_size: 100_000_000 },
      shards: 2,
      version: "8.0",
      modules: [],
    },
  },
  { name: "less than 100MB is refused", view: view({ memorySize: "99MB" }), act: none, finding: "SpecInvalid" },
  {
    name: "the policy `major` keeps a database from a minor version (§2.2)",
    view: view({ storeVersion: "8.2" }, { references: major }),
    act: none,
    finding: "UpgradePolicyMajor",
  },
  {
    name: "the policy `major` of the cluster gives a new database without a version the newest major one",
    view: view({}, { ...unmade, references: major }),
    act: { kind: "create", settings: defaults, version: "8.0", modules: [] },
  },
  {
    name: "the policy `major` of the database does so too",
    view: view({ storeUpgradePolicy: "major" }, unmade),
    act: {
      kind: "create",
      settings: { ...defaults, redis_upgrade_policy: "major" },
      version: "8.0",
      modules: [],
    },
  },
  {
    name: "the policy `major` of the database keeps it from a minor version",
    view: view(
      { storeVersion: "8.2", storeUpgradePolicy: "major" },
      { existing: existing({ upgradePolicy: "major" }) },
    ),
    act: none,
    finding: "UpgradePolicyMajor",
  },
  {
    name: "the policy `major` lets a database move to a major version",
    view: view({ storeVersion: "8.0" }, { references: major }),
    act: { kind: "upgrade", uid: 1, from: "7.4", storeVersion: "8.0" },
  },
  {
    name: "the policy `major` leaves a database alone that is at a minor version",
    view: view({ storeVersion: "7.4" }, { references: major }),
    act: none,
  },
  {
    name: "a database does not move to another cluster, and is not made twice",
    view: view({}, { existing: undefined, home: "other" }),
    act: none,
    finding: "SpecInvalid",
  },
  { name: "a port never changes", view: view({ databasePort: 10_001 }), act: none, finding: "SpecInvalid" },
];

for (const { name, view: given, act, finding, drift, warning } of cases) {
  test(`planDatabase: ${name}`, () => {
    const decision = planDatabase(given);
    const { step } = decision;
    assert.deepEqual(step.kind === "act" ? step.act : step.kind, act ?? (finding === undefined ? "rest" : "wait"));
    assert.deepEqual(
      decision.findings.map(({ id }) => id),
      finding === undefined ? [] : [finding],
    );
    assert.equal(decision.drift?.id, drift);
    assert.deepEqual(
      decision.warnings.map(({ id }) => id),
      warning === undefined ? [] : [warning],
    );
  });
}

test("a refused version lists the supported ones, and its remedy is a command", () => {
  const [finding] = planDatabase(
    view({ storeVersion: "8.2" }, { references: references({ release: release("7.22.0-7") }) }),
  ).findings;
  assert.match(finding?.evidence ?? "", /supported values: "7\.2", "7\.4"/);
  assert.match(finding?.remedy ?? "", /kubectl patch redb orders .*"storeVersion":"7\.4"/);
});

test("a finding of drift has the exact patch", () => {
  const { drift } = planDatabase(view({ storeVersion: "7.2" }));
  assert.match(drift?.remedy ?? "", /kubectl patch redb orders --type merge -p '\{"spec":\{"storeVersion":"7\.4"\}\}'/);
});
