import { test } from "node:test";
import { planCluster } from "../../src/core/planner/cluster/plan.ts";
import type { ClusterView } from "../../src/core/planner/view/cluster-view.ts";
import { asking, clusterView, database, facts, NEW, OLD } from "../kit/facts/cluster-view.ts";
import { proves } from "../kit/specification/proves.ts";

const TALLY = { name: "tally", displayName: "Tally", bundled: false, compatible: "7.2", platforms: [] };
/** "orders" uses a module that was uploaded and is listed nowhere. */
const USED = facts({ databases: [database({ name: "orders", modules: ["tally"] })], modules: [TALLY] });

/** What the operator does next, with what objects or warns. */
function next(change: Partial<ClusterView>): string {
  const { state, step, findings } = planCluster(clusterView(change), `template of ${OLD.nodeTag}`);
  const does = step.kind === "act" ? step.act.kind : "no act";
  return [state, does, ...findings.map(({ id }) => id)].join(" ");
}

test("a cluster whose flag is unset waits for a user, and one whose flag is true does not", () => {
  const operator = NEW;
  proves(
    "§2.2 autoUpgradeStoreEnterprise unset → by hand",
    "what the operator does next when it is newer than the cluster: with the flag, and with none",
  ).deepEqual(
    [
      next({ release: operator, spec: asking(OLD.nodeTag, { autoUpgradeStoreEnterprise: true }) }),
      next({ release: operator }).includes("write-tag"),
    ],
    ["Upgrade write-tag", false],
  );
});

test("automatic upgrade has to be off before the operator is upgraded, when a database uses a module", () => {
  const automatic = asking(OLD.nodeTag, { autoUpgradeStoreEnterprise: true });
  const byHand = asking(OLD.nodeTag, { autoUpgradeStoreEnterprise: false });
  proves(
    "§2.2 autoUpgradeStoreEnterprise must be false when databases use user-defined modules",
    "what a newer operator does next with the flag on and a module that is only uploaded, and without a module",
  ).deepEqual(
    [next({ release: NEW, spec: automatic, cluster: USED }), next({ release: NEW, spec: automatic })],
    ["InvalidUpgrade no act AutoUpgradeUserModules UserModuleNotListed", "Upgrade write-tag"],
  );
  proves(
    "§4.3.2 with user-defined modules, automatic upgrade is off before the operator is upgraded",
    "STATE and finding under the old operator, the flag being on, and once it is off",
  ).deepEqual(
    [next({ spec: automatic, cluster: USED }), next({ spec: byHand, cluster: USED })],
    ["InvalidUpgrade no act AutoUpgradeUserModules", "Running no act"],
  );
});
