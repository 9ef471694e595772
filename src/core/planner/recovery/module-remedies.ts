import { hasBuildsFor, neededSystems, systemsText } from "../view/base-systems.ts";
import { customModules, modulesWithoutBuild } from "../prerequisites/modules.ts";
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
  const needed = neededSystems(view, step.to);
  const fits = (platforms: readonly string[]): boolean => hasBuildsFor(needed, platforms);
  const lacking = modulesWithoutBuild(view, needed);
  const builds = lacking.map((module) => ({
    module,
    build: given.modules.find(
      (one) => isNamed(one, module.name) && (one.platforms.length === 0 || fits(one.platforms)),
    ),
  }));
  const missing = builds.filter(({ build }) => build === undefined).map(({ module }) => module.name);
  if (missing.length > 0)
    return {
      needs: `a build for ${systemsText(needed)} of ${missing.join(", ")}: --module <archive>, once for each`,
    };
  return {
    acts: builds.flatMap(({ build }) =>
      build === undefined ? [] : [{ kind: "upload-module", file: build.file, title: build.title }],
    ),
  };
}

function isNamed({ name, displayName }: SuppliedModule, wanted: string): boolean {
  return name === wanted || displayName === wanted;
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
  const missing = customModules(view).filter(
    ({ name, displayName }) => !listed.some((one) => one.name === name || one.name === displayName),
  );
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
