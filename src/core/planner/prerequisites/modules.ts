import { editObject } from "../../api/kubectl.ts";
import type { ClusterDatabase, ClusterView } from "../view/cluster-view.ts";
import { hasBuildsFor, neededSystems, systemsText, type NeededSystems } from "../view/base-systems.ts";
import { block } from "../findings/finding.ts";
import { isBundledFor } from "./bundled-modules.ts";
import { named, type Check } from "./check.ts";

/** Product facts §6.2: 8.0.2 cannot take them at all. */
export const userModulesAreSupported: Check = {
  id: "UserModulesUnsupported",
  asks: "the release supports user-defined modules, if any are listed",
  at: ["start"],
  needs: [],
  find({ view: { spec }, step }) {
    const modules = spec.userDefinedModules ?? [];
    if (modules.length === 0 || step?.to.userModules !== "unsupported") return undefined;
    return block(
      "UserModulesUnsupported",
      `${step.to.operator} cannot take user-defined modules (${modules.map(({ name }) => name).join(", ")})`,
      "skip this release: upgrade the operator to 8.0.6-8 or later",
    );
  },
};

/** §9 (e): the new base system needs builds of its own. */
export const modulesHaveBuilds: Check = {
  id: "UnsupportedModule",
  asks: "modules in use have a build for the base system of the release",
  at: ["start"],
  needs: ["cluster"],
  find({ view, step }) {
    if (step === undefined) return undefined;
    const needed = neededSystems(view, step.to);
    const lacking = modulesWithoutBuild(view, needed);
    if (lacking.length === 0) return undefined;
    return block(
      "UnsupportedModule",
      `no build for ${systemsText(needed)} of ${lacking.map(({ name, users, platforms }) => `${name} (${platforms.join(", ") || "not installed"}), used by ${named(users)}`).join("; ")}`,
      `upload one of each: curl -F module=@${lacking[0]?.name ?? ""}.zip https://<rec>:9443/v2/modules`,
    );
  },
};

/** §4.3 rule 6: nodes fetch what is listed, and nothing else. */
export const modulesAreListed: Check = {
  id: "UserModuleNotListed",
  asks: "every user-defined module in use is listed in spec.userDefinedModules",
  at: ["start"],
  needs: ["cluster"],
  find({ view, step }) {
    if (step?.to.userModules !== "listed") return undefined;
    const listed = (view.spec.userDefinedModules ?? []).map(({ name }) => name);
    const missing = customModules(view).filter(
      ({ name, displayName }) => !listed.includes(name) && !listed.includes(displayName),
    );
    if (missing.length === 0) return undefined;
    return block(
      "UserModuleNotListed",
      missing
        .map(({ name, users }) => `${name}, used by ${named(users)}, is not in spec.userDefinedModules`)
        .join("; "),
      editObject(`rec ${view.name}`, "name and source.https.url of each"),
    );
  },
};

/** The user-defined modules in use that nodes on these base systems cannot load. */
export function modulesWithoutBuild(view: ClusterView, needed: NeededSystems): readonly CustomModule[] {
  return customModules(view).filter(({ everywhere, platforms }) => !everywhere && !hasBuildsFor(needed, platforms));
}

/** A module that databases use and that does not come with them. */
export interface CustomModule {
  readonly name: string;
  readonly displayName: string;
  readonly platforms: readonly string[];
  /** A build of it names no platform, and runs on each. */
  readonly everywhere: boolean;
  readonly users: readonly ClusterDatabase[];
}

/** The modules in use that no engine of their database's version brings; one that nothing is known of is none of those. */
export function customModules({ cluster }: ClusterView): readonly CustomModule[] {
  if (!cluster.reachable) return [];
  const { modules, databases } = cluster;
  const isCustom = (name: string, { storeVersion }: ClusterDatabase): boolean =>
    !modules.some((module) => isBundledFor(module, name, storeVersion));
  const names = new Set(databases.flatMap((database) => database.modules.filter((name) => isCustom(name, database))));
  return [...names].map((name) => {
    const builds = modules.filter((module) => module.name === name && !module.bundled);
    return {
      name,
      displayName: builds[0]?.displayName ?? name,
      platforms: [...new Set(builds.flatMap(({ platforms }) => platforms))],
      everywhere: builds.some(({ platforms }) => platforms.length === 0),
      users: databases.filter((database) => database.modules.includes(name) && isCustom(name, database)),
    };
  });
}
