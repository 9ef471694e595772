import type { Lease } from "kubernetes-types/coordination/v1.js";
import { LABELS, clusterNames } from "../../../core/api/names.ts";
import type { Clock } from "../../../core/base/clock.ts";
import type { Log } from "../../../core/base/log.ts";
import { Leases } from "../../../ports/kube/builtin.ts";
import { startInformer } from "../../../ports/kube/informer.ts";
import type { Kube, Stored } from "../../../ports/kube/kube.ts";
import { NODE_LEASE_MS, mayAcknowledge } from "../../../core/planner/cluster/leader-term.ts";
import { steadyMs } from "../../../mechanisms/reconcile/instant.ts";
import { readLease } from "../node/lease.ts";
import { REPORT_ANNOTATION, parseNodeReport } from "../node/report.ts";
import type { NodeReport } from "../node/report.ts";

/** A node of the cluster as this process sees it. */
export interface Member {
  readonly uid: number;
  readonly report: NodeReport;
  /** Its lease is held, and was renewed within the lease's own duration, by this process's clock. */
  readonly fresh: boolean;
  /** Milliseconds since the last renewal was seen. */
  readonly silentForMs: number;
  /** It may acknowledge writes: for all that this process has seen itself, and has promised. */
  readonly mayAcknowledge: boolean;
}

export interface Members {
  readonly synced: Promise<void>;
  list(): readonly Member[];
  get(uid: number): Member | undefined;
  /** Promises to take nothing over from the node for the length of a lease from now on. */
  vouchFor(uid: number): void;
  /** Asks the API server itself: true when the node can acknowledge nothing and has not come back unseen. */
  isSilent(uid: number): Promise<boolean>;
  /** Calls back when a node reports something new; renewals alone say nothing. */
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

interface Seen {
  readonly uid: number;
  readonly annotation: string;
  readonly report: NodeReport;
  readonly renewTime: string;
  /** False once the node has given its lease up: it has ended in good order. */
  readonly held: boolean;
  /** By this process's steady clock, so that clocks of nodes need not agree. */
  readonly renewedAt: number;
  /** The same, but for a renewal that was there before this process: when it was seen first. */
  readonly seenAt: number;
}

/** Follows the Leases of the nodes. */
export function followMembers(options: MembersOptions): Members {
  const { clock, cluster } = options;
  const informer = startInformer(options.kube, Leases, {
    ...options,
    labelSelector: `${LABELS.cluster}=${cluster},${LABELS.role}=node`,
  });
  const seen = new Map<number, Seen>();
  const promisedAt = new Map<number, number>();
  const listeners: (() => void)[] = [];
  informer.onChange((ref, lease) => {
    const uid = uidOf(ref.name, cluster);
    if (uid === undefined) return;
    const before = seen.get(uid);
    const now = lease === undefined ? undefined : look(uid, lease, before, clock.now().getTime(), steadyMs());
    if (now === undefined) seen.delete(uid);
    else seen.set(uid, now);
    if (now?.annotation !== before?.annotation) for (const listener of listeners) listener();
  });

  const view = ({ uid, report, renewedAt, seenAt, held }: Seen): Member => {
    const now = steadyMs();
    const silentForMs = now - renewedAt;
    const promisedForMs = now - (promisedAt.get(uid) ?? Number.NEGATIVE_INFINITY);
    return {
      uid,
      report,
      silentForMs,
      fresh: held && silentForMs < NODE_LEASE_MS,
      mayAcknowledge: mayAcknowledge({ gaveUp: !held, silentForMs: now - seenAt, promisedForMs }),
    };
  };
  return {
    synced: informer.synced,
    list: () => [...seen.values()].map(view).toSorted((a, b) => a.uid - b.uid),
    get: (uid) => {
      const found = seen.get(uid);
      return found === undefined ? undefined : view(found);
    },
    vouchFor: (uid) => {
      promisedAt.set(uid, steadyMs());
    },
    isSilent: async (uid) => {
      const before = seen.get(uid);
      if (before === undefined || view(before).mayAcknowledge) return false;
      const ref = { name: clusterNames.nodeLease(cluster, uid), namespace: options.namespace };
      const stored = await readLease(options.kube, ref);
      return stored === undefined || String(stored.spec?.renewTime ?? "") === before.renewTime;
    },
    onReport: (listener) => {
      listeners.push(listener);
    },
  };
}

function look(
  uid: number,
  lease: Stored<Lease>,
  before: Seen | undefined,
  wallMs: number,
  now: number,
): Seen | undefined {
  const annotation = lease.metadata.annotations?.[REPORT_ANNOTATION] ?? "";
  const report = annotation === before?.annotation ? before.report : parseNodeReport(annotation);
  if (report === undefined) return undefined;
  const renewTime = String(lease.spec?.renewTime ?? "");
  const isKnown = before?.renewTime === renewTime;
  const renewedAt = isKnown ? before.renewedAt : before === undefined ? now - ageOf(lease, wallMs) : now;
  const held = (lease.spec?.holderIdentity ?? "") !== "";
  return { uid, annotation, report, renewTime, renewedAt, seenAt: isKnown ? before.seenAt : now, held };
}

/** A lease that ran out long ago must not look fresh to a process that has just started. */
function ageOf(lease: Stored<Lease>, wallMs: number): number {
  const renewed = Date.parse(String(lease.spec?.renewTime ?? ""));
  return Number.isNaN(renewed) ? NODE_LEASE_MS : Math.min(10 * 86_400_000, Math.max(0, wallMs - renewed));
}

function uidOf(name: string, cluster: string): number | undefined {
  const prefix = clusterNames.nodeLease(cluster, 0).slice(0, -1);
  const uid = name.startsWith(prefix) ? Number(name.slice(prefix.length)) : Number.NaN;
  return Number.isInteger(uid) ? uid : undefined;
}
