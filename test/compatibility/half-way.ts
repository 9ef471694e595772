import { imageTagOf } from "../../src/core/releases/catalogue/images.ts";
import { Clusters } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { Pods } from "#kit/kube/builtin";
import { isTrue } from "#kit/kube/conditions";
import { DEMO } from "../../src/programs/demo/steps/objects.ts";
import {
  createCluster,
  createDatabase,
  installOperator,
  upgradeCluster,
  upgradeOperator,
} from "../../src/programs/demo/steps/steps.ts";
import { waitForObject } from "../../src/programs/demo/steps/wait.ts";
import { until } from "#kit/testing/until";
import { startLoads, type Scene } from "./scene.ts";

const { namespace, cluster, database } = DEMO;
const REC = { name: cluster, namespace };
const PATIENCE = { withinMs: 120_000, everyMs: 100 };

/** The kept release serves the database of the demo, whose clients write from now on, and the operator is of this checkout. */
export async function installOlder(scene: Scene): Promise<void> {
  const { stage, older, releases, latest } = scene.play;
  await installOperator(stage, await scene.from.bundle(), older);
  await createCluster(stage, older);
  await createDatabase(stage, "7.2");
  await startLoads(scene, [database]);
  await upgradeOperator(stage, releases, latest);
}

/** A configuration error is written while the first node is replaced: no other node is, until it is corrected. */
export async function holdRoll({ play: { stage, world, older, latest } }: Scene): Promise<void> {
  const patch = (spec: object) => world.kube.patch(Clusters, REC, { type: "merge", body: { spec } });
  await patch({ storeEnterpriseImageSpec: { versionTag: latest.nodeTag } });
  await waitForObject(
    stage,
    Pods,
    { name: `${cluster}-2`, namespace },
    {
      withinMs: PATIENCE.withinMs,
      what: "the first node is being replaced",
      isMet: ({ spec, status }) =>
        imageTagOf(spec?.containers[0]?.image ?? "") === latest.nodeTag && !isTrue(status?.conditions, "Ready"),
    },
  );
  await patch({ storeEnterpriseServicesRiggerImageSpec: { versionTag: older.operator } });
  const held = [older.nodeTag, older.nodeTag, latest.nodeTag];
  const isHeld = async (): Promise<boolean> => {
    const { state, nodes = [] } = (await world.kube.get(Clusters, REC))?.status ?? {};
    const tags = nodes.map(({ version }) => version).join();
    return state === "InvalidUpgrade" && tags === held.join() && nodes.every(({ status }) => status === "active");
  };
  await until("two nodes are old and one is new", isHeld, PATIENCE);
}

/** Corrects the configuration error; resolves when every node is new. */
export async function goOn({ play: { stage, world, latest } }: Scene): Promise<void> {
  await world.kube.patch(Clusters, REC, {
    type: "merge",
    body: { spec: { storeEnterpriseServicesRiggerImageSpec: null } },
  });
  await upgradeCluster(stage, latest);
}

/** What the finding says for which a rotation waits; empty when none does. */
export async function rotationWaits({ play: { world } }: Scene): Promise<string> {
  const { findings } = (await world.kube.get(Clusters, REC))?.status ?? {};
  return findings?.find(({ id }) => id === "RotationWaits")?.evidence ?? "";
}

/** Resolves when a rotation waits for the two nodes that are old, and the finding says so. */
export async function untilRotationWaits(scene: Scene): Promise<void> {
  const isSaid = async (): Promise<boolean> => {
    const said = await rotationWaits(scene);
    return ["node 1", "node 2"].every((node) => said.includes(node)) && !said.includes("node 3");
  };
  await until("the finding names the older nodes", isSaid, PATIENCE);
}
