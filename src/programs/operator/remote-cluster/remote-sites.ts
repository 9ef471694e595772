import { clusterNames } from "../../../core/api/names.ts";
import type { RemoteSite } from "../../../core/api/records.ts";
import { objectsIn } from "./objects.ts";
import { isOwn, readRemote, type RemoteReadDeps, type Rerc } from "./participant.ts";

/**
 * What links have to know of the remote clusters of a namespace, in the order of their names. One whose Secret was not read since this
 * operator began has the authorities that the cluster knows (`before`); without any it is left out.
 */
export function remoteSitesOf(
  deps: Pick<RemoteReadDeps, "cache" | "sites">,
  namespace: string,
  before: readonly RemoteSite[],
): readonly RemoteSite[] {
  return objectsIn(deps.cache, namespace)
    .remoteClusters.flatMap((rerc) => siteOf(deps, rerc, before))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function siteOf(
  { cache, sites }: Pick<RemoteReadDeps, "cache" | "sites">,
  rerc: Rerc,
  before: readonly RemoteSite[],
): readonly RemoteSite[] {
  const remote = readRemote(rerc);
  if (typeof remote === "string") return [];
  const { name, spec } = remote;
  const local = isOwn(cache, rerc);
  const authorities = local ? "" : (sites.authorities(remote) ?? before.find((one) => one.name === name)?.authorities);
  if (authorities === undefined) return [];
  return [
    {
      name,
      ...(local ? { local } : {}),
      host: spec.apiFqdnUrl,
      ...(spec.dbFqdnSuffix === undefined ? {} : { databaseSuffix: spec.dbFqdnSuffix }),
      serverName: clusterNames.dnsName(spec.recName, spec.recNamespace),
      authorities,
    },
  ];
}
