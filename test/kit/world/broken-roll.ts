import assert from "node:assert/strict";
import type { StoreEnterpriseCluster } from "../../../src/core/api/kinds.ts";
import { imageTagOf } from "../../../src/core/releases/catalogue/images.ts";
import type { Release } from "../../../src/core/releases/catalogue/release.ts";
import { Clusters } from "../../../src/mechanisms/observe/kubernetes/kinds.ts";
import { Pods } from "#kit/kube/builtin";
import { isTrue } from "#kit/kube/conditions";
import type { Stored } from "#kit/kube/kube";
import { DEMO } from "../../../src/programs/demo/steps/objects.ts";
import { waitForObject } from "../../../src/programs/demo/steps/wait.ts";
import { proves } from "../specification/proves.ts";
import type { StoryWorld } from "./story-world.ts";

/** Configuration errors that are written one after another, and the findings that they are. */
const ERRORS = [
  {
    finding: "AutoUpgradeContradiction",
    spec: { autoUpgradeStoreEnterprise: false, upgradeSpec: { autoUpgradeStoreEnterprise: true } },
    correction: { upgradeSpec: null },
  },
  { finding: "UnknownImageTag", spec: tagged("9.9.9-99"), correction: {} },
];

const { namespace } = DEMO;
const REC = { name: DEMO.cluster, namespace };
const PATIENCE = { withinMs: 180_000 };

/**
 * Waits until the first node is being replaced and writes configuration errors (§3): the cluster becomes InvalidUpgrade with
 * one node of the new release and two of the old one, all active. Resolves once the last error was corrected; the answer
 * checks that the roll went on from there.
 */
export async function breakRoll(story: StoryWorld, older: Release, latest: Release): Promise<() => Promise<void>> {
  const { kube } = story.world;
  const first = { name: `${DEMO.cluster}-2`, namespace };
  await waitForObject(story.stage, Pods, first, {
    ...PATIENCE,
    what: "the first node is being replaced",
    // the next node has to wait for this one, however long the error takes
    isMet: ({ spec, status }) =>
      imageTagOf(spec?.containers[0]?.image ?? "") === latest.nodeTag && !isTrue(status?.conditions, "Ready"),
  });
  const patch = (spec: object) => kube.patch(Clusters, REC, { type: "merge", body: { spec } });
  const before = await uidsOf(story);
  for (const { finding, spec, correction } of ERRORS) {
    await patch(spec);
    const { status } = await waitForObject(story.stage, Clusters, REC, {
      ...PATIENCE,
      what: `${finding} stops the roll, and the new node is back`,
      isMet: (rec) => isHeld(rec, finding),
    });
    const tags = status?.nodes?.map(({ version }) => version);
    proves(
      "§3 configuration error during an upgrade → InvalidUpgrade",
      "STATE and the release of each node after a configuration error in mid-roll: two old, one new",
    ).deepEqual([status?.state, tags], ["InvalidUpgrade", [older.nodeTag, older.nodeTag, latest.nodeTag]]);
    assert.deepEqual(await uidsOf(story), before, "a node was replaced after the error");
    await patch(correction);
  }
  await patch(tagged(latest.nodeTag));
  return async () => {
    const after = await uidsOf(story);
    assert.deepEqual(
      [...before].map(([name, uid]) => [name, after.get(name) === uid]),
      [
        ["rec-0", false],
        ["rec-1", false],
        ["rec-2", true],
      ],
    );
  };
}

function tagged(versionTag: string): object {
  return { storeEnterpriseImageSpec: { versionTag } };
}

function isHeld({ metadata, status }: Stored<StoreEnterpriseCluster>, finding: string): boolean {
  return (
    status?.state === "InvalidUpgrade" &&
    status.observedGeneration === metadata.generation &&
    (status.findings ?? []).some(({ id, severity }) => id === finding && severity === "block") &&
    (status.conditions ?? []).some(({ type, reason }) => type === "Progressing" && reason === "Blocked")
  );
}

/** uids of the node pods by name. */
async function uidsOf({ world }: StoryWorld): Promise<ReadonlyMap<string, string>> {
  const labelSelector = `storeenterprise.io/cluster=${DEMO.cluster},storeenterprise.io/role=node`;
  const { items } = await world.kube.list(Pods, { namespace, labelSelector });
  return new Map(items.map(({ metadata }) => [metadata.name, metadata.uid] as const).toSorted());
}
