import { describeObject, editObject, uploadModule } from "../../api/kubectl.ts";
import type { ClusterDatabase, ClusterModule, ClusterView } from "../view/cluster-view.ts";
import { buildsText } from "../modules/builds.ts";
import { isSameModule } from "../modules/module-name.ts";
import { neededSystems, systemsText, systemsWithoutBuild, type NeededSystems } from "../view/base-systems.ts";
import { isBundledFor } from "../view/brought-modules.ts";
import { block, warn } from "../findings/finding.ts";
import { defineCheck, quotedNames } from "./check.ts";
import { listedModules, moduleStatusOf } from "../modules/user-modules.ts";

/** A cluster of 8.0.2 cannot take them at all. */
export const userModulesAreSupported = defineCheck({
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
});

/** §9 (e): the new base system needs builds of its own, and a build is for one version of databases. */
export const modulesHaveBuilds = defineCheck({
  id: "UnsupportedModule",
  asks: "modules in use have a build for each version of the databases that use them, on the base system of the release",
  at: ["start"],
  needs: ["cluster"],
  find({ view, step }) {
    if (step === undefined) return undefined;
    const lacking = lackingBuilds(view, neededSystems(view, step.to));
    if (lacking.length === 0) return undefined;
    return block(
      "UnsupportedModule",
      lacking
        .map(
          ({ use, systems }) =>
            `no build of ${use.name} for databases of ${use.storeVersion} on ${systemsText(systems)} (installed: ${buildsText(use.builds)}), used by ${quotedNames(use.users)}`,
        )
        .join("; "),
      `upload one of each: ${uploadModule(view.name, `${lacking[0]?.use.name ?? ""}.zip`)}; or list where each is, in spec.userDefinedModules: ${editObject(`rec ${view.name}`)}`,
    );
  },
});

/** §4.3 rule 6: nodes fetch what is listed, and nothing else. */
export const modulesAreListed = defineCheck({
  id: "UserModuleNotListed",
  asks: "every user-defined module in use is listed in spec.userDefinedModules",
  at: ["start"],
  needs: ["cluster"],
  find({ view, step }) {
    if (step?.to.userModules !== "listed") return undefined;
    const missing = unlistedModules(view);
    if (missing.length === 0) return undefined;
    return block(
      "UserModuleNotListed",
      missing
        .map(({ name, users }) => `${name}, used by ${quotedNames(users)}, is not in spec.userDefinedModules`)
        .join("; "),
      editObject(`rec ${view.name}`, "name and source.https.url of each"),
    );
  },
});

/** The user-defined modules in use that `spec.userDefinedModules` does not list. */
export function unlistedModules(view: ClusterView): readonly CustomModule[] {
  const listed = (view.spec.userDefinedModules ?? []).map(({ name }) => name);
  return customModules(view).filter(({ name, displayName }) => !listed.includes(name) && !listed.includes(displayName));
}

/** A use of a module, with the base systems on which nodes cannot load it. */
export interface LackingBuild {
  readonly use: ModuleUse;
  readonly systems: NeededSystems;
}

/** What nodes on these base systems could not load of the user-defined modules in use, by the version of the databases. */
export function lackingBuilds(view: ClusterView, needed: NeededSystems): readonly LackingBuild[] {
  return moduleUses(view)
    .map((use) => ({ use, systems: systemsWithoutBuild(needed, use.builds, use) }))
    .filter(({ systems }) => systems.length > 0);
}

/** A module that databases use and that does not come with them. */
export interface CustomModule {
  readonly name: string;
  readonly displayName: string;
  readonly users: readonly ClusterDatabase[];
}

/** A module that databases of one version use and that does not come with them. */
interface ModuleUse extends CustomModule {
  readonly storeVersion: string;
  /** The builds of the module that are installed, whatever they are for. */
  readonly builds: readonly ClusterModule[];
}

/** The modules in use that no engine of their database's version brings; one that nothing is known of is none of those. */
export function customModules(view: ClusterView): readonly CustomModule[] {
  return [...Map.groupBy(moduleUses(view), ({ name }) => name.toLowerCase()).values()].flatMap((uses) => {
    const [first] = uses;
    if (first === undefined) return [];
    return [{ name: first.name, displayName: first.displayName, users: uses.flatMap(({ users }) => users) }];
  });
}

function moduleUses({ cluster }: ClusterView): readonly ModuleUse[] {
  if (!cluster.reachable) return [];
  const { modules, databases } = cluster;
  const uses = databases.flatMap((database) =>
    database.modules
      .filter((name) => !modules.some((module) => isBundledFor(module, name, database.storeVersion)))
      .map((name) => ({ name, storeVersion: database.storeVersion, database })),
  );
  const keyOf = ({ name, storeVersion }: (typeof uses)[number]): string => `${name.toLowerCase()} ${storeVersion}`;
  return [...Map.groupBy(uses, keyOf).values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    const { name, storeVersion } = first;
    const builds = modules.filter((module) => !module.bundled && isSameModule(module.name, name));
    const users = same.map(({ database }) => database);
    return [{ name, displayName: builds[0]?.displayName ?? name, storeVersion, builds, users }];
  });
}

/**
 * §4.3 rule 6, §7: each listed module is fetched, checked against its name, and on every node before nodes are replaced. A list takes effect at
 * once, so that a module that cannot be installed is reported at any time, and stops a step to another release.
 */
export const userModulesAreInstalled = defineCheck({
  id: "UserModuleInvalid",
  asks: "every user-defined module was fetched, has the name that is listed, and is installed",
  at: ["start"],
  needs: [],
  find({ view: { name, spec, remembered }, step }) {
    const modules = listedModules(spec).map((module) => ({
      name: module.name,
      known: moduleStatusOf(module, remembered.userModules ?? []),
    }));
    const failed = modules.flatMap(({ name: listed, known }) =>
      known?.state === "Failed" ? [`module "${listed}": ${known.message}`] : [],
    );
    const edit = (then: string): string => editObject(`rec ${name}`, `spec.userDefinedModules; ${then}`);
    if (failed.length > 0)
      return step === undefined
        ? warn("UserModuleInvalid", failed.join("; "), edit("a module that can be installed is, at once"))
        : block("UserModuleInvalid", failed.join("; "), edit("the upgrade continues once the module can be installed"));
    const awaited = modules.find(({ known }) => known?.state !== "Installed");
    if (step === undefined || awaited === undefined) return undefined;
    const text = awaited.known === undefined || awaited.known.message === "" ? "" : `; ${awaited.known.message}`;
    const evidence = `module "${awaited.name}" is being fetched${text}`;
    return block("UserModuleFetching", evidence, describeObject(`rec ${name}`));
  },
});
