import type { ClusterSpec } from "../../api/cluster-spec.ts";
import type { UserModuleStatus } from "../../api/cluster-status.ts";
import { versionsBeforeFailure } from "../../api/older-status.ts";

/** A module that `spec.userDefinedModules` lists (§2.2), its aliases resolved. */
export interface ListedModule {
  readonly name: string;
  readonly url: string;
  readonly credentialsSecret: string | undefined;
  /** The digest of its archive; undefined when any archive is taken. */
  readonly sha256: string | undefined;
}

/** A module as the cluster has it installed. */
export interface PresentModule {
  readonly name: string;
  readonly displayName: string;
  readonly version: string;
  /** No node has its shared object any more. */
  readonly isLost: boolean;
}

/** What the spec lists, in its order. */
export function listedModules({ userDefinedModules = [] }: ClusterSpec): readonly ListedModule[] {
  return userDefinedModules.map(({ name, source, credentialsSecret, sha256 }) => {
    const from = source.https ?? source.http;
    return { name, url: from?.url ?? "", credentialsSecret: from?.credentialsSecret ?? credentialsSecret, sha256 };
  });
}

/** The modules that are to be fetched: never tried, tried in vain, gone from the cluster since, or lost by every node. */
export function modulesToFetch(
  listed: readonly ListedModule[],
  remembered: readonly UserModuleStatus[],
  present: readonly PresentModule[],
): readonly ListedModule[] {
  return listed.filter((module) => {
    const known = moduleStatusOf(module, remembered);
    if (known?.state !== "Installed") return true;
    return !present.some((one) => !one.isLost && one.name === known.moduleName && one.version === known.version);
  });
}

/** What is remembered of a listed module; another address is another module. */
export function moduleStatusOf(
  { name, url }: Pick<ListedModule, "name" | "url">,
  remembered: readonly UserModuleStatus[],
): UserModuleStatus | undefined {
  return remembered.find((one) => one.name === name && one.url === url);
}

/** So long an operator waits with its first attempt when others before it tried in vain, in milliseconds. */
export function attemptDelayMs(before: Pick<UserModuleStatus, "attempts"> | undefined): number {
  const attempts = before?.attempts ?? 0;
  return attempts === 0 ? 0 : Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempts - 1));
}

const FIRST_DELAY_MS = 2_000;
const LONGEST_DELAY_MS = 300_000;

/**
 * The status that is written before an operator process tries a module first: should the attempt end the process, the next one
 * knows of it, and is in no hurry.
 */
export function beginAttempt(
  { name, url }: Pick<ListedModule, "name" | "url">,
  before: UserModuleStatus | undefined,
): UserModuleStatus {
  const attempts = (before?.attempts ?? 0) + 1;
  if (before?.state === "Failed") return { ...before, attempts };
  const message = attempts === 1 ? "" : `attempt ${attempts}: the operator ended before the module was installed`;
  return { name, url, state: "Installing", message, moduleName: "", version: "", attempts };
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
