import assert from "node:assert/strict";
import { test } from "node:test";
import { nearby, references } from "../../../../test/kit/facts/references.ts";
import { activeActiveSpec } from "../../api/active-active.ts";
import { ACTIVE_ACTIVE_ADVICE, ACTIVE_ACTIVE_RULES, type ReviewedActiveActive } from "./active-active.ts";
import { review } from "./review.ts";
import { causeText } from "./objection.ts";

interface Case {
  readonly rule: string;
  readonly spec?: object;
  readonly before?: object;
  readonly fields?: readonly string[];
  readonly says?: RegExp;
}

const participatingClusters = [{ name: "here" }, { name: "there" }];
const search = (version: string) => [{ name: "search", version }];

const cases: readonly Case[] = [
  { rule: "a database over two clusters is accepted", spec: { storeVersion: "8.2" } },
  {
    rule: "a participant stands for a remote cluster",
    spec: { participatingClusters: [{ name: "here" }, { name: "nowhere" }] },
    fields: ["spec.participatingClusters[1].name"],
    says: /Not found: "nowhere": remote clusters here: "here", "there"/,
  },
  {
    rule: "a cluster takes part once",
    spec: { participatingClusters: [{ name: "here" }, { name: "here" }] },
    fields: ["spec.participatingClusters[1].name"],
    says: /Duplicate value: "here"/,
  },
  {
    rule: "the version is the same in both places",
    spec: { storeVersion: "8.2", globalConfigurations: { storeVersion: "8.0" } },
    fields: ["spec.storeVersion"],
    says: /both set and differ.*leave it out of spec\.globalConfigurations/,
  },
  {
    rule: "the modules are the same in both places",
    spec: { moduleList: search("1"), globalConfigurations: { modulesList: search("2") } },
    fields: ["spec.moduleList"],
    says: /both set and differ/,
  },
  {
    rule: "the configuration is judged as that of a database",
    spec: { globalConfigurations: { memorySize: "1MB", shardCount: 3 } },
    fields: ["spec.globalConfigurations.memorySize"],
    says: /100MB/,
  },
  {
    rule: "it keeps the number of shards that it was made with",
    before: { globalConfigurations: { shardCount: 3 } },
    spec: { globalConfigurations: { shardCount: 4 } },
    fields: ["spec.globalConfigurations.shardCount"],
    says: /their number does not change/,
  },
  {
    rule: "a participant has no more shards than it was made with",
    spec: {
      participatingClusters: [
        { name: "here", shardCount: 2 },
        { name: "there", shardCount: 4 },
      ],
      globalConfigurations: { shardCount: 3 },
    },
    fields: ["spec.participatingClusters[1].shardCount"],
    says: /shardCount is 3, and a participant has no more/,
  },
  {
    rule: "modules have version numbers",
    spec: { moduleList: [{ name: "search" }] },
    fields: ["spec.moduleList[0].version"],
    says: /Required value/,
  },
  {
    rule: "user-defined modules do not take part",
    spec: { globalConfigurations: { modulesList: [{ name: "wand", version: "1" }] } },
    fields: ["spec.globalConfigurations.modulesList[0].name"],
    says: /"wand" is a user-defined module/,
  },
  {
    rule: "module numbers edited together with the version are refused (§2.3)",
    before: { storeVersion: "8.0", moduleList: search("8.0") },
    spec: { storeVersion: "8.2", moduleList: search("8.2") },
    fields: ["spec.moduleList"],
    says: /edited together with the version/,
  },
  {
    rule: "module numbers are refused with the version wherever the two are written",
    before: { globalConfigurations: { storeVersion: "8.0", modulesList: search("8.0") } },
    spec: { storeVersion: "8.2", globalConfigurations: { modulesList: search("8.2") } },
    fields: ["spec.globalConfigurations.modulesList"],
    says: /edited together with the version/,
  },
  {
    rule: "the version alone may change",
    before: { storeVersion: "8.0", moduleList: search("8.0") },
    spec: { storeVersion: "8.2", moduleList: search("8.0") },
  },
  {
    rule: "the cluster that it names is there",
    spec: { storeEnterpriseCluster: { name: "rek" } },
    fields: ["spec.storeEnterpriseCluster.name"],
    says: /Not found: "rek"/,
  },
];

for (const { rule, spec = {}, before, fields = [], says } of cases) {
  test(`reaadb: ${rule}`, () => {
    const { denials } = review(ACTIVE_ACTIVE_RULES, ACTIVE_ACTIVE_ADVICE, facts(spec, before), undefined);
    assert.deepEqual(
      denials.map(({ field }) => field),
      fields,
    );
    if (says !== undefined) assert.match(denials.map(causeText).join(), says);
  });
}

test("reaadb: an eviction policy that evicts any key is not taken; one that is there stays, and does not come back", () => {
  const policy = (evictionPolicy: string) => ({ globalConfigurations: { evictionPolicy } });
  const why = (given: ReviewedActiveActive) =>
    review(ACTIVE_ACTIVE_RULES, [], given, undefined).denials[0]?.finding.evidence;
  const existing = { port: 10_000, storeVersion: "8.0", shards: 1, cluster: "rec" } as const;
  const [any, some] = [policy("allkeys-lru"), policy("volatile-lru")];
  assert.match(why(facts(any)) ?? "", /evicts what the link keeps/);
  assert.equal(why(facts(some)), undefined);
  assert.equal(why({ ...facts(any), existing }), undefined);
  assert.equal(why({ ...facts(any, any), existing }), undefined);
  assert.match(why({ ...facts(any, some), existing }) ?? "", /evicts what the link keeps/);
});

test("reaadb: it does not take the name of a database", () => {
  const databases = [{ name: "orders", cluster: "rec", port: 10_000, secret: "redb-orders" }];
  const clash = { ...facts({}), references: { ...environment, databases } };
  const [denial] = review(ACTIVE_ACTIVE_RULES, [], clash, undefined).denials;
  assert.match(denial?.finding.evidence ?? "", /a database has that name/);
});

const environment = references({
  clusters: [nearby({ userModules: ["wand"] })],
  remoteClusters: ["here", "there"].map((name) => ({ name, recName: name, recNamespace: "default" })),
});

function facts(spec: object, before?: object): ReviewedActiveActive {
  const parsed = (given: object) => activeActiveSpec.parse({ participatingClusters, ...given });
  return {
    name: "orders",
    spec: parsed(spec),
    before: before && parsed(before),
    existing: undefined,
    references: environment,
  };
}
