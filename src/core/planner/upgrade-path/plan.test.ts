import assert from "node:assert/strict";
import { test } from "node:test";
import { planUpgradePath } from "./plan.ts";
import type { Goal, PathDatabase, PathFacts } from "./state.ts";

const orders: PathDatabase = {
  name: "orders",
  uid: 1,
  version: "7.2",
  replication: true,
  hasObject: true,
  policies: { cluster: "latest", database: "latest" },
};
const facts: PathFacts = {
  cluster: "rec",
  nodes: 3,
  operator: "8.0.6-8",
  nodeTag: "8.0.6-54",
  kubernetes: "1.33",
  isOpenShift: false,
  databases: [orders],
  modules: [],
  present: [],
  systemsOf: ({ baseSystems }) => [baseSystems],
  listedModules: [],
  autoUpgrade: false,
};
const search = { name: "search", databases: ["orders"] };
const searchFor = (compatible: string, ...platforms: string[]) => {
  return { name: "search", displayName: "Search", bundled: false, compatible, platforms };
};
const onRhel8 = [searchFor("7.2", "rhel8/x86_64")];
const onRhel9 = [searchFor("7.2", "rhel9/x86_64")];

interface Case {
  readonly name: string;
  readonly from: Partial<PathFacts>;
  readonly to: Goal;
  /** Stage and end of each step. */
  readonly steps: readonly string[];
}

