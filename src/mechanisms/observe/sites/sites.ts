import { usableRecords } from "../../../core/planner/active-active/record.ts";
import type { ActiveActiveRecord, RemoteSite } from "../../../core/api/records.ts";
import type { Clock } from "#kit/base/clock";
import { isFault } from "#kit/base/fault";
import type { Kube } from "#kit/kube/kube";
import type { ManagementClient } from "../../../ports/management/client.ts";
import { faults } from "../../../ports/management/faults.ts";
import type { BdbRecord, ClusterRecord, NodeRecord } from "../../../ports/management/records.ts";
import { reachPeer, type PeerCluster } from "./peer-cluster.ts";
import type { SiteUnreachable } from "../../../core/planner/active-active/participants.ts";
import { unreachableSite, type RemoteCluster } from "./site-unreachable.ts";

/** The records of a participant's cluster. */
export interface SiteRecords {
  readonly cluster: ClusterRecord;
  readonly nodes: readonly NodeRecord[];
  readonly bdbs: readonly BdbRecord[];
  /** Empty from nodes of releases that know none. */
  readonly crdbs: readonly ActiveActiveRecord[];
  /** How its links reach other clusters, and whom they trust; undefined from nodes of releases that know no links. */
  readonly remoteSites: readonly RemoteSite[] | undefined;
}

/** Whether every node knows links between sites; those of releases before 0.4.0 refuse what only links need. */
export function knowsLinks({ nodes }: Pick<SiteRecords, "nodes">): boolean {
  return nodes.length > 0 && nodes.every(({ capabilities = [] }) => capabilities.includes("site-links"));
}

/** Whether every node serves a site of several shards; those of releases before 0.6.0 do not. */
export function knowsSlices(answer: SiteState["answer"]): boolean {
  if ("evidence" in answer || answer.nodes.length === 0) return false;
  return answer.nodes.every(({ capabilities = [] }) => capabilities.includes("several-shards"));
}

/** The last answer of a site, and the version of the secret that it was polled with. */
export interface SiteState {
  readonly answer: SiteRecords | SiteUnreachable;
  readonly secretVersion?: string;
}

/** The polled state of the clusters of other participants; callers share a poll. */
export interface Sites {
  /** At most `maxAgeMs` old; a site that does not answer is a fact, not a failure. */
  polled(remote: RemoteCluster, maxAgeMs: number): Promise<SiteState>;
  /** The same of the local cluster, through its own client. */
  own(remote: RemoteCluster, client: ManagementClient, maxAgeMs: number): Promise<SiteRecords | SiteUnreachable>;
  /** Something was written to the local cluster: earlier answers do not count any more. */
  wrote(client: ManagementClient): void;
  /** The last answer, however old; undefined before there is one. */
  latest(remote: Pick<RemoteCluster, "name" | "namespace">): SiteState["answer"] | undefined;
  /** `ca.crt` of the remote cluster, as its secret had it when it was last read; undefined before that. */
  authorities(remote: Pick<RemoteCluster, "name" | "namespace">): string | undefined;
  /** Closes the connections to the remote cluster of this name. */
  forget(remote: Pick<RemoteCluster, "name" | "namespace">): Promise<void>;
  close(): Promise<void>;
}

interface Site {
  readonly place: string;
  readonly at: number;
  readonly polled: Promise<SiteState>;
}

/** Polls with the credentials of each remote cluster's secret. */
export function openSites(kube: Kube, clock: Clock): Sites {
  const links = siteLinks(kube, clock);
  const lately = new Map<string, Site>();
  const own = new WeakMap<ManagementClient, OwnSite>();
  return {
    polled(remote, maxAgeMs) {
      const key = keyOf(remote);
      const place = JSON.stringify(remote.spec);
      const at = clock.uptimeMs();
      const known = lately.get(key);
      if (known !== undefined && known.place === place && at - known.at <= maxAgeMs) return known.polled;
      const poll = (): Promise<SiteState> => links.poll(remote);
      const polled = (known?.polled ?? Promise.resolve()).then(poll, poll);
      lately.set(key, { place, at, polled });
      polled.catch(() => lately.delete(key)); // the caller gets the error
      return polled;
    },
    own(remote, client, maxAgeMs) {
      const at = clock.uptimeMs();
      const known = own.get(client);
      if (known !== undefined && at - known.at <= maxAgeMs) return known.answer;
      const answer = readSite(client, remote);
      own.set(client, { at, answer });
      return answer;
    },
    wrote(client) {
      own.delete(client);
    },
    latest: (remote) => links.latest(remote),
    authorities: (remote) => links.authorities(remote),
    async forget(remote) {
      lately.delete(keyOf(remote));
      await links.forget(remote);
    },
    close: () => links.close(),
  };
}

interface OwnSite {
  readonly at: number;
  readonly answer: Promise<SiteRecords | SiteUnreachable>;
}

interface SiteLinks {
  poll(remote: RemoteCluster): Promise<SiteState>;
  latest: Sites["latest"];
  authorities: Sites["authorities"];
  forget(remote: Pick<RemoteCluster, "name" | "namespace">): Promise<void>;
  close(): Promise<void>;
}

function siteLinks(kube: Kube, clock: Clock): SiteLinks {
  const links = new Map<string, PeerCluster>();
  const answers = new Map<string, SiteState["answer"]>();
  const ask = async (remote: RemoteCluster, key: string): Promise<SiteState> => {
    const known = links.get(key);
    const peer = await reachPeer({ kube, clock }, remote, known);
    if ("evidence" in peer) return { answer: peer };
    links.set(key, peer);
    if (known !== undefined && known.client !== peer.client) await known.client.close();
    const answer = await readSite(peer.client, remote);
    if (links.get(key) === peer) links.set(key, { ...peer, isUnreachable: "evidence" in answer });
    return { answer, secretVersion: peer.secretVersion };
  };
  return {
    async poll(remote) {
      const key = keyOf(remote);
      const state = await ask(remote, key);
      answers.set(key, state.answer);
      return state;
    },
    latest: (remote) => answers.get(keyOf(remote)),
    authorities: (remote) => links.get(keyOf(remote))?.authorities,
    async forget(remote) {
      const key = keyOf(remote);
      const peer = links.get(key);
      links.delete(key);
      answers.delete(key);
      await peer?.client.close();
    },
    async close() {
      await Promise.all([...links.values()].map(({ client }) => client.destroy()));
    },
  };
}

/** Asks a cluster what another participant has to know; a reason instead when it does not answer, never an exception. */
async function readSite(client: ManagementClient, remote: RemoteCluster): Promise<SiteRecords | SiteUnreachable> {
  try {
    const [cluster, nodes, bdbs, crdbs, remoteSites] = await Promise.all([
      client.call("cluster"),
      client.call("nodes"),
      client.call("bdbs"),
      client.call("crdbs").catch(unlessUnknown),
      client.call("remoteSites").catch(unlessUnknown),
    ]);
    return { cluster, nodes, bdbs, crdbs: usableRecords(crdbs ?? []), remoteSites };
  } catch (error) {
    // whatever the error, the decision is made without an answer of the site
    return unreachableSite(error, remote);
  }
}

/** Nodes of older releases do not know the path. */
function unlessUnknown(error: unknown): undefined {
  if (!isFault(error, faults.notFound)) throw error;
}

function keyOf({ name, namespace }: Pick<RemoteCluster, "name" | "namespace">): string {
  return `${namespace}/${name}`;
}
