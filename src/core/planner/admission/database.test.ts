import assert from "node:assert/strict";
import { test } from "node:test";
import { release } from "../../../../test/kit/facts/cluster-view.ts";
import { nearby, references } from "../../../../test/kit/facts/references.ts";
import { databaseSpec } from "../../api/database-spec.ts";
import { DATABASE_ADVICE, DATABASE_RULES, WRITTEN_DATABASE_RULES } from "./database.ts";
import type { ReviewedDatabase } from "./reviewed-database.ts";
import { review } from "./review.ts";
import { causeText } from "./objection.ts";

interface Case {
  readonly rule: string;
  readonly spec?: object;
  readonly change?: Partial<ReviewedDatabase>;
  /** Field of the one objection; none when absent. */
  readonly field?: string;
  readonly says?: RegExp;
}

const spec = (from: object) => databaseSpec.parse(from);
const existing = { port: 10_000, storeVersion: "7.4", shards: 1, cluster: "rec" } as const;
const two = references({ clusters: [nearby(), nearby({ name: "other" })] });
const policy = references({ clusters: [nearby({ upgradePolicy: "major" })] });
const taken = references({ databases: [{ name: "first", cluster: undefined, port: 12_000, secret: "redb-first" }] });
const search = (version?: string) => [{ name: "search", ...(version === undefined ? {} : { version }) }];

const brought = { names: ["vectorset"], databaseVersions: ["8.0", "8.2"] };

