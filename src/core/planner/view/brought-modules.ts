import { releaseByNodeTag } from "../../releases/catalogue/find.ts";
import type { VersionModules } from "../../releases/engines/bundled-module.ts";
import type { Release } from "../../releases/catalogue/release.ts";
import { isSameModule } from "../modules/module-name.ts";
import type { ClusterModule, ClusterView } from "./cluster-view.ts";

/**
 * What the engines of the nodes of `release` bring; undefined when nothing is known of it. As with the base system (decision 0017), what
 * nodes of that release report is certain. Before there is one, the operator's own image tells, as the images of a release are made alike.
 */
export function broughtBy(
  { cluster, release: operator, operatorModules }: ClusterView,
  release: Release,
): readonly VersionModules[] | undefined {
  const nodes = cluster.reachable ? cluster.nodes : [];
  const reported = nodes
    .filter(({ active, tag }) => active && releaseByNodeTag(tag) === release)
    .map(({ engines }) => engines.flatMap(({ storeVersion, modules = [] }) => [{ storeVersion, modules }]));
  const [first, ...others] = reported;
  if (first === undefined) return release === operator ? operatorModules : undefined;
  return first.map(({ storeVersion, modules }) => ({
    storeVersion,
    modules: modules.filter((name) => others.every((engines) => brings(engines, name, storeVersion))),
  }));
}

/** Whether an engine of this database version brings the module. */
export function brings(engines: readonly VersionModules[], name: string, storeVersion: string): boolean {
  return engines.some(
    (engine) => engine.storeVersion === storeVersion && engine.modules.some((one) => isSameModule(one, name)),
  );
}

/** Whether engines of a database version bring the module; nodes of release 0.1.0 do not say for which version. */
export function isBundledFor(module: ClusterModule, name: string, storeVersion: string): boolean {
  const { bundled, databaseVersions } = module;
  const isOfVersion = databaseVersions === undefined || databaseVersions.some((version) => version === storeVersion);
  return bundled && isOfVersion && isSameModule(module.name, name);
}
