import type { ClusterStatus, UserModuleStatus } from "./cluster-status.ts";
import type { DatabaseStatus } from "./database-status.ts";

/**
 * The database version that a status tells; undefined when it tells none. A status of a release before the field
 * `storeVersion` has it in `version`, before the first space: `7.4 (redis 7.4.3)`.
 */
export function versionOfDatabase({ storeVersion, version }: DatabaseStatus): string | undefined {
  return storeVersion ?? (version?.split(" ", 1)[0] || undefined);
}

/**
 * Shards in use and allowed by the licence; undefined when the status does not tell. A status of a release before the
 * field `shardsUsed` has them in `shardsUsage` alone: `2/4`.
 */
export function shardsOfLicense(
  status: ClusterStatus | undefined,
): { readonly used: number; readonly limit: number } | undefined {
  const { shardsUsed, shardsLimit, shardsUsage = "" } = status?.licenseStatus ?? {};
  if (shardsUsed !== undefined && shardsLimit !== undefined) return { used: shardsUsed, limit: shardsLimit };
  const text = /^(\d+)\/(\d+)$/.exec(shardsUsage);
  return text === null ? undefined : { used: Number(text[1]), limit: Number(text[2]) };
}

/**
 * The versions that the cluster had under the name of a module when the module could not be fetched. A status of a
 * release before the field `versionsBefore` has them in `version` alone: `1.0.0, 1.1.0`.
 */
export function versionsBeforeFailure({ versionsBefore, version }: UserModuleStatus): readonly string[] {
  return versionsBefore ?? version.split(", ").filter((one) => one !== "");
}
