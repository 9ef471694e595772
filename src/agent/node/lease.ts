import { APP_LABEL, LABELS, clusterNames } from "../../api/names.ts";
import type { Clock } from "../../base/clock.ts";
import { isFault } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import { Leases } from "../../kube/builtin.ts";
import { faults as kubeFaults } from "../../kube/faults.ts";
import type { Kube } from "../../kube/kube.ts";
import { microTimestamp } from "../../kube/timestamp.ts";
import { NODE_LEASE_MS } from "../records/members.ts";
import { REPORT_ANNOTATION } from "./report.ts";
import type { NodeReport } from "./report.ts";

export interface NodeLeaseOptions {
  readonly kube: Kube;
  readonly cluster: string;
  readonly namespace: string;
  readonly node: number;
  readonly podName: string;
  /** Asked at each renewal. */
  readonly report: () => NodeReport;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

export interface NodeLease {
  /** Milliseconds since the last renewal that the API server confirmed, counted from when it was sent. */
  sinceRenewalMs(): number;
  /** Resolves when the node is a member: the first renewal is stored. */
  readonly joined: Promise<void>;
  /** Says now what has changed, instead of with the next renewal. */
  renewNow(): Promise<void>;
  /** Says that the node is gone, so that nobody waits for its lease to run out. Call after `signal` has aborted. */
  giveUp(): Promise<void>;
}

const RENEW_MS = 1_000;

/** Renews the Lease of this node every second until `signal` aborts; failures are logged once, and renewal goes on. */
export function keepNodeLease(options: NodeLeaseOptions): NodeLease {
  const { clock, log, signal } = options;
  const joined = Promise.withResolvers<void>();
  let renewedAt = Number.NEGATIVE_INFINITY;
  let failing = false;
  let tail: Promise<void> = Promise.resolve();

  const renew = async (): Promise<void> => {
    const sentAt = clock.now();
    try {
      await write(options, sentAt);
      renewedAt = sentAt.getTime();
      joined.resolve();
      if (failing) log.info("the node's lease is renewed again");
      failing = false;
    } catch (error) {
      if (!failing) log.warn("the node's lease cannot be renewed", { error });
      failing = true;
    }
  };
  const renewNow = (): Promise<void> => (tail = tail.then(renew));
  void repeat(renewNow, clock, signal);
  return {
    joined: joined.promise,
    renewNow,
    sinceRenewalMs: () => clock.now().getTime() - renewedAt,
    giveUp: async () => {
      await tail;
      await write({ ...options, podName: "" }, clock.now());
    },
  };
}

async function repeat(act: () => Promise<void>, clock: Clock, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await act();
    await clock.sleep(RENEW_MS, signal).catch(() => undefined); // aborted: the loop looks at the signal
  }
}

async function write({ kube, cluster, namespace, node, podName, report }: NodeLeaseOptions, now: Date): Promise<void> {
  const name = clusterNames.nodeLease(cluster, node);
  const annotations = { [REPORT_ANNOTATION]: JSON.stringify(report()) };
  const spec = { holderIdentity: podName, leaseDurationSeconds: NODE_LEASE_MS / 1000, renewTime: microTimestamp(now) };
  try {
    await kube.patch(Leases, { name, namespace }, { type: "merge", body: { metadata: { annotations }, spec } });
  } catch (error) {
    if (!isFault(error, kubeFaults.notFound)) throw error;
    const labels = { [LABELS.app]: APP_LABEL, [LABELS.cluster]: cluster, [LABELS.role]: "node" };
    await kube.create(Leases, { metadata: { name, namespace, labels, annotations }, spec });
  }
}
