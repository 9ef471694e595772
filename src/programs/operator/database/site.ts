import { SITE_ANNOTATION } from "../../../core/api/names.ts";
import type { SiteOfDatabase } from "../../../core/api/records.ts";
import { parseSite } from "../../../core/planner/active-active/linked.ts";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import { controllerOf } from "#kit/kube/ref";
import type { Redb } from "./cluster.ts";

/**
 * Which site a database is. Only what an Active-Active database of that name made is one: an annotation that was written by hand on
 * another database counts for nothing, and one with other content is refused by the cluster.
 */
export function siteOfDatabase(
  { activeActives }: Pick<InformerCache, "activeActives">,
  redb: Redb,
): SiteOfDatabase | undefined {
  const owner = controllerOf(redb)?.uid;
  const reaadb = activeActives.get({ name: redb.metadata.name, namespace: redb.metadata.namespace ?? "default" });
  const text = redb.metadata.annotations?.[SITE_ANNOTATION];
  return owner !== undefined && owner === reaadb?.metadata.uid && text !== undefined ? parseSite(text) : undefined;
}
