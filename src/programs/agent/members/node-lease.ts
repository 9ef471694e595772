import type { Lease } from "kubernetes-types/coordination/v1.js";
import { APP_LABEL, LABELS, clusterNames } from "../../../core/api/names.ts";
import type { Clock } from "#kit/base/clock";
import { Fault, isFault } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import { Leases } from "#kit/kube/builtin";
import { faults as kubeFaults } from "#kit/kube/faults";
import type { Kube, Stored } from "#kit/kube/kube";
import { microTimestamp } from "#kit/kube/timestamp";
import { LATE_MS, LONG_AGO, NODE_LEASE_MS } from "../../../core/planner/node/grant.ts";
import { faults } from "../faults.ts";
import { REPORT_ANNOTATION } from "./node-report.ts";
import type { NodeReport } from "./node-report.ts";
import { VoterSets, type Voters } from "./voter-sets.ts";

export interface NodeLeaseOptions {
  readonly kube: Kube;
  readonly cluster: string;
  readonly namespace: string;
  readonly node: number;
  readonly podName: string;
  /**
   * Called at each renewal. `kept`: the voters that the stored Lease names, while this node cannot see which nodes are alive because its own
   * renewals are late; the report says the same ones again.
   */
  readonly report: (kept: KeptVoters | undefined) => NodeReport;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Voters of a confirmed renewal. */
export interface KeptVoters {
  readonly voters: Voters;
}

export interface NodeLease {
  /** When the newest renewal was sent that the API server has confirmed, in milliseconds of uptime. */
  renewedAt(): number;
  /** Calls back at once when a renewal is confirmed. */
  onRenewed(listener: () => void): void;
  /** The number of the process of the node that this one is, by the Lease as this process holds it; undefined before the first renewal. */
  transitions(): number | undefined;
  /**
   * The sets of voters that another node may go by: that of the last confirmed renewal, and of each later one whose outcome is not known.
   * Undefined stands for every other node.
   */
  voterSets(): readonly (readonly number[] | undefined)[];
  /** Resolves when the node is a member: the first renewal is stored. */
  readonly joined: Promise<void>;
  /** Renews now, instead of a little later; false when that fails. */
  renewNow(): Promise<boolean>;
  /** Releases the lease, so that no node waits for it to expire. Call after `signal` has aborted. */
  release(): Promise<void>;
}

const RENEW_MS = 1_000;
/** Pause after a renewal that failed, in milliseconds. */
const RETRY_MS = 500;
/** A quarter of the lease: a connection that hangs leaves time for another attempt while the grant lasts. */
const WITHIN = { deadlineMs: NODE_LEASE_MS / 4 };

/**
 * Renews the Lease of this node every second until `signal` aborts, by compare-and-swap: it never replaces the renewal of
 * another process of the same node. The first failure of a row is logged, and renewal goes on.
 */
export function renewNodeLease(options: NodeLeaseOptions): NodeLease {
  const { clock, log, signal } = options;
  const joined = Promise.withResolvers<void>();
  const own = new OwnLease(options);
  let renewedAt = LONG_AGO;
  const voterSets = new VoterSets();
  const listeners: (() => void)[] = [joined.resolve];
  let failing = false;
  let tail = Promise.resolve(false);

  const renew = async (): Promise<boolean> => {
    const sentAt = clock.uptimeMs();
    const report = options.report(keptVoters(voterSets, clock.uptimeMs() - renewedAt));
    voterSets.send(report.voters);
    try {
      await own.write(options.podName, report);
      renewedAt = sentAt;
      voterSets.confirm(report.voters);
      for (const listener of listeners) listener();
      if (failing) log.info("the node's lease is renewed again");
      failing = false;
      return true;
    } catch (error) {
      if (!failing) log.warn("the node's lease cannot be renewed", { error });
      failing = true;
      return false;
    }
  };
  const renewNow = (): Promise<boolean> => (tail = tail.then(renew));
  void repeat(renewNow, clock, signal);
  return {
    joined: joined.promise,
    renewNow,
    renewedAt: () => renewedAt,
    onRenewed: (listener) => void listeners.push(listener),
    transitions: () => own.transitions(),
    voterSets: () => voterSets.all(),
    release: () => tail.then(() => own.write("", options.report(keptVoters(voterSets, clock.uptimeMs() - renewedAt)))),
  };
}

function keptVoters(voterSets: VoterSets, sinceRenewalMs: number): KeptVoters | undefined {
  const isLate = sinceRenewalMs >= LATE_MS && sinceRenewalMs < Number.POSITIVE_INFINITY;
  return isLate ? { voters: voterSets.confirmed() } : undefined;
}

async function repeat(renew: () => Promise<boolean>, clock: Clock, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const isRenewed = await renew();
    await clock.sleep(isRenewed ? RENEW_MS : RETRY_MS, signal).catch(() => undefined); // aborted: the loop looks at the signal
  }
}

