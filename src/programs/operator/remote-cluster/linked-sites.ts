import { clusterNames } from "../../../core/api/names.ts";
import type { Holder } from "../../../core/planner/cluster/authority-holders.ts";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import type { Sites } from "../../../mechanisms/observe/sites/sites.ts";
import { authoritiesIn } from "../../../ports/pki/trust.ts";
import type { LinkedSites } from "../cluster/authority.ts";
import { objectsIn } from "./objects.ts";
import { isOwn, readRemote, type Rerc } from "./participant.ts";

/** Asks each of them what it trusts. One whose nodes know no links has nothing to trust. */
export function linkedSites(cache: InformerCache, sites: Pick<Sites, "remoteSites">): LinkedSites {
  return async ({ namespace, view }) => {
    const serverName = clusterNames.dnsName(view.name, namespace);
    const asked = await Promise.all(
      participantsWith(cache, namespace, view.name).map((rerc) => holderOf(sites, rerc, serverName)),
    );
    return asked.filter((holder) => holder !== undefined);
  };
}

async function holderOf(
  sites: Pick<Sites, "remoteSites">,
  rerc: Rerc,
  serverName: string,
): Promise<Holder | undefined> {
  const name = `the remote cluster ${rerc.metadata.name}`;
  const remote = readRemote(rerc);
  if (typeof remote === "string") return { name, why: remote };
  const known = await sites.remoteSites(remote);
  if (known === undefined) return undefined;
  if ("reason" in known) return { name, why: known.message };
  const here = known.find((site) => site.serverName === serverName);
  return { name, trusts: authoritiesIn(here?.authorities ?? ""), shows: [] };
}

/** The other participants of the databases in which the cluster takes part. */
function participantsWith(cache: InformerCache, namespace: string, cluster: string): readonly Rerc[] {
  const { activeActives, remoteClusters } = objectsIn(cache, namespace);
  const own = remoteClusters.filter((rerc) => isOwn(cache, rerc) && rerc.spec.recName === cluster);
  const names = activeActives
    .map(({ spec }) => spec.participatingClusters.map(({ name }) => name))
    .filter((participants) => own.some(({ metadata }) => participants.includes(metadata.name)))
    .flat();
  return remoteClusters.filter((rerc) => names.includes(rerc.metadata.name) && !isOwn(cache, rerc));
}
