import { DATABASE_SETTINGS } from "../../../core/api/settings/database-settings.ts";
import { strictest } from "../../../core/planner/admission/upgrade-policy.ts";
import { neededSystems } from "../../../core/planner/view/base-systems.ts";
import { isAutoUpgrade } from "../../../core/planner/view/target.ts";
import { customModules } from "../../../core/planner/prerequisites/modules.ts";
import type { PathFacts } from "../../../core/planner/upgrade-path/state.ts";
import type { ClusterObservation } from "../../../mechanisms/observe/cluster.ts";
import type { Look } from "../access/look.ts";

/** What a plan starts from. */
export function pathFactsOf({ observation, databases, operator, nodeTag }: Look): PathFacts {
  const { view } = observation;
  const { cluster, spec } = view;
  const policy = clusterPolicy(observation);
  return {
    cluster: view.name,
    nodes: spec.nodes,
    operator,
    nodeTag,
    kubernetes: view.kubernetesMinor,
    isOpenShift: view.isOpenShift === true,
    databases: (cluster.reachable ? cluster.databases : []).map((database) => ({
      name: database.name,
      uid: database.uid,
      version: database.storeVersion,
      replication: database.replication,
      hasObject: databases.some(({ metadata }) => metadata.name === database.name),
      policies: { cluster: policy, database: database.upgradePolicy },
    })),
    modules: customModules(view).map(({ name, users }) => ({
      name,
      databases: users.map((database) => database.name),
    })),
    present: cluster.reachable ? cluster.modules : [],
    systemsOf: (release) => neededSystems(view, release),
    listedModules: (spec.userDefinedModules ?? []).map(({ name }) => name),
    autoUpgrade: isAutoUpgrade(spec),
  };
}

/** The operator brings what the spec says to the cluster; until it has, the stricter of both holds. */
function clusterPolicy({ view, records }: ClusterObservation): ReturnType<typeof strictest> {
  const kept = "unreachable" in records ? undefined : records.policy;
  return strictest({
    cluster: view.spec.storeUpgradePolicy,
    database: kept && DATABASE_SETTINGS.upgradePolicy.ofWire(kept),
  });
}