const cases: readonly Case[] = [
  {
    name: "the operator is upgraded before the cluster",
    from: {},
    to: { release: "8.2.0-12" },
    steps: ["operator 8.2.0-12", "cluster 8.2.0-25.12"],
  },
  { name: "a cluster at the target has nothing to do", from: {}, to: { release: "8.0.6-8" }, steps: [] },
  {
    name: "databases are raised last when they are asked for",
    from: {},
    to: { release: "8.2.0-12", databases: "8.2" },
    steps: ["operator 8.2.0-12", "cluster 8.2.0-25.12", "databases 8.2"],
  },
  {
    name: "databases below the minimum are raised first",
    from: {
      operator: "7.4.6-2",
      nodeTag: "7.4.6-22",
      kubernetes: "1.30",
      databases: [{ ...orders, name: "old", uid: 7, version: "6.2", replication: false, hasObject: false }],
    },
    to: { release: "7.8.6-1" },
    steps: ["databases 7.2", "operator 7.8.6-1", "cluster 7.8.6-13"],
  },
  {
    name: "a cluster that was left behind follows its operator first",
    from: { operator: "8.0.18-11" },
    to: { release: "8.2.0-12" },
    steps: ["cluster 8.0.18-23.11", "operator 8.2.0-12", "cluster 8.2.0-25.12"],
  },
  {
    name: "a cluster that was left behind with an old database is freed through the database",
    from: {
      operator: "7.8.2-6",
      nodeTag: "7.4.2-54",
      kubernetes: "1.29",
      databases: [{ ...orders, name: "old", uid: 7, version: "6.2", replication: false }],
    },
    to: { release: "7.8.2-6" },
    steps: ["databases 7.2", "cluster 7.8.2-34"],
  },
  {
    name: "a long path alternates operator and Kubernetes",
    from: { operator: "7.4.2-2", nodeTag: "7.4.2-54", kubernetes: "1.29" },
    to: { release: "8.2.0-12", kubernetes: "1.34" },
    steps: [
      "operator 7.8.6-19",
      "cluster 7.8.6-303",
      "kubernetes 1.30",
      "kubernetes 1.31",
      "kubernetes 1.32",
      "operator 8.2.0-12",
      "cluster 8.2.0-25.12",
      "kubernetes 1.33",
      "kubernetes 1.34",
    ],
  },
  {
    name: "a release that takes no user-defined modules is passed over",
    from: {
      operator: "7.22.2-21",
      nodeTag: "7.22.2-14",
      kubernetes: "1.32",
      modules: [search],
      present: onRhel9,
      listedModules: ["search"],
    },
    to: { release: "8.0.6-8" },
    steps: ["operator 8.0.6-8", "cluster 8.0.6-54"],
  },
  {
    name: "modules: automatic upgrade is turned off, new builds are uploaded, then the cluster moves",
    from: {
      operator: "7.4.6-2",
      nodeTag: "7.4.6-22",
      kubernetes: "1.30",
      modules: [search],
      present: onRhel8,
      autoUpgrade: true,
    },
    to: { release: "7.8.6-1" },
    steps: [
      "modules upgrade by hand",
      "operator 7.8.6-1",
      "modules builds for databases of 7.2 on rhel9",
      "cluster 7.8.6-13",
    ],
  },
  {
    name: "modules are listed before a release that wants them listed",
    from: { operator: "7.22.2-21", nodeTag: "7.22.2-14", kubernetes: "1.32", modules: [search], present: onRhel9 },
    to: { release: "8.0.6-8" },
    steps: ["operator 8.0.6-8", "modules spec.userDefinedModules", "cluster 8.0.6-54"],
  },
  {
    name: "a build for the base system that is for databases of another version is none",
    from: {
      operator: "7.4.6-2",
      nodeTag: "7.4.6-22",
      kubernetes: "1.30",
      modules: [search],
      present: [...onRhel8, searchFor("8.0", "rhel9/x86_64")],
    },
    to: { release: "7.8.6-1" },
    steps: ["operator 7.8.6-1", "modules builds for databases of 7.2 on rhel9", "cluster 7.8.6-13"],
  },
  {
    name: "databases are raised after the builds for their new version were uploaded",
    from: { modules: [search], present: onRhel9, listedModules: ["search"] },
    to: { release: "8.0.6-8", databases: "8.0" },
    steps: ["modules builds for databases of 8.0 on rhel9", "databases 8.0"],
  },
  {
    name: "a module that engines of the new version bring is not uploaded for it",
    from: {
      modules: [search],
      present: [...onRhel9, { ...searchFor("8.0"), compatible: undefined, bundled: true, databaseVersions: ["8.0"] }],
      listedModules: ["search"],
    },
    to: { release: "8.0.6-8", databases: "8.0" },
    steps: ["databases 8.0"],
  },
  {
    name: "under the policy major databases are raised to a major version",
    from: { databases: [{ ...orders, policies: { cluster: "major", database: "latest" } }] },
    to: { release: "8.2.0-12", databases: "8.0" },
    steps: ["operator 8.2.0-12", "cluster 8.2.0-25.12", "databases 8.0"],
  },
  {
    name: "a database that is past a minor version is in nothing's way",
    from: { databases: [orders, { ...orders, version: "8.2", policies: { cluster: "latest", database: "major" } }] },
    to: { release: "8.2.0-12", databases: "8.2" },
    steps: ["operator 8.2.0-12", "cluster 8.2.0-25.12", "databases 8.2"],
  },
  {
    name: "nothing is said about a Kubernetes that did not tell its version",
    from: { kubernetes: undefined, operator: "7.4.2-2", nodeTag: "7.4.2-54" },
    to: { release: "8.2.0-12" },
    steps: ["operator 8.2.0-12", "cluster 8.2.0-25.12"],
  },
];

for (const { name, from, to, steps } of cases) {
  test(`planHops: ${name}`, () => {
    const plan = planUpgradePath({ ...facts, ...from }, to);
    assert.ok(plan.possible, JSON.stringify(plan));
    assert.deepEqual(
      plan.steps.map((step) => `${step.stage} ${step.to}`),
      steps,
    );
  });
}

interface Dead {
  readonly name: string;
  readonly from: Partial<PathFacts>;
  readonly to: Goal;
  readonly why: RegExp;
}

