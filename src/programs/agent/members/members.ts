import { LABELS, clusterNames } from "../../../core/api/names.ts";
import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import { GRANT_MS, NODE_LEASE_MS, mayAcknowledge } from "../../../core/planner/node/grant.ts";
import { deniesMajority } from "../../../core/planner/node/quorum.ts";
import { steadyMs } from "#kit/reconcile/uptime";
import { Leases } from "#kit/kube/builtin";
import { startInformer } from "#kit/kube/informer";
import type { Kube } from "#kit/kube/kube";
import { readNodeLease } from "./node-lease.ts";
import type { NodeReport } from "./node-report.ts";
import { Pledges } from "./pledges.ts";
import { observeLease, renewTimeOf } from "./observed-lease.ts";
import type { ObservedLease } from "./observed-lease.ts";

/** A node of the cluster as this process sees it. */
export interface Member {
  readonly uid: number;
  readonly report: NodeReport;
  /** Its lease is held: it has not ended in good order. */
  readonly held: boolean;
  /** Its lease is held, and was renewed within the duration of the lease, by the clock of this process. */
  readonly fresh: boolean;
  /** How many processes have acted for the node, by its Lease. */
  readonly transitions: number;
  /** Milliseconds since the last renewal was seen. */
  readonly silentForMs: number;
  /** It may acknowledge writes, by all that this process has seen and promised. */
  readonly mayAcknowledge: boolean;
}

/** The nodes of the cluster, from their Leases. */
export interface Members {
  readonly synced: Promise<void>;
  list(): readonly Member[];
  get(uid: number): Member | undefined;
  /** What this node has said about the others. */
  readonly pledges: Pledges;
  /**
   * Promises a process of the node to take nothing over from it; false when this node gives no promise, or another process acts for
   * it since. `transitions` as the one that asks has its Lease; undefined from nodes of releases before 0.5.0.
   */
  promise(uid: number, transitions: number | undefined): boolean;
  /**
   * Asks the voters of the node for their consent, then the API server: true when the node can acknowledge nothing and has not
   * come back since. Ask after the intent is in the record.
   */
  isFenced(uid: number, consents: (voter: number) => Promise<boolean>): Promise<boolean>;
  /** Every node that has a Lease now, by the API server. */
  listNow(): Promise<readonly number[]>;
  /** Calls back when the report of a node has changed; a renewal alone is no change. */
  onReport(listener: () => void): void;
}

export interface MembersOptions {
  readonly kube: Kube;
  readonly cluster: string;
  readonly namespace: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Follows the Leases of the nodes. */
export function followMembers(options: MembersOptions): Members {
  const { cluster, kube, namespace } = options;
  const leases = new Map<number, ObservedLease>();
  const pledges = new Pledges(steadyMs);
  const listeners: (() => void)[] = [];
  const synced = observeLeases(options, leases, () => {
    for (const listener of listeners) listener();
  });
  const member = (lease: ObservedLease): Member => memberOf(lease, pledges.promisedForMs(lease.uid));
  return {
    synced,
    list: () => [...leases.values()].map(member).toSorted((a, b) => a.uid - b.uid),
    get: (uid) => {
      const found = leases.get(uid);
      return found && member(found);
    },
    pledges,
    promise: (uid, transitions) => {
      const newest = leases.get(uid)?.transitions ?? 0;
      return (transitions === undefined || transitions >= newest) && pledges.promise(uid);
    },
    isFenced: async (uid, consents) => {
      const before = leases.get(uid);
      if (before === undefined || member(before).mayAcknowledge) return false;
      const began = steadyMs();
      if (before.held && !(await isDenied(before, consents))) return false;
      const stored = await readNodeLease(kube, { name: clusterNames.nodeLease(cluster, uid), namespace });
      if (steadyMs() - began >= GRANT_MS) return false; // the first consent may end before the last
      return stored === undefined || renewTimeOf(stored) === before.renewTime;
    },
    listNow: async () => {
      const { items } = await kube.list(Leases, { namespace, labelSelector: selectorOf(cluster) });
      return items.map(({ metadata }) => uidOf(metadata.name, cluster)).filter((uid) => uid !== undefined);
    },
    onReport: (listener) => {
      listeners.push(listener);
    },
  };
}

/** Keeps `leases` as the Leases of the nodes are, and calls back when a report has changed; resolves when it has them all. */
function observeLeases(
  options: MembersOptions,
  leases: Map<number, ObservedLease>,
  onReport: () => void,
): Promise<void> {
  const { clock, cluster, kube } = options;
  const labelSelector = selectorOf(cluster);
  const informer = startInformer(kube, Leases, { ...options, labelSelector });
  informer.onChange((ref, lease) => {
    const uid = uidOf(ref.name, cluster);
    if (uid === undefined) return;
    const before = leases.get(uid);
    const at = { wallMs: clock.now().getTime(), steadyMs: steadyMs() };
    const now = lease && observeLease(uid, lease, before, at);
    if (now === undefined) leases.delete(uid);
    else leases.set(uid, now);
    if (now?.annotation !== before?.annotation) onReport();
  });
  return informer.synced;
}

/** A node without voters needs the promise of every other one: that this node gives none is enough. */
async function isDenied(
  { uid, report: { voters } }: ObservedLease,
  consents: (voter: number) => Promise<boolean>,
): Promise<boolean> {
  if (voters === undefined) return true;
  const others = voters.filter((voter) => voter !== uid);
  const answers = await Promise.all(others.map(consents));
  return deniesMajority(
    voters,
    uid,
    others.filter((_, at) => answers[at] === true),
  );
}

function memberOf(lease: ObservedLease, promisedForMs: number): Member {
  const { uid, report, renewedAt, seenAt, held, transitions } = lease;
  const now = steadyMs();
  const silentForMs = now - renewedAt;
  return {
    uid,
    report,
    held,
    transitions,
    silentForMs,
    fresh: held && silentForMs < NODE_LEASE_MS,
    mayAcknowledge: mayAcknowledge({ gaveUp: !held, silentForMs: now - seenAt, promisedForMs }),
  };
}

function selectorOf(cluster: string): string {
  return `${LABELS.cluster}=${cluster},${LABELS.role}=node`;
}

function uidOf(name: string, cluster: string): number | undefined {
  const prefix = clusterNames.nodeLease(cluster, 0).slice(0, -1);
  const uid = name.startsWith(prefix) ? Number(name.slice(prefix.length)) : Number.NaN;
  return Number.isInteger(uid) ? uid : undefined;
}
