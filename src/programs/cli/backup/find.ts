import { Fault, isFault } from "#kit/base/fault";
import { faults as kubeFaults } from "#kit/kube/faults";
import type { Stored } from "#kit/kube/kube";
import type { StoreEnterpriseBackup, StoreEnterpriseBackupSchedule } from "../../../core/api/kinds.ts";
import { Backups, BackupSchedules } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import type { Denied } from "../access/denied.ts";
import type { NamespaceAccess } from "../access/namespace-access.ts";
import { faults } from "../faults.ts";

/** An object that asks for a backup, as it is stored. */
export type BackupObject = Stored<StoreEnterpriseBackup>;

/** A schedule of backups, as it is stored. */
export type ScheduleObject = Stored<StoreEnterpriseBackupSchedule>;

/** Schedules and backups of a namespace. */
export interface BackupsAround {
  readonly schedules: readonly ScheduleObject[];
  readonly backups: readonly BackupObject[];
}

/** The schedules of the namespace, by their names. */
export async function allSchedules({
  kube,
  namespace,
}: Pick<NamespaceAccess, "kube" | "namespace">): Promise<readonly ScheduleObject[]> {
  const { items } = await kube.list(BackupSchedules, { namespace });
  return items.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

/** Schedules and backups of the namespace; undefined when the caller may not read them, and a note in `denied`. Definitions that are older than both have none. */
export async function backupsAround(
  access: Pick<NamespaceAccess, "kube" | "namespace">,
  denied: Denied,
): Promise<BackupsAround | undefined> {
  const [schedules, backups] = await Promise.all([
    denied.unless(ifDefined(allSchedules(access)), undefined),
    denied.unless(ifDefined(backupsOf(access)), undefined),
  ]);
  return schedules === undefined || backups === undefined ? undefined : { schedules, backups };
}

async function ifDefined<T>(listing: Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await listing;
  } catch (error) {
    if (isFault(error, kubeFaults.notFound)) return [];
    throw error;
  }
}

/** Those of a database, or all of the namespace, the newest one last. */
export async function backupsOf(
  { kube, namespace }: Pick<NamespaceAccess, "kube" | "namespace">,
  database?: string,
): Promise<readonly BackupObject[]> {
  const { items } = await kube.list(Backups, { namespace });
  return items
    .filter(({ spec }) => database === undefined || spec.databaseName === database)
    .toSorted((a, b) => madeAt(a) - madeAt(b));
}

/** The backup of that name; CLI_NO_BACKUP with the names that there are. */
export async function findBackup(
  access: Pick<NamespaceAccess, "kube" | "namespace">,
  name: string,
): Promise<BackupObject> {
  const { kube, namespace } = access;
  const found = await kube.get(Backups, { name, namespace });
  if (found !== undefined) return found;
  const names = (await backupsOf(access)).map(({ metadata }) => metadata.name).join(", ");
  throw new Fault(faults.noBackup, `namespace ${namespace} has no backup "${name}"; there are: ${names || "none"}`);
}

/** When it was made, in milliseconds since 1970. */
function madeAt({ metadata }: BackupObject): number {
  return Date.parse(String(metadata.creationTimestamp ?? ""));
}
