import type { Ref } from "#kit/kube/kube";
import { homeOf } from "../../../core/api/database-home.ts";
import type { ClusterView } from "../../../core/planner/view/cluster-view.ts";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";

/**
 * The view in which a database that a restore is to fill asks for no consent: `spec.clusterRecovery` consents to the loss of data, and these data are not lost
 * while a backup may still bring them back.
 */
export function viewWithRestores(
  view: ClusterView,
  { restores, databases }: Pick<InformerCache, "restores" | "databases">,
): ClusterView {
  const { cluster } = view;
  if (!cluster.reachable || !cluster.databases.some(({ needsConsent }) => needsConsent)) return view;
  const awaited = restores.list().flatMap(({ metadata: { namespace = "default" }, spec, status }): readonly Ref[] => {
    const isOver = status?.phase === "Completed" || status?.phase === "Failed";
    return spec.replaceLostData === true && !isOver ? [{ name: spec.databaseName, namespace }] : [];
  });
  const uids = awaited.flatMap((ref) => {
    const found = databases.get(ref)?.status;
    return found !== undefined && homeOf(found) === view.name ? [Number(found.databaseUID)] : [];
  });
  const asked = cluster.databases.map((one) => (uids.includes(one.uid) ? { ...one, needsConsent: false } : one));
  return { ...view, cluster: { ...cluster, databases: asked } };
}
