import { restartDeployment } from "../../api/kubectl.ts";
import { OPERATOR_NAME } from "../../api/names.ts";
import { neededSystems, systemsWithoutBuild, type NeededSystems } from "../view/base-systems.ts";
import { broughtBy, brings, isBundledFor } from "../view/brought-modules.ts";
import type { ClusterDatabase, ClusterView } from "../view/cluster-view.ts";
import type { VersionModules } from "../../releases/engines/bundled-module.ts";
import { block, warn } from "../findings/finding.ts";
import { defineCheck, quotedNames } from "./check.ts";

/** §9 (e), of modules that no upload installed: an image without the package would leave databases without their module. */
export const bundledModulesStay = defineCheck({
  id: "BundledModuleMissing",
  asks: "modules in use that come with an engine come with those of the release",
  at: ["start"],
  needs: ["cluster"],
  find({ view, step }) {
    if (step === undefined) return undefined;
    const used = bundledUses(view).filter((use) => !isInstalled(view, use, neededSystems(view, step.to)));
    if (used.length === 0) return undefined;
    const brought = broughtBy(view, step.to);
    if (brought === undefined) {
      return warn(
        "BundledModuleMissing",
        `${used.map(useText).join("; ")}: whether the images of ${step.to.operator} bring it is known once the operator is ${step.to.operator}`,
        "upgrade the operator first; the nodes stay as they are until their new image is known to bring it",
      );
    }
    const missing = used.filter(({ name, storeVersion }) => !brings(brought, name, storeVersion));
    if (missing.length === 0) return undefined;
    return block(
      "BundledModuleMissing",
      `the images of ${step.to.operator} do not bring ${missing.map(useText).join("; ")}; they bring ${broughtText(brought)}`,
      "make the images with the module package beside its engine (images/Containerfile) and restart the operator with them: " +
        `${restartDeployment(OPERATOR_NAME)}; or move the data to a database without the module and delete this one`,
    );
  },
});

/** A module that an engine brings, with the databases of one version that ask for it. */
interface BundledUse {
  readonly name: string;
  readonly storeVersion: string;
  readonly users: readonly ClusterDatabase[];
}

function bundledUses({ cluster }: ClusterView): readonly BundledUse[] {
  if (!cluster.reachable) return [];
  const uses = cluster.databases.flatMap((database) =>
    database.askedModules
      .filter((name) => cluster.modules.some((module) => isBundledFor(module, name, database.storeVersion)))
      .map((name) => ({ name, storeVersion: database.storeVersion, database })),
  );
  return [...Map.groupBy(uses, ({ name, storeVersion }) => `${name} ${storeVersion}`).values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    return [{ name: first.name, storeVersion: first.storeVersion, users: same.map(({ database }) => database) }];
  });
}

/** An installed build goes before what an engine brings. */
function isInstalled({ cluster }: ClusterView, use: BundledUse, needed: NeededSystems): boolean {
  return cluster.reachable && systemsWithoutBuild(needed, cluster.modules, use).length === 0;
}

function useText({ name, storeVersion, users }: BundledUse): string {
  return `module "${name}" for databases of ${storeVersion}, used by ${quotedNames(users)}`;
}

function broughtText(brought: readonly VersionModules[]): string {
  const some = brought.filter(({ modules }) => modules.length > 0);
  return some.map(({ storeVersion, modules }) => `${modules.join(", ")} for ${storeVersion}`).join("; ") || "none";
}
