import { buildFor, type ModuleBuild, type ModuleNeed } from "../modules/builds.ts";
import { releaseByNodeTag } from "../../releases/catalogue/find.ts";
import type { Release } from "../../releases/catalogue/release.ts";
import type { ClusterView } from "./cluster-view.ts";

/** Groups of base systems: a module needs a build for one base system of each group. */
export type NeededSystems = readonly (readonly string[])[];

/**
 * The base systems that the nodes of `release` have (§1.6, docs/decisions/0017). What nodes of that release report is certain. Before
 * there is one, the operator's own image tells, as the images of a release are made alike; last the catalogue, for the official image.
 */
export function neededSystems(
  { cluster, release: operator, operatorBaseSystem }: ClusterView,
  release: Release,
): NeededSystems {
  const nodes = cluster.reachable ? cluster.nodes : [];
  const reported = nodes
    .filter(({ active, tag }) => active && releaseByNodeTag(tag) === release)
    .flatMap(({ baseSystem }) => baseSystem ?? []);
  if (reported.length > 0) return [...new Set(reported)].map((system) => [system]);
  const own = release === operator ? operatorBaseSystem : undefined;
  return [own === undefined ? release.baseSystems : [own]];
}

/** The base systems on which a database of a version has no build of a module to load. */
export function systemsWithoutBuild(
  needed: NeededSystems,
  builds: readonly ModuleBuild[],
  { name, storeVersion }: Pick<ModuleNeed, "name" | "storeVersion">,
): NeededSystems {
  return needed.filter((platforms) => buildFor(builds, { name, storeVersion, platforms }) === undefined);
}

/** For a sentence: `ubuntu18 or rhel8`. */
export function systemsText(needed: NeededSystems): string {
  return needed.map((group) => group.join(" or ")).join(" and ");
}
