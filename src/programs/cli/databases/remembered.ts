import { versionOfDatabase } from "../../../core/api/older-status.ts";
import { readDatabasesOf } from "../../../mechanisms/observe/kubernetes/databases-of.ts";
import { textTable } from "../console/output.ts";
import type { UnaskedCluster } from "../access/management.ts";
import type { NamespaceAccess } from "../access/namespace-access.ts";

/** A database as its object last described it. */
export interface RememberedDatabase {
  readonly name: string;
  readonly uid: string;
  readonly version: string;
  /** What the operator last wrote. */
  readonly lastStatus: string;
  readonly status: "unknown";
}

/** The databases of a cluster that is not asked, as far as their objects may be read; only the one that is named. */
export async function rememberedDatabases(
  { kube, namespace, denied }: NamespaceAccess,
  { rec }: UnaskedCluster,
  name: string | undefined,
): Promise<readonly RememberedDatabase[]> {
  const databases = await denied.unless(readDatabasesOf(kube, { name: rec.metadata.name, namespace }), []);
  return databases
    .filter(({ metadata }) => name === undefined || metadata.name === name)
    .map(({ metadata, status = {} }) => ({
      name: metadata.name,
      uid: status.databaseUID ?? "",
      version: versionOfDatabase(status) ?? "",
      lastStatus: status.status ?? "",
      status: "unknown",
    }));
}

/** The page for people. */
export function rememberedTable(databases: readonly RememberedDatabase[], columns?: number): string {
  return textTable(
    ["DATABASE", "UID", "VERSION", "STATUS", "LAST REPORTED"],
    databases.map(({ name, uid, version, status, lastStatus }) => [
      name,
      uid || "-",
      version,
      status,
      lastStatus || "-",
    ]),
    columns,
  );
}