interface LeaseRef {
  readonly name: string;
  readonly namespace: string;
}

/** The Lease as the API server has it at this moment; read by a list, which nodes may do. Undefined when there is none. */
export async function readNodeLease(kube: Kube, { name, namespace }: LeaseRef): Promise<Stored<Lease> | undefined> {
  const { items } = await kube.list(Leases, { namespace, fieldSelector: `metadata.name=${name}`, ...WITHIN });
  return items[0];
}

/** The Lease as this process wrote it last. Each process that acts for the node counts `leaseTransitions` up once. */
class OwnLease {
  readonly #options: NodeLeaseOptions;
  #held: Stored<Lease> | undefined;

  constructor(options: NodeLeaseOptions) {
    this.#options = options;
  }

  /** AGENT_SUPERSEDED when another process acts for the node since. */
  async write(holder: string, report: NodeReport): Promise<void> {
    const { kube, cluster, namespace, node } = this.#options;
    const ref = { name: clusterNames.nodeLease(cluster, node), namespace };
    const current = this.#held ?? (await readNodeLease(kube, ref));
    try {
      this.#held =
        current === undefined ? await this.#create(ref, holder, report) : await this.#change(current, holder, report);
    } catch (error) {
      if (!isFault(error, kubeFaults.conflict) && !isFault(error, kubeFaults.notFound)) throw error;
      this.#check(await readNodeLease(kube, ref));
      if (this.#held === undefined) throw error;
      this.#held = await this.#change(this.#held, holder, report);
    }
  }

  transitions(): number | undefined {
    return this.#held?.spec?.leaseTransitions;
  }

  #create(ref: LeaseRef, holder: string, report: NodeReport): Promise<Stored<Lease>> {
    const { kube, cluster } = this.#options;
    const labels = { [LABELS.app]: APP_LABEL, [LABELS.cluster]: cluster, [LABELS.role]: "node" };
    const annotations = { [REPORT_ANNOTATION]: JSON.stringify(report) };
    return kube.create(Leases, { metadata: { ...ref, labels, annotations }, spec: this.#spec(holder, 1) }, WITHIN);
  }

  #change({ metadata, spec }: Stored<Lease>, holder: string, report: NodeReport): Promise<Stored<Lease>> {
    const { kube, namespace } = this.#options;
    const begun = spec?.leaseTransitions ?? 0;
    const { name, resourceVersion } = metadata;
    const annotations = { [REPORT_ANNOTATION]: JSON.stringify(report) };
    const body = {
      metadata: { resourceVersion, annotations },
      spec: this.#spec(holder, this.#held === undefined ? begun + 1 : begun),
    };
    return kube.patch(Leases, { name, namespace }, { type: "merge", body }, WITHIN);
  }

  #spec(holderIdentity: string, leaseTransitions: number): NonNullable<Lease["spec"]> {
    const renewTime = microTimestamp(this.#options.clock.now());
    return { holderIdentity, leaseDurationSeconds: NODE_LEASE_MS / 1000, renewTime, leaseTransitions };
  }

  /** Checks a Lease that another writer changed: a user who changed a label, or a successor, which fences this process. */
  #check(current: Stored<Lease> | undefined): void {
    const held = this.#held;
    if (held === undefined) return;
    if ((current?.spec?.leaseTransitions ?? 0) > (held.spec?.leaseTransitions ?? 0)) {
      const { node } = this.#options;
      throw new Fault(faults.superseded, `another process acts for node ${node} since this one did`, { node });
    }
    this.#held = current;
  }
}
