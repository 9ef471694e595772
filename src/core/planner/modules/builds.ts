import type { InstalledModule } from "../../api/records.ts";
import { compareVersionText } from "#kit/base/version";
import { isSameModule } from "./module-name.ts";

/** A build of a module, as the record of a cluster, its management API and the archive of a user describe it. */
export interface ModuleBuild {
  readonly name: string;
  /** The version of the module; absent where only one can be meant. */
  readonly version?: string;
  /** Database version that it is for; absent of what an engine brings, which is no build. */
  readonly compatible?: string | undefined;
  /** For instance `rhel9/x86_64`; none for one that runs everywhere. */
  readonly platforms: readonly string[];
}

/** What a node must have of a module that a database uses. */
export interface ModuleNeed {
  readonly name: string;
  /** Version of the database. */
  readonly storeVersion: string;
  /** Platforms of the node, for instance `rhel9/x86_64`; `rhel9` where the machine is not known, as a cluster refuses builds for others. */
  readonly platforms: readonly string[];
}

/**
 * The newest build of a module that a database of this version loads on such a node; undefined when there is none. A build is for
 * exactly one database version; one that names no platform runs on each. Nodes load what this finds, and every check asks it.
 */
export function buildFor<Build extends ModuleBuild>(builds: readonly Build[], need: ModuleNeed): Build | undefined {
  return builds
    .filter(({ name, compatible }) => isSameModule(name, need.name) && compatible === need.storeVersion)
    .filter(({ platforms }) => platforms.length === 0 || platforms.some((one) => isOneOf(one, need.platforms)))
    .toSorted((a, b) => compareVersionText(b.version ?? "", a.version ?? "") ?? 0)[0];
}

/** A build that stands where `build` would: same module, version, database version, and a platform in common. */
export function sameBuild(installed: readonly InstalledModule[], build: InstalledModule): InstalledModule | undefined {
  return installed.find(
    ({ name, version, compatible, platforms }) =>
      isSameModule(name, build.name) &&
      version === build.version &&
      compatible === build.compatible &&
      (platforms.length === 0 ||
        build.platforms.length === 0 ||
        platforms.some((one) => build.platforms.includes(one))),
  );
}

/** What builds are for, for a sentence: `for 7.2 on rhel8/x86_64`. */
export function buildsText(builds: readonly ModuleBuild[]): string {
  return (
    builds
      .map(({ compatible = "", platforms }) => `for ${compatible} on ${platforms.join(", ") || "every platform"}`)
      .join("; ") || "none"
  );
}

function isOneOf(platform: string, wanted: readonly string[]): boolean {
  return wanted.some((one) => platform === one || platform.startsWith(`${one}/`));
}
