import { APP_LABEL, LABELS, clusterNames } from "../../../core/api/names.ts";
import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import { runWhileLeader } from "#kit/reconcile/leader";
import { Leases } from "#kit/kube/builtin";
import { startInformer } from "#kit/kube/informer";
import type { Kube } from "#kit/kube/kube";

/** Which node leads the cluster. */
export interface LeaderElection {
  /** This process leads now. */
  isLeader(): boolean;
  /** uid of the node that leads, as far as this one knows. */
  leader(): number | undefined;
  /** Ends the leader term of this node, if there is one, and lets another node lead. */
  stepDown(): void;
  readonly stopped: Promise<void>;
}

export interface LeaderElectionOptions {
  readonly kube: Kube;
  readonly cluster: string;
  readonly namespace: string;
  readonly podName: string;
  /** uid of this node. */
  readonly node: number;
  /** Whether this node may lead; asked again and again while it does not. */
  readonly isEligible: () => boolean;
  /** Does the work of the leader until its signal aborts. */
  readonly lead: (signal: AbortSignal) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

const LEASE_MS = 5_000;
const RENEW_MS = 1_000;
const RETRY_MS = 500;
const ELIGIBLE_POLL_MS = 200;
/** Pause before leading again after the work has failed, so that another node may lead first. */
const FAILED_MS = 1_000;

/** Takes part in the leader election of the cluster whenever eligible, until `signal` aborts. */
export function runLeaderElection(options: LeaderElectionOptions): LeaderElection {
  const leader = followLeader(options);
  const candidate = new Candidate(options);
  return {
    isLeader: () => candidate.isLeader,
    leader: () => (candidate.isLeader ? options.node : leader()),
    stepDown: () => candidate.withdraw("leadership is handed over"),
    stopped: candidate.run(),
  };
}

/** This node in the election: one candidacy after the other, each with at most one leader term. */
class Candidate {
  isLeader = false;
  readonly #options: LeaderElectionOptions;
  #candidacy = new AbortController();

  constructor(options: LeaderElectionOptions) {
    this.#options = options;
  }

  /** Ends the candidacy, and the leader term with it. */
  withdraw(reason: string): void {
    this.#candidacy.abort(new Error(reason));
  }

  async run(): Promise<void> {
    const { clock, signal, isEligible } = this.#options;
    while (!signal.aborted) {
      if (isEligible()) await this.#stand();
      else await clock.sleep(ELIGIBLE_POLL_MS, signal).catch(() => undefined); // aborted: the loop looks at the signal
    }
  }

  async #stand(): Promise<void> {
    const { clock, log, signal } = this.#options;
    const candidacy = new AbortController();
    this.#candidacy = candidacy;
    const until = AbortSignal.any([signal, candidacy.signal]);
    const elected = this.#runForLeader(until)
      .catch(async (error: unknown) => {
        log.error("the work of the leader failed and begins again", { error });
        await clock.sleep(FAILED_MS, signal).catch(() => undefined); // aborted: the loop looks at the signal
      })
      .finally(() => {
        candidacy.abort();
      });
    await Promise.all([elected, this.#withdrawWhenIneligible(until)]);
  }

  #runForLeader(until: AbortSignal): Promise<void> {
    const { cluster, namespace, podName } = this.#options;
    return runWhileLeader(
      {
        ...this.#options,
        lease: { name: clusterNames.leaderLease(cluster), namespace },
        labels: { [LABELS.app]: APP_LABEL, [LABELS.cluster]: cluster },
        identity: podName,
        leaseMs: LEASE_MS,
        renewMs: RENEW_MS,
        retryMs: RETRY_MS,
        signal: until,
      },
      (term) => this.#lead(term),
    );
  }

  async #lead(term: AbortSignal): Promise<void> {
    this.isLeader = true;
    const end = (): void => {
      this.isLeader = false;
    };
    term.addEventListener("abort", end, { once: true });
    try {
      await this.#options.lead(term);
    } finally {
      end();
    }
  }

  /** A candidate that is no longer eligible withdraws; a leader steps down when its node has been evacuated. */
  async #withdrawWhenIneligible(until: AbortSignal): Promise<void> {
    const { clock, isEligible } = this.#options;
    while (!until.aborted) {
      if (!this.isLeader && !isEligible()) this.withdraw("the node is in maintenance");
      else await clock.sleep(ELIGIBLE_POLL_MS, until).catch(() => undefined); // aborted: the loop looks at the signal
    }
  }
}

/** Also for a node that is no candidate. The cluster has no leader while the Lease has no holder. */
function followLeader({ cluster, namespace, ...options }: LeaderElectionOptions): () => number | undefined {
  const name = clusterNames.leaderLease(cluster);
  const informer = startInformer(options.kube, Leases, {
    namespace,
    fieldSelector: `metadata.name=${name}`,
    log: options.log,
    clock: options.clock,
    signal: options.signal,
  });
  return () => {
    const holder = informer.get({ name, namespace })?.spec?.holderIdentity ?? "";
    return holder === "" ? undefined : Number(holder.slice(holder.lastIndexOf("-") + 1)) + 1;
  };
}
