import type { ClusterSpec } from "../api/cluster-spec.ts";
import type { UserModuleStatus } from "../api/cluster-status.ts";

/** A module that `spec.userDefinedModules` lists (§2.2), its aliases resolved. */
export interface ListedModule {
  readonly name: string;
  readonly url: string;
  readonly credentialsSecret: string | undefined;
}

/** A module as the cluster has it installed. */
export interface PresentModule {
  readonly name: string;
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
    const known = statusOf(module, remembered);
    if (known?.state !== "Installed") return true;
    return !present.some(({ name, version }) => name === known.moduleName && version === known.version);
  });
}

/** What is remembered of a listed module; another address is another module. */
export function statusOf(
  { name, url }: Pick<ListedModule, "name" | "url">,
  remembered: readonly UserModuleStatus[],
): UserModuleStatus | undefined {
  return remembered.find((one) => one.name === name && one.url === url);
}

/** What the nodes are restarted for when it changes (§2.2): the list, as far as it is installed. */
export function installedList(spec: ClusterSpec, remembered: readonly UserModuleStatus[]): readonly string[] {
  return listedModules(spec)
    .filter((module) => statusOf(module, remembered)?.state === "Installed")
    .map(({ name, url }) => `${name} ${url}`);
}
