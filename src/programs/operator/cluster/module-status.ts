import type { ClusterStatus } from "../../../core/api/cluster-status.ts";
import { buildFor } from "../../../core/planner/modules/builds.ts";
import type { ModuleRecord, NodeRecord } from "../../../ports/management/records.ts";

interface Facts {
  readonly modules: readonly Omit<ModuleRecord, "uid" | "is_bundled">[];
  readonly nodes: readonly Pick<NodeRecord, "base_system">[];
}

/** The modules of a cluster as its status lists them, with the versions of databases that can use each. */
export function moduleStatus({ modules, nodes }: Facts): NonNullable<ClusterStatus["modules"]> {
  return modules.map((module) => ({
    name: module.module_name,
    displayName: module.display_name,
    versions: [module.semantic_version],
    ...versionsOf(module, { modules, nodes }),
  }));
}

/** A build counts where each node has one to load; a node of release 0.1.0 does not say for which base system. */
function versionsOf(module: Facts["modules"][number], facts: Facts): { readonly databaseVersions?: string[] } {
  const { database_versions, compatible_redis_version: storeVersion, module_name: name } = module;
  if (database_versions !== undefined) return { databaseVersions: [...database_versions] };
  if (storeVersion === undefined) return {};
  const builds = facts.modules.map(({ module_name, compatible_redis_version: compatible, platforms }) => ({
    name: module_name,
    compatible,
    platforms: Object.keys(platforms),
  }));
  const isEverywhere = facts.nodes.every(
    ({ base_system: system }) =>
      system === undefined || buildFor(builds, { name, storeVersion, platforms: [system] }) !== undefined,
  );
  return { databaseVersions: isEverywhere ? [storeVersion] : [] };
}
