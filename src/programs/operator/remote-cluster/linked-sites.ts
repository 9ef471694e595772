import { clusterNames } from "../../../core/api/names.ts";
import type { Holder } from "../../../core/planner/cluster/authority-holders.ts";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import type { Sites } from "../../../mechanisms/observe/sites/sites.ts";
import { authoritiesIn } from "#kit/pki/trust";
import type { LinkedSites } from "../cluster/authority.ts";
import { objectsIn } from "./objects.ts";
import { isOwn, readRemote, type Rerc } from "./participant.ts";

/**
 * The linked sites by the last answer of each, so that nothing waits for a site here; the reason where there was no answer. A site whose nodes
 * know no links is left out: it has nothing to trust.
 */
export function linkedSites(cache: InformerCache, sites: Pick<Sites, "latest">): LinkedSites {
  return ({ namespace, view }) => {
    const serverName = clusterNames.dnsName(view.name, namespace);
    return participantsWith(cache, namespace, view.name)
      .map((rerc) => holderOf(sites, rerc, serverName))
      .filter((holder) => holder !== undefined);
  };
}

function holderOf(sites: Pick<Sites, "latest">, rerc: Rerc, serverName: string): Holder | undefined {
  const name = `the remote cluster ${rerc.metadata.name}`;
  const remote = readRemote(rerc);
  if (typeof remote === "string") return { name, why: remote };
  const answer = sites.latest(remote);
  if (answer === undefined) return { name, why: "it has not been asked yet" };
  if ("evidence" in answer) return { name, why: answer.evidence };
  if (answer.remoteSites === undefined) return undefined;
  const here = answer.remoteSites.find((site) => site.serverName === serverName);
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
