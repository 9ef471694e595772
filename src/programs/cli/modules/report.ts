import type { BdbRecord, ModuleRecord } from "../../../ports/management/records.ts";
import { textTable } from "../console/output.ts";

/** What `storectl modules list` answers: one row for each installed module. */
export interface ModuleRow {
  readonly uid: string;
  readonly name: string;
  readonly displayName: string;
  readonly version: string;
  /** Database version that the build is for; null for those that come with the engines. */
  readonly compatible: string | null;
  readonly platforms: readonly string[];
  readonly bundled: boolean;
  /** Names of the databases that use the module. */
  readonly usedBy: readonly string[];
}

export function modulesReport(modules: readonly ModuleRecord[], bdbs: readonly BdbRecord[]): readonly ModuleRow[] {
  return modules.map((module) => ({
    uid: module.uid,
    name: module.module_name,
    displayName: module.display_name,
    version: module.semantic_version,
    compatible: module.compatible_redis_version ?? null,
    platforms: Object.keys(module.platforms),
    bundled: module.is_bundled,
    usedBy: bdbs
      .filter(({ module_list }) => module_list.some(({ module_name }) => module_name === module.module_name))
      .map(({ name }) => name),
  }));
}

const HEADING = ["MODULE", "VERSION", "FOR", "PLATFORMS", "USED BY", "UID"];

/** The rows for people. */
export function modulesTable(rows: readonly ModuleRow[], columns?: number): string {
  if (rows.length === 0) return "no modules\n";
  return textTable(
    HEADING,
    rows.map(({ name, version, compatible, platforms, bundled, usedBy, uid }) => [
      name,
      version,
      compatible ?? (bundled ? "its engine" : "-"),
      platforms.join(", ") || "every",
      usedBy.join(", ") || "-",
      uid,
    ]),
    columns,
  );
}
