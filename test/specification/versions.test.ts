import assert from "node:assert/strict";
import { test } from "node:test";
import { compareVersionText } from "#kit/base/version";
import { stepFrom, checkInput } from "../../src/core/planner/prerequisites/check-input.ts";
import { findingsAt } from "../../src/core/planner/prerequisites/run.ts";
import { CATALOGUE } from "../../src/core/releases/catalogue/catalogue.ts";
import { pathProblem } from "../../src/core/releases/catalogue/path.ts";
import { Events } from "#kit/kube/builtin";
import { clusterView, release } from "../kit/facts/cluster-view.ts";
import { startSimulatedCluster, type SimulatedCluster } from "../kit/operator/simulated-cluster.ts";
import { step } from "../kit/scenario/step.ts";
import { until } from "#kit/testing/until";
import { proves } from "../kit/specification/proves.ts";

const NEW_BASE = CATALOGUE.filter(({ operator }) => (compareVersionText(operator, "7.8.2-6") ?? 0) >= 0);
const LATEST = release("8.2.0-12");

test("each release from 7.8.2-6 on is reached from 7.4.2-2 or later, and names the one to go through", () => {
  assert.ok(NEW_BASE.length > 10);
  for (const to of NEW_BASE) {
    const found = findingsAt("start", checkInput(clusterView({ release: to }), { step: stepFrom("7.2.4-105", to) }));
    const finding = found.find(({ id }) => id === "VersionBelowMinimum");
    proves(
      "§9 cluster 7.4.2-2 or later before 7.8.2-6 or later",
      "for each release from 7.8.2-6 on: the finding of a cluster at 7.2.4; none of one at 7.4.2-2",
    ).match(finding?.evidence, /can be reached from 7\.4\.2-2 or later, and this cluster is at 7\.2\.4-12/);
    assert.match(finding?.remedy ?? "", /upgrade operator and cluster to 7\.4\.6-2 first/);
    assert.equal(pathProblem(release("7.4.2-2"), to), undefined, to.operator);
  }
});

test("an upgrade that lacks every prerequisite names each, whether the version that runs is known or not, and touches no node", async () => {
  await using cluster = await startSimulatedCluster("7.2.4-12", "v1.20.15", {
    license: () => ({ state: "Expired", reason: "the licence expired on 2026-01-01", expired: true }),
    modules: () => [TALLY],
  });
  await cluster.agents.create({
    name: "old",
    memory_size: 100_000_000,
    redis_version: "6.2",
    module_list: [{ module_name: "tally" }],
  });
  await cluster.retag("7.2.4-105");
  await cluster.world.operate(LATEST.operator);
  await step("the version that runs is known", async () => {
    await cluster.patch({ storeEnterpriseImageSpec: { versionTag: LATEST.nodeTag } });
    proveEach(await expectBlocked(cluster, LACKING));
  });
  await step("it is not known", async () => {
    await cluster.retag("7.2.4-999");
    await expectBlocked(cluster, { UnknownRunningVersion: /nodes run "7\.2\.4-999", which is in no/, ...LACKING });
  });
  await step("the other prerequisites block also after its acceptance", async () => {
    await cluster.patch({ upgradeSpec: { acceptUnknownVersion: "7.2.4-999" } });
    await cluster.world.cluster("it is accepted", ({ status }) =>
      (status?.findings ?? []).some(({ id, severity }) => id === "UnknownVersionAccepted" && severity === "warn"),
    );
    await expectBlocked(cluster, LACKING);
  });
});

test("builds that may not follow one another are kept apart; a version that is in no release is upgraded once it is accepted by name", async () => {
  await using cluster = await startSimulatedCluster("7.22.2-43", "v1.33.1");
  const { world } = cluster;
  await step("the forbidden pair", async () => {
    await world.operate("8.0.20-26");
    await cluster.patch({ storeEnterpriseImageSpec: { versionTag: "8.0.20-96.26" } });
    const found = await expectBlocked(cluster, { StepForbidden: /from 7\.22\.2-43 to 8\.0\.20-26 is known to fail/ });
    proves(
      "§9 other targets: the release says its minimum, intermediate upgrades are named",
      "the remedy of a step that is known to fail: the release to go through first",
    ).match(found.get("StepForbidden")?.remedy, /upgrade operator and cluster to 8\.0\.20-21 first/);
  });
  await step("another build that is in no release", async () => {
    await cluster.retag("7.22.2-999");
    const found = await expectBlocked(cluster, { UnknownRunningVersion: /nodes run "7\.22\.2-999"/ });
    assert.match(found.get("UnknownRunningVersion")?.remedy ?? "", ACCEPTANCE);
  });
  await step("the acceptance of another version is none", async () => {
    await cluster.patch({ upgradeSpec: { acceptUnknownVersion: "7.22.2-998" } });
    await expectBlocked(cluster, { UnknownRunningVersion: /acceptUnknownVersion names "7\.22\.2-998" instead/ });
  });
  await step("the acceptance of this one is recorded, and the roll begins", async () => {
    await cluster.patch({ upgradeSpec: { acceptUnknownVersion: "7.22.2-999" } });
    const { status } = await world.cluster("it goes on", (rec) => rec.status?.state === "Upgrade");
    assert.equal(status?.upgrade?.acceptedUnknownVersion, "7.22.2-999");
    assert.equal(status?.upgrade?.from, "7.22.2-999");
    await until("the first node leaves", () => /"gate","ordinal":2,"inService":false/.test(world.log()));
    await until("an event of the acceptance", () => isReported(cluster, "UnknownVersionAccepted", /7\.22\.2-999/));
  });
});

