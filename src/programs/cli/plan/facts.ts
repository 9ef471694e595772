import { isAutoUpgrade } from "../../../core/planner/view/target.ts";
import { customModules } from "../../../core/planner/prerequisites/modules.ts";
import type { PathFacts } from "../../../core/planner/upgrade-path/state.ts";
import type { Look } from "../site/look.ts";

/** What a plan starts from. */
export function pathFactsOf({ observation: { view }, databases, operator, nodeTag }: Look): PathFacts {
  const { cluster, spec } = view;
  return {
    cluster: view.name,
    nodes: spec.nodes,
    operator,
    nodeTag,
    kubernetes: view.kubernetesMinor,
    databases: (cluster.reachable ? cluster.databases : []).map(({ name, uid, storeVersion, replication }) => ({
      name,
      uid,
      version: storeVersion,
      replication,
      hasObject: databases.some(({ metadata }) => metadata.name === name),
    })),
    modules: customModules(view).map(({ name, users, platforms }) => ({
      name,
      databases: users.map((database) => database.name),
      systems: platforms.map((platform) => platform.split("/")[0] ?? ""),
    })),
    listedModules: (spec.userDefinedModules ?? []).map(({ name }) => name),
    autoUpgrade: isAutoUpgrade(spec),
  };
}
