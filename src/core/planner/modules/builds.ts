import type { InstalledModule, StoreVersion } from "../../api/records.ts";
import { compareVersionText } from "../../base/version.ts";

/** What a node must have of a module that a database uses. */
export interface ModuleNeed {
  readonly name: string;
  readonly storeVersion: StoreVersion;
  /** Platforms of the node, for instance `rhel9/x86_64`. */
  readonly platforms: readonly string[];
}

/**
 * The newest build of a module that a database of this version loads on such a node; undefined when none is installed. A build
 * is for exactly one database version; one that names no platform runs on each.
 */
export function buildFor(installed: readonly InstalledModule[], need: ModuleNeed): InstalledModule | undefined {
  return installed
    .filter(({ name, compatible }) => name === need.name && compatible === need.storeVersion)
    .filter(({ platforms }) => platforms.length === 0 || platforms.some((one) => need.platforms.includes(one)))
    .toSorted((a, b) => compareVersionText(b.version, a.version) ?? 0)[0];
}

/** A build that stands where `build` would: same module, version, database version, and a platform in common. */
export function sameBuild(installed: readonly InstalledModule[], build: InstalledModule): InstalledModule | undefined {
  return installed.find(
    ({ name, version, compatible, platforms }) =>
      name === build.name &&
      version === build.version &&
      compatible === build.compatible &&
      (platforms.length === 0 ||
        build.platforms.length === 0 ||
        platforms.some((one) => build.platforms.includes(one))),
  );
}
