import { homeOf } from "../../../core/api/database-home.ts";
import { FINALIZERS } from "../../../core/api/kinds.ts";
import { keyOf, refOfKey } from "#kit/kube/ref";
import { ActiveActiveDatabases } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import { AT_REST, type Outcome } from "#kit/reconcile/outcome";
import { reportFailedPass } from "../objects/failed-condition.ts";
import { withFailuresReported } from "../objects/pass-failure.ts";
import { removeFinalizer } from "../objects/finalizer.ts";
import { linkedDatabase, ownRemote } from "./view.ts";
import type { ActiveActiveDeps } from "./deps.ts";
import { clusterNameOf, hindranceOf, mayBeRecorded } from "./own-cluster.ts";
import { reportHindrance } from "./report.ts";
import { pass } from "./pass.ts";

/**
 * One pass over a StoreEnterpriseActiveActiveDatabase on this participant: observe, decide, do one act at most, report. The
 * key may be of one that only other participants have.
 */
export function activeActiveReconciler(deps: ActiveActiveDeps): (key: string) => Promise<Outcome> {
  const reconcile = async (key: string): Promise<Outcome> => {
    const { name, namespace = "default" } = refOfKey(key);
    const place = { name, namespace };
    const reaadb = deps.cache.activeActives.get(place);
    const home = homeOf(linkedDatabase(deps, reaadb, place)?.status ?? {});
    const self = ownRemote(deps, reaadb, namespace, home);
    const cluster = home ?? self?.spec.recName ?? clusterNameOf(deps, reaadb, namespace);
    const context = deps.contexts.of(keyOf({ name: cluster, namespace }));
    if (reaadb === undefined) deps.findings.report("activeActive", place, []);
    const isKnown = deps.cache.clusters.get({ name: cluster, namespace }) !== undefined;
    if (isKnown && context === undefined) return AT_REST; // it is woken once its cluster has been looked at
    const isTerminating = reaadb?.metadata.deletionTimestamp !== undefined;
    if (isTerminating && context?.hasNodes !== true && !(await mayBeRecorded(deps, reaadb, cluster))) {
      await removeFinalizer(deps.kube, ActiveActiveDatabases, reaadb, FINALIZERS.activeActive);
      return AT_REST;
    }
    const hindrance = hindranceOf(context, cluster, place);
    if (hindrance !== undefined) return reportHindrance(deps, { reaadb, self, context }, hindrance);
    return pass(deps, { place, reaadb, self, cluster, context });
  };
  return withFailuresReported(
    reconcile,
    reportFailedPass(deps, ActiveActiveDatabases, deps.cache.activeActives),
    deps.log,
  );
}
