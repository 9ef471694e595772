import assert from "node:assert/strict";
import { Databases } from "../../../src/mechanisms/observe/kubernetes/kinds.ts";
import { step } from "../scenario/step.ts";
import { until } from "#kit/testing/until";
import { proves } from "../specification/proves.ts";
import { isReported, NOTICED_MS } from "./checks.ts";
import { makeDatabase, upgradeDatabase } from "./databases.ts";
import type { FrozenLane } from "./frozen-lane.ts";
import { typeRemedy } from "./remedy.ts";
import { assertWithin } from "#kit/testing/assert-within";

/** Whose policy keeps a database from minor versions. */
type Holder = "the cluster" | "the database";

/**
 * A cause that freezes a database, not the cluster: under the policy `major` it is made at a major version, and neither its
 * object nor the management API moves it to a minor one.
 */
export function liftMajorPolicy(lane: FrozenLane, holder: Holder): Promise<void> {
  return step(`${lane.namespace}: policy major of ${holder}`, async () => {
    const name = holder === "the cluster" ? "minor" : "own";
    const place = holder === "the cluster" ? "cluster rec" : "redb own";
    const evidence = new RegExp(`"7\\.4" is a minor version and spec\\.storeUpgradePolicy of ${place} is "major"`);
    const remedy = /kubectl patch (rec rec|redb own) .*"storeUpgradePolicy":"latest"/;
    if (holder === "the cluster") await lane.patch({ storeUpgradePolicy: "major" });
    await makeDatabase(lane, name, holder === "the cluster" ? {} : { storeUpgradePolicy: "major" });
    const made = await lane.database(name, "it has a version", ({ status }) => status?.version !== undefined);
    proves(
      "§2.2 storeUpgradePolicy or a version setting `major` keeps databases from minor versions",
      "the version of a database made without one, under the policy of its cluster and under its own: the newest major one",
    ).match(made.status?.version, /^7\.2/);
    await refuseThroughApi(lane, name, holder);
    const ref = { name, namespace: lane.namespace };
    await lane.kube.patch(Databases, ref, { type: "merge", body: { spec: { storeVersion: "7.4" } } });
    const redb = await lane.database(name, "it is refused", ({ status }) => status?.specStatus === "Invalid");
    const ready = redb.status?.conditions?.find(({ type }) => type === "Ready");
    assert.equal(ready?.reason, "UpgradePolicyMajor");
    proves(
      "§2.2 storeUpgradePolicy or a version setting `major` keeps databases from minor versions",
      "the condition Ready of a database asked to go to a minor version: whose policy keeps it",
    ).match(ready.message, evidence);
    assert.match(ready.message, remedy);
    await until("an event", () => isReported(lane, name, ready.reason, evidence, remedy), { withinMs: 30_000 });
    assert.match(await lane.sh(`kubectl describe redb ${name}`), evidence);
    if (lane.isKilled) await lane.killOperator();
    await typeRemedy(lane, { remedy: ready.message }, { naming: "latest" });
    await expectRaised(lane, name);
  });
}

async function refuseThroughApi(lane: FrozenLane, name: string, holder: Holder): Promise<void> {
  const policy = holder === "the cluster" ? /policy of cluster rec is "major"/ : /policy of database "own" is "major"/;
  if (holder === "the cluster") {
    const isKnown = async () =>
      (await (await lane.management()).call("clusterPolicy")).redis_upgrade_policy === "major";
    await until("the cluster knows its policy", isKnown, { withinMs: 30_000 });
  }
  await assert.rejects(upgradeDatabase(lane, name, "7.4"), policy);
}

async function expectRaised(lane: FrozenLane, name: string): Promise<void> {
  const since = performance.now();
  await lane.database(
    name,
    "it goes on",
    ({ status }) =>
      status?.specStatus === "Valid" && (status.status !== "active" || status.version?.startsWith("7.4") === true),
  );
  assertWithin(NOTICED_MS, performance.now() - since, "the operator notices");
  const raised = await lane.database(
    name,
    "it is at 7.4",
    ({ status }) => status?.status === "active" && status.version?.startsWith("7.4") === true,
  );
  proves(
    "§7 policy major → no minor version until the policy changes",
    "version of the database after the command of its condition changed the policy, nothing else being done",
  ).match(raised.status?.version, /^7\.4/);
}
