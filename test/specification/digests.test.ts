import { test } from "node:test";
import { Clusters } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { Events } from "#kit/kube/builtin";
import { NEW } from "../kit/facts/cluster-view.ts";
import type { OperatorWorld } from "../kit/operator/operator-world.ts";
import { startSimulatedCluster } from "../kit/operator/simulated-cluster.ts";
import { step } from "../kit/scenario/step.ts";
import { proves } from "../kit/specification/proves.ts";

const REF = { name: "rec", namespace: "default" };
const DIGEST = { digestHash: `sha256:${"0".repeat(64)}` };

/** The four image specs (§2.2): what writes a digest, and what removes it. */
const PLACES: Readonly<Record<string, readonly [write: object, remove: object]>> = {
  "spec.storeEnterpriseImageSpec": place("storeEnterpriseImageSpec"),
  "spec.storeEnterpriseServicesRiggerImageSpec": place("storeEnterpriseServicesRiggerImageSpec"),
  "spec.bootstrapperImageSpec": place("bootstrapperImageSpec"),
  "spec.usageMeter.callHomeClient.imageSpec": [
    { usageMeter: { callHomeClient: { imageSpec: DIGEST } } },
    { usageMeter: { callHomeClient: { imageSpec: { digestHash: null } } } },
  ],
};

test("a digest in each of the four image specs stands against automatic upgrade", async () => {
  await using cluster = await startSimulatedCluster("8.0.6-8", "v1.34.1");
  const { world, patch } = cluster;
  const all = Object.values(PLACES);
  await step("a newer operator with automatic upgrade, and the four one after another", async () => {
    await patch({ ...all[0]?.[0], autoUpgradeStoreEnterprise: true });
    await world.operate(NEW.operator);
    for (const [name, [write, remove]] of Object.entries(PLACES)) {
      await patch(write);
      await blocked(world, name);
      proves(
        "§2.2 digestHash may stand in each of the four image specs",
        "the tag of the nodes while a digest stands in each place in turn, and the finding names that place: the old one",
      ).equal(await cluster.wantedTag(), "8.0.6-54");
      const next = all[all.findIndex(([one]) => one === write) + 1];
      // the next digest is there before this one goes, so that the upgrade stays blocked
      if (next !== undefined) await patch(next[0]);
      await patch(remove);
    }
  });
  await step("none is left: the upgrade proceeds", async () => {
    await notBlocked(world);
    await proves(
      "§3 digestHash removed → the upgrade proceeds",
      "versionTag once no digest is left in any of the four places: that of the new operator",
    ).until(async () => (await tagOf(world)) === NEW.nodeTag, PATIENCE);
  });
});

const PATIENCE = { withinMs: 15_000 };

function place(field: string): readonly [write: object, remove: object] {
  return [{ [field]: DIGEST }, { [field]: { digestHash: null } }];
}

/** InvalidUpgrade, with the place named in the finding and in a warning event. */
async function blocked(world: OperatorWorld, name: string): Promise<void> {
  const said = `automatic upgrade is on and a digestHash is set in ${name}`;
  await world.cluster(`blocked by the digest of ${name}`, ({ metadata, status }) => {
    const found = status?.findings?.some(({ id, evidence }) => id === "AutoUpgradeDigestConflict" && evidence === said);
    return found === true && status?.state === "InvalidUpgrade" && status.observedGeneration === metadata.generation;
  });
  const isReported = async (): Promise<boolean> =>
    (await world.kube.list(Events, { namespace: REF.namespace })).items.some(
      ({ type, reason, message = "", involvedObject }) =>
        type === "Warning" &&
        reason === "AutoUpgradeDigestConflict" &&
        involvedObject.name === REF.name &&
        message.startsWith(said),
    );
  await proves(
    "§6.1 digestHash + auto → warning event on the REC, seen with describe",
    "the warning event for each of the four places: it names the place",
  ).until(isReported, PATIENCE);
}

async function notBlocked(world: OperatorWorld): Promise<void> {
  await world.cluster(
    "nothing blocks",
    ({ metadata, status }) =>
      status?.observedGeneration === metadata.generation &&
      status?.state !== "InvalidUpgrade" &&
      (status?.findings ?? []).every(({ severity }) => severity !== "block"),
  );
}

async function tagOf({ kube }: OperatorWorld): Promise<string | undefined> {
  return (await kube.get(Clusters, REF))?.spec.storeEnterpriseImageSpec?.versionTag;
}