const deadEnds: readonly Dead[] = [
  { name: "never down", from: {}, to: { release: "8.0.2-2" }, why: /8\.0\.2-2 is older than 8\.0\.6-8/ },
  { name: "an unknown release", from: {}, to: { release: "9.9.9-9" }, why: /"9\.9\.9-9", is not in the catalogue/ },
  { name: "an unknown operator", from: { operator: "x" }, to: { release: "8.2.0-12" }, why: /operator's version, "x"/ },
  { name: "an unknown node tag", from: { nodeTag: "y" }, to: { release: "8.2.0-12" }, why: /node tag, "y"/ },
  {
    name: "a Kubernetes that the operator itself does not support",
    from: { kubernetes: "1.30" },
    to: { release: "8.2.0-12" },
    why: /Kubernetes 1\.30 is not supported by 8\.0\.6-8 nor by 8\.2\.0-12/,
  },
  {
    name: "an OpenShift that the release does not list, though it takes the Kubernetes inside",
    from: { operator: "7.8.4-9", nodeTag: "7.8.4-95", kubernetes: "1.32", isOpenShift: true },
    to: { release: "7.8.6-1" },
    why: /OpenShift 4\.19 is not supported by .*7\.8\.6-1/,
  },
  {
    name: "user-defined modules and the one release that cannot take them",
    from: { operator: "7.22.2-21", nodeTag: "7.22.2-14", kubernetes: "1.32", listedModules: ["m"] },
    to: { release: "8.0.2-2" },
    why: /8\.0\.2-2 cannot take user-defined modules \(m\)/,
  },
  {
    name: "a Kubernetes that no release supports yet",
    from: {},
    to: { release: "8.2.0-12", kubernetes: "1.40" },
    why: /Kubernetes 1\.37 is not supported by 8\.2\.0-12/,
  },
  {
    name: "a database version that the release does not carry",
    from: { operator: "7.22.2-21", nodeTag: "7.22.2-14", kubernetes: "1.32" },
    to: { release: "7.22.2-21", databases: "8.0" },
    why: /7\.22\.2-21 does not carry databases of version 8\.0/,
  },
  {
    name: "a minor version under the policy major of the cluster",
    from: { databases: [{ ...orders, policies: { cluster: "major", database: "latest" } }] },
    to: { release: "8.2.0-12", databases: "8.2" },
    why: /^8\.2 is a minor version, and only 7\.2, 8\.0 are allowed: the upgrade policy of cluster rec is "major": kubectl patch rec rec /,
  },
  {
    name: "a minor version under the policy major of one of the databases",
    from: {
      databases: [orders, { ...orders, name: "old", uid: 2, policies: { cluster: "latest", database: "major" } }],
    },
    to: { release: "8.2.0-12", databases: "8.2" },
    why: /allowed: the upgrade policy of database "old" is "major": kubectl patch redb old .*; or where it has no object: curl -X PUT .*\/v1\/bdbs\/2/,
  },
];

for (const { name, from, to, why } of deadEnds) {
  test(`planHops finds no way and says why: ${name}`, () => {
    const plan = planUpgradePath({ ...facts, ...from }, to);
    assert.ok(!plan.possible, JSON.stringify(plan));
    assert.match(plan.missing.map((edge) => edge.why).join("; "), why);
  });
}

test("a step says what it restarts, what waits, what is irreversible, which consent it needs, and its commands", () => {
  const from: PathFacts = { ...facts, operator: "7.4.2-2", nodeTag: "7.4.2-54", kubernetes: "1.29" };
  const plan = planUpgradePath(from, { release: "7.8.2-6", databases: "7.4" });
  assert.ok(plan.possible);
  const [operator, cluster, databases] = plan.steps;
  assert.equal(operator?.restarts, "the operator");
  assert.equal(cluster?.irreversible, "the cluster never goes back below 7.8.2-6");
  assert.deepEqual(cluster?.notes, [
    "the nodes move from ubuntu18 or rhel8 to rhel9",
    "nodes use new ports: open 9091, 9125, 3347-3350 in network policies first",
  ]);
  assert.match(cluster?.commands[0] ?? "", /kubectl patch rec rec .*"versionTag":"7\.8\.2-34"/);
  assert.equal(databases?.consent, "the owners of these databases");
  assert.match(databases?.commands[0] ?? "", /kubectl patch redb orders .*"storeVersion":"7\.4"/);
});

test("a step says which databases the policy major holds for", () => {
  const held = { ...orders, name: "held", uid: 2, policies: { cluster: "latest", database: "major" } } as const;
  const plan = planUpgradePath({ ...facts, databases: [orders, held] }, { release: "8.2.0-12", databases: "8.0" });
  assert.ok(plan.possible);
  assert.equal(plan.steps.at(-1)?.notes[0], 'the upgrade policy "major" keeps "held" from minor versions');
});
