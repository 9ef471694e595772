import type { ClusterSpec } from "../../api/cluster-spec.ts";
import type { UserModuleStatus } from "../../api/cluster-status.ts";
import { versionsBeforeFailure } from "../../api/older-status.ts";

/** A module that `spec.userDefinedModules` lists (§2.2), its aliases resolved. */
export interface ListedModule {
  readonly name: string;
  readonly url: string;
  readonly credentialsSecret: string | undefined;
}

/** A module as the cluster has it installed. */
export interface PresentModule {
  readonly name: string;
  readonly displayName: string;
  readonly version: string;
}

/** What the spec lists, in its order. */
export function listedModules({ userDefinedModules = [] }: ClusterSpec): readonly ListedModule[] {
  return userDefinedModules.map(({ name, source, credentialsSecret }) => {
    const from = source.https ?? source.http;
    return { name, url: from?.url ?? "", credentialsSecret: from?.credentialsSecret ?? credentialsSecret };
  });
}

/** Those that are to be fetched: never tried, tried in vain, or gone from the cluster since. */
export function modulesToFetch(
  listed: readonly ListedModule[],
  remembered: readonly UserModuleStatus[],
  present: readonly PresentModule[],
): readonly ListedModule[] {
  return listed.filter((module) => {
    const known = moduleStatusOf(module, remembered);
    if (known?.state !== "Installed") return true;
    return !present.some(({ name, version }) => name === known.moduleName && version === known.version);
  });
}

/** What is remembered of a listed module; another address is another module. */
export function moduleStatusOf(
  { name, url }: Pick<ListedModule, "name" | "url">,
  remembered: readonly UserModuleStatus[],
): UserModuleStatus | undefined {
  return remembered.find((one) => one.name === name && one.url === url);
}

/** A module that failed, with the versions that the cluster had under its name when it failed first. */
export function failedSince(
  status: UserModuleStatus,
  before: UserModuleStatus | undefined,
  present: readonly PresentModule[],
): UserModuleStatus {
  const versionsBefore =
    before?.state === "Failed"
      ? [...versionsBeforeFailure(before)]
      : present.filter((one) => isNamed(one, status.name)).map(({ version }) => version);
  return { ...status, version: versionsBefore.join(", "), versionsBefore };
}

/**
 * What a user uploaded in place of a module that could not be fetched: of its name, and of another version than were
 * there when that was found out.
 */
export function uploadedSince(
  failed: UserModuleStatus | undefined,
  present: readonly PresentModule[],
): PresentModule | undefined {
  if (failed?.state !== "Failed") return undefined;
  const old = versionsBeforeFailure(failed);
  return present.find((one) => isNamed(one, failed.name) && !old.includes(one.version));
}

function isNamed({ name, displayName }: PresentModule, listed: string): boolean {
  return name === listed || displayName === listed;
}

/** What the nodes are restarted for when it changes (§2.2): the list, as far as it is installed. */
export function installedList(spec: ClusterSpec, remembered: readonly UserModuleStatus[]): readonly string[] {
  return listedModules(spec)
    .filter((module) => moduleStatusOf(module, remembered)?.state === "Installed")
    .map(({ name, url }) => `${name} ${url}`);
}
