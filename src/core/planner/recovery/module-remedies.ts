import { neededSystems, systemsText, systemsWithoutBuild } from "../view/base-systems.ts";
import { lackingBuilds, unlistedModules, type LackingBuild } from "../prerequisites/modules.ts";
import { listedModules, moduleStatusOf } from "../modules/user-modules.ts";
import type { SuppliedModule } from "./recovery.ts";
import type { Remedies, Remedy, RemedyFacts } from "./remedy.ts";

/** §7: an unsupported module, one that is not listed, and one that is listed wrongly. */
export const MODULE_REMEDIES = {
  UnsupportedModule: uploadBuilds,
  UserModuleInvalid: correctList,
  UserModuleNotListed: listModules,
} satisfies Remedies;

/** All builds or none: an upgrade that goes on with half of them freezes again. */
function uploadBuilds({ input: { view, step }, given }: RemedyFacts): Remedy | undefined {
  if (step === undefined) return undefined;
  const lacking = lackingBuilds(view, neededSystems(view, step.to)).map((one) => ({
    ...one,
    given: given.modules.filter((module) => isOf(module, one)),
  }));
  const missing = lacking.filter(
    ({ use, systems, given: builds }) => systemsWithoutBuild(systems, builds, use).length > 0,
  );
  if (missing.length > 0) {
    const builds = missing.map(
      ({ use, systems }) => `${use.name} for databases of ${use.storeVersion} on ${systemsText(systems)}`,
    );
    return { needs: `a build of ${builds.join(", of ")}: --module <archive>, once for each` };
  }
  const files = new Map(lacking.flatMap(({ given: builds }) => builds).map((build) => [build.file, build]));
  return { acts: [...files.values()].map(({ file, title }) => ({ kind: "upload-module", file, title })) };
}

/** An archive that helps: of the module, and for a base system that lacks it. */
function isOf(module: SuppliedModule, { use, systems }: LackingBuild): boolean {
  return systemsWithoutBuild(systems, [module], use).length < systems.length;
}

/** A name is taken from the manifest that was fetched; an address only a user can give. */
function correctList({ input: { view }, given }: RemedyFacts): Remedy | undefined {
  const { spec, remembered } = view;
  const failed = listedModules(spec).flatMap((module) => {
    const known = moduleStatusOf(module, remembered.userModules ?? []);
    return known?.state === "Failed" ? [known] : [];
  });
  const lost = failed.filter(({ name, moduleName }) => moduleName === "" && given.moduleUrls[name] === undefined);
  if (lost.length > 0)
    return {
      needs: lost.map(({ name }) => `where "${name}" can be fetched: --module-url ${name}=https://...`).join(", "),
      otherwise: "or bring the server back, or its credentials in order: it is tried again every few seconds",
    };
  const list = (spec.userDefinedModules ?? []).map((module) => {
    const known = failed.find(({ name }) => name === module.name);
    if (known === undefined) return module;
    const url = given.moduleUrls[module.name];
    return {
      ...module,
      name: known.moduleName === "" ? module.name : known.moduleName,
      ...(url === undefined ? {} : { source: { https: { url } }, ...secretOf(given.moduleSecret) }),
    };
  });
  return failed.length === 0 ? undefined : { acts: [{ kind: "patch-cluster", spec: { userDefinedModules: list } }] };
}

function listModules({ input: { view }, given }: RemedyFacts): Remedy | undefined {
  const listed = view.spec.userDefinedModules ?? [];
  const missing = unlistedModules(view);
  const unknown = missing.filter(({ name }) => given.moduleUrls[name] === undefined);
  if (unknown.length > 0)
    return {
      needs: unknown.map(({ name }) => `where "${name}" can be fetched: --module-url ${name}=https://...`).join(", "),
    };
  const added = missing.map(({ name }) => ({
    name,
    source: { https: { url: given.moduleUrls[name] ?? "" } },
    ...secretOf(given.moduleSecret),
  }));
  return { acts: [{ kind: "patch-cluster", spec: { userDefinedModules: [...listed, ...added] } }] };
}

function secretOf(name: string): { readonly credentialsSecret?: string } {
  return name === "" ? {} : { credentialsSecret: name };
}