const cases: readonly Case[] = [
  { rule: "a plain database is accepted" },
  { rule: "every field at once is accepted", spec: { storeVersion: "8.2", databasePort: 12_000, memorySize: "1Gi" } },
  {
    rule: "a version that the release lacks is refused with those that it has",
    spec: { storeVersion: "8.2" },
    change: { references: references({ release: release("7.22.0-7") }) },
    field: "spec.storeVersion",
    says: /Unsupported value: "8\.2": supported values: "7\.2", "7\.4"/,
  },
  {
    rule: "an existing database never goes back",
    spec: { storeVersion: "7.2" },
    change: { before: spec({ storeVersion: "7.4" }), existing },
    field: "spec.storeVersion",
    says: /is at 7\.4.*never go back to "7\.2"; kubectl patch redb orders .*"storeVersion":"7\.4"/,
  },
  {
    rule: "a version that is not reached yet can be taken back",
    spec: { storeVersion: "7.4" },
    change: { before: spec({ storeVersion: "8.2" }), existing },
  },
  {
    rule: "a database that was upgraded by hand can be edited all the same",
    spec: { storeVersion: "7.2", memorySize: "1GB" },
    change: { before: spec({ storeVersion: "7.2" }), existing },
  },
  {
    rule: "the policy `major` refuses a minor version and says how to go on",
    spec: { storeVersion: "8.2" },
    change: { before: spec({ storeVersion: "7.4" }), existing, references: policy },
    field: "spec.storeVersion",
    says: /"major", which allows "7\.2", "8\.0"; kubectl patch rec rec .*"latest".*kubectl patch redb orders .*"8\.0"/,
  },
  {
    rule: "the policy `major` of the database refuses a minor version too, and its own change lifts it",
    spec: { storeVersion: "8.2", storeUpgradePolicy: "major" },
    change: { before: spec({ storeVersion: "7.4" }), existing },
    field: "spec.storeVersion",
    says: /storeUpgradePolicy of redb orders is "major", which .*; kubectl patch redb orders .*"storeUpgradePolicy":"latest"/,
  },
  {
    rule: "both policies are named when both refuse",
    spec: { storeVersion: "8.2", storeUpgradePolicy: "major" },
    change: { before: spec({ storeVersion: "7.4" }), existing, references: policy },
    field: "spec.storeVersion",
    says: /cluster rec and spec\.storeUpgradePolicy of redb orders is "major".*patch rec rec .* and kubectl patch redb orders/,
  },
  {
    rule: "the policy `major` lets a major version pass",
    spec: { storeVersion: "8.0" },
    change: { before: spec({ storeVersion: "7.4" }), existing, references: policy },
  },
  {
    rule: "less than 100MB is refused",
    spec: { memorySize: "99MB" },
    field: "spec.memorySize",
    says: /Invalid value: "99MB": a database has at least 100MB/,
  },
  { rule: "more than 4096Gi is refused", spec: { memorySize: "5000Gi" }, field: "spec.memorySize", says: /4096Gi/ },
  {
    rule: "a cluster that is not there is refused, with those that are",
    spec: { storeEnterpriseCluster: { name: "rek" } },
    field: "spec.storeEnterpriseCluster.name",
    says: /Not found: "rek": clusters here: "rec"/,
  },
  {
    rule: "without a name there must be one cluster",
    change: { references: two },
    field: "spec.storeEnterpriseCluster.name",
    says: /Required value: .*"rec", "other"/,
  },
  {
    rule: "without a cluster there is no database",
    change: { references: references({ clusters: [] }) },
    field: "spec.storeEnterpriseCluster.name",
    says: /there are no clusters here/,
  },
  {
    rule: "a database does not move to another cluster",
    spec: { storeEnterpriseCluster: { name: "other" } },
    change: { before: spec({}), existing, references: two },
    field: "spec.storeEnterpriseCluster.name",
    says: /does not move between clusters/,
  },
  {
    rule: "a port is kept",
    spec: { databasePort: 10_001 },
    change: { before: spec({}), existing },
    field: "spec.databasePort",
    says: /Forbidden: it is 10001 and the database is at 10000/,
  },
  {
    rule: "the port that the database has may be written into the spec",
    spec: { databasePort: 10_000 },
    change: { existing },
  },
  {
    rule: "a port that another database has is refused",
    spec: { databasePort: 12_000 },
    change: { references: taken },
    field: "spec.databasePort",
    says: /Duplicate value: 12000: the database "first" has it/,
  },
  {
    rule: "both names of the list of modules must say the same",
    spec: { moduleList: search("1"), modulesList: search("2") },
    field: "spec.moduleList",
    says: /two names of one list and differ/,
  },
  { rule: "both names of the list may say the same", spec: { moduleList: search(), modulesList: search() } },
  {
    rule: "a module is listed once",
    spec: { modulesList: [...search(), ...search()] },
    field: "spec.modulesList[1].name",
    says: /Duplicate value: "search"/,
  },
  {
    rule: "a module that the cluster lacks is refused with those that it has",
    spec: { moduleList: [{ name: "magic" }] },
    change: { references: references({ clusters: [nearby({ userModules: ["wand"] })] }) },
    field: "spec.moduleList[0].name",
    says: /Unsupported value: "magic": supported values: "search", .*"wand"; .*userDefinedModules/,
  },
  ...["search", "ReJSON", "timeseries", "bf"].map((name) => ({
    rule: `${name} is refused where no node brings it`,
    spec: { modulesList: [{ name }] },
    change: { references: references({ clusters: [nearby({ modules: [brought] })] }) },
    field: "spec.modulesList[0].name",
    says: /supported values: "vectorset"/,
  })),
  {
    rule: "a module that the engine of the version brings is accepted",
    spec: { storeVersion: "8.2", modulesList: [{ name: "vectorset" }] },
    change: { references: references({ clusters: [nearby({ modules: [brought] })] }) },
  },
  {
    rule: "a module that only engines of other versions bring is refused with those of the version",
    spec: { storeVersion: "7.2", modulesList: [{ name: "vectorset" }] },
    change: { references: references({ clusters: [nearby({ modules: [brought, { names: ["tally"] }] })] }) },
    field: "spec.modulesList[0].name",
    says: /Unsupported value: "vectorset": supported values: "tally"/,
  },
  {
    rule: "while the modules of the cluster are unknown, none is refused",
    spec: { moduleList: [{ name: "magic" }] },
    change: { references: references({ clusters: [nearby({ modules: undefined })] }) },
  },
  {
    rule: "module numbers edited together with the version are refused (§2.3)",
    spec: { storeVersion: "8.2", moduleList: search("8.2") },
    change: { before: spec({ storeVersion: "8.0", moduleList: search("8.0") }), existing },
    field: "spec.moduleList",
    says: /Forbidden: it is edited together with the version/,
  },
  {
    rule: "module numbers left alone let the version change",
    spec: { storeVersion: "8.2", moduleList: search("8.0") },
    change: { before: spec({ storeVersion: "8.0", moduleList: search("8.0") }), existing },
  },
  {
    rule: "module numbers may be edited afterwards",
    spec: { storeVersion: "8.2", moduleList: search("8.2") },
    change: { before: spec({ storeVersion: "8.2", moduleList: search("8.0") }), existing },
  },
  {
    rule: "the name becomes that of a Service",
    change: { name: "orders.eu" },
    field: "metadata.name",
    says: /Invalid value: "orders\.eu"/,
  },
  { rule: "a digit does not come first", change: { name: "1st" }, field: "metadata.name", says: /a letter first/ },
  {
    rule: "the name of a Service that the cluster has is refused",
    change: { name: "rec" },
    field: "metadata.name",
    says: /Duplicate value: "rec": the cluster of that name/,
  },
  {
    rule: "the name of the webhook's Service is refused",
    change: { name: "admission" },
    field: "metadata.name",
    says: /admission webhook/,
  },
];