test("the base system is the newer one from 7.8.2-6 on", () => {
  assert.deepEqual(
    CATALOGUE.filter(({ baseSystems }) => baseSystems.join() === "rhel9"),
    NEW_BASE,
  );
});

/** Each thing that is missing is a finding of its own. */
function proveEach(found: ReadonlyMap<string, { readonly evidence: string }>): void {
  proves(
    "§9 the six prerequisite checks: Kubernetes, cluster, databases, user-defined modules, module builds, licence",
    "ids of the blocking findings of a cluster that lacks each",
  ).deepEqual([...found.keys()].toSorted(), Object.keys(LACKING).toSorted());
  proves("§9 databases 7.2 or later before cluster 7.8.2-6 or later", "the finding of a database of version 6.2").match(
    found.get("IncompatibleDatabaseVersion")?.evidence,
    LACKING.IncompatibleDatabaseVersion,
  );
  proves("§9 newer base system from 7.8.2-6 on", "the finding of a module without a build for rhel9").match(
    found.get("UnsupportedModule")?.evidence,
    LACKING.UnsupportedModule,
  );
  proves(
    "§9 the Kubernetes distribution is on the list of the target",
    "the finding of a cluster on Kubernetes 1.20",
  ).match(found.get("KubernetesVersionUnsupported")?.evidence, LACKING.KubernetesVersionUnsupported);
}

const ACCEPTANCE = /kubectl patch rec rec .*"upgradeSpec":\{"acceptUnknownVersion":"7\.22\.2-999"\}/;

const TALLY = {
  uid: "0".repeat(32),
  module_name: "tally",
  display_name: "Tally",
  semantic_version: "1.0.0",
  platforms: { "rhel8/x86_64": {} },
  is_bundled: false,
  compatible_redis_version: "6.2",
};

/** Finding by finding, what a cluster at 7.2.4 lacks for 8.2.0. */
const LACKING = {
  VersionBelowMinimum: /8\.2\.0-12 can be reached from 7\.4\.2-2 or later, and .* 7\.2\.4-/,
  KubernetesVersionUnsupported: /Kubernetes 1\.20 is not supported by .*8\.2\.0-12/,
  LicenseInvalid: /expired on 2026-01-01/,
  IncompatibleDatabaseVersion: /needs databases of version 7\.2 or later; "old" is 6\.2/,
  UnsupportedModule:
    /no build of tally for databases of 6\.2 on rhel9 \(installed: for 6\.2 on rhel8\/x86_64\), used by "old"/,
  UserModuleNotListed: /tally, used by "old", is not in spec\.userDefinedModules/,
};

/** The cluster is InvalidUpgrade for exactly these reasons, each told by an event, and its nodes are as they were. */
async function expectBlocked(cluster: SimulatedCluster, causes: Readonly<Record<string, RegExp>>) {
  const names = Object.keys(causes).toSorted();
  const blocking = (rec: Awaited<ReturnType<SimulatedCluster["world"]["cluster"]>>) =>
    (rec.status?.findings ?? []).filter(({ severity }) => severity === "block");
  const rec = await cluster.world.cluster(`blocked by ${names.join(", ")}`, (seen) => {
    const found = blocking(seen);
    const isSame = JSON.stringify(found.map(({ id }) => id).toSorted()) === JSON.stringify(names);
    return isSame && found.every(({ id, evidence }) => causes[id]?.test(evidence) === true);
  });
  assert.equal(rec.status?.state, "InvalidUpgrade");
  assert.equal(rec.status?.upgrade, undefined, "a roll has begun");
  for (const name of names) {
    await until(`an event ${name}`, () => isReported(cluster, name, causes[name] ?? /^$/), { withinMs: 15_000 });
  }
  assert.notEqual(await cluster.wantedTag(), rec.spec.storeEnterpriseImageSpec?.versionTag, "nodes are replaced");
  return new Map(blocking(rec).map((finding) => [finding.id, finding]));
}

async function isReported({ world }: SimulatedCluster, reason: string, evidence: RegExp): Promise<boolean> {
  const { items } = await world.kube.list(Events, { namespace: world.namespace });
  return items.some(
    (event) => event.type === "Warning" && event.reason === reason && evidence.test(event.message ?? ""),
  );
}
