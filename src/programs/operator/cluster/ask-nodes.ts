import type { Login } from "../../../core/api/cluster-access.ts";
import { clusterNames, LABELS, PORTS } from "../../../core/api/names.ts";
import { messageOf } from "#kit/base/fault";
import { nodesOf } from "../../../core/planner/view/cluster-view.ts";
import type { ReplyOf } from "../../../ports/management/routes.ts";
import { managementClient } from "../../../ports/management/client.ts";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import type { Owner } from "../objects/meta.ts";

/** What a node said, or why it said nothing. */
export interface NodeAnswer {
  /** Name of its pod. */
  readonly pod: string;
  readonly said: ReplyOf<"localTrust"> | string;
}

/** Asks every node of a cluster, with a login and an authority that it is to accept. */
export type AskNodes = (owner: Owner, login: Login, ca: string) => Promise<readonly NodeAnswer[]>;

const TIMEOUT_MS = 2_000;

/** Asks each question on a connection of its own, so that the answer shows what a node accepts now. */
export function askNodes({ nodePods }: Pick<InformerCache, "nodePods">): AskNodes {
  return ({ namespace, view }, login, ca) => {
    const pods = nodePods
      .list()
      .filter(({ metadata }) => metadata.namespace === namespace && metadata.labels?.[LABELS.cluster] === view.name);
    const serverName = clusterNames.dnsName(view.name, namespace);
    const uids = Array.from({ length: nodesOf(view) }, (_, index) => index + 1);
    return Promise.all(
      uids.map(async (uid) => {
        const pod = clusterNames.nodePod(view.name, uid);
        const address = pods.find(({ metadata }) => metadata.name === pod)?.status?.podIP;
        if (address === undefined) return { pod, said: "it has no address" };
        const client = managementClient({
          addresses: () => [address],
          port: PORTS.management,
          serverName,
          ca,
          ...login,
          timeoutMs: TIMEOUT_MS,
        });
        const said = await client.call("localTrust").catch(messageOf);
        await client.destroy();
        return { pod, said };
      }),
    );
  };
}

/** Why the nodes of a cluster cannot change over: a node knows of one password and one authority alone, or none answers. Undefined when they can. */
export function whyNotAble({
  view: { cluster, release },
}: Pick<Owner, "view">): { readonly kind: "unable" | "silent"; readonly why: string } | undefined {
  if (!cluster.reachable) return { kind: cluster.cause === "credentials" ? "unable" : "silent", why: cluster.reason };
  const unable = cluster.nodes.filter(({ capabilities }) => !capabilities.includes("cluster-access"));
  // nodes of releases before 0.4.0 answer without the capabilities of the others
  const older = unable.filter(({ tag }) => tag !== release.nodeTag);
  const which = (older.length > 0 ? older : unable).map(({ uid, tag }) => `node ${uid} (${tag})`).join(", ");
  return which === "" ? undefined : { kind: "unable", why: `${which} knows of no second one` };
}