for (const { rule, spec: given = {}, change, field, says } of cases) {
  test(`redb: ${rule}`, () => {
    const { denials } = review(DATABASE_RULES, DATABASE_ADVICE, facts({ spec: spec(given), ...change }), undefined);
    assert.deepEqual(
      denials.map((denial) => denial.field),
      field === undefined ? [] : [field],
    );
    if (says !== undefined) assert.match(denials.map(causeText).join(), says);
  });
}

for (const [rule, change, says] of [
  ["of any database are accepted", {}, undefined],
  [
    "of a site are refused",
    { isSite: true },
    /^Forbidden: the sites of an Active-Active database are not saved; leave/,
  ],
  ["of one with a long name are refused", { name: "o".repeat(53) }, /may have 52 characters, and "o+" has 53/],
] as const)
  test(`redb: backups ${rule}`, () => {
    const backup = { s3: { bucketName: "backups", awsSecretName: "keys" } };
    const asked = { ...facts({ spec: spec({ backup }) }), isSite: false, ...change };
    const { denials } = review(WRITTEN_DATABASE_RULES, DATABASE_ADVICE, asked, undefined);
    assert.equal(denials.length, says === undefined ? 0 : 1);
    if (says !== undefined) assert.match(denials.map(causeText).join(), says);
    const without = { ...asked, spec: spec({}) };
    assert.deepEqual(review(WRITTEN_DATABASE_RULES, DATABASE_ADVICE, without, undefined).denials, []);
  });

test("redb: an old error is a warning, a new one a refusal", () => {
  const before = facts({ spec: spec({ durability: "sync" }) });
  const after = facts({ spec: spec({ durability: "sync", memorySize: "1MB" }), before: before.spec });
  const { denials, warnings } = review(DATABASE_RULES, DATABASE_ADVICE, after, before);
  assert.deepEqual(
    denials.map(({ field }) => field),
    ["spec.memorySize"],
  );
  assert.match(warnings.join(), /spec\.durability: .*it was so before/);
});

test("redb: module numbers without an effect are one warning", () => {
  const numbered = facts({ spec: spec({ moduleList: search("2.10") }) });
  const made = review(DATABASE_RULES, DATABASE_ADVICE, numbered, undefined);
  assert.match(made.warnings.join(), /spec\.moduleList: the numbers \(search 2\.10\) have no effect/);
  const edited = review(DATABASE_RULES, DATABASE_ADVICE, { ...numbered, before: numbered.spec }, numbered);
  assert.deepEqual(edited.warnings, []);
});

test("redb: modules are a warning while the cluster has not reported its own", () => {
  const early = references({ clusters: [nearby({ modules: undefined })] });
  const made = review(
    DATABASE_RULES,
    DATABASE_ADVICE,
    facts({ spec: spec({ moduleList: search() }), references: early }),
    undefined,
  );
  assert.match(
    made.warnings.join(),
    /cluster "rec" has not reported its modules yet; .*only if its nodes have "search"/,
  );
});

function facts(change: Partial<ReviewedDatabase>): ReviewedDatabase {
  return {
    kind: "redb",
    name: "orders",
    at: "spec",
    spec: spec({}),
    before: undefined,
    existing: undefined,
    references: references(),
    ...change,
  };
}
