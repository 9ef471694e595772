import { APP_LABEL, LABELS, clusterNames } from "../../../core/api/names.ts";
import type { Clock } from "../../../core/base/clock.ts";
import type { Log } from "../../../core/base/log.ts";
import type { Kube } from "../../../ports/kube/kube.ts";
import { Leases } from "../../../ports/kube/builtin.ts";
import { startInformer } from "../../../ports/kube/informer.ts";
import { runWhileLeader } from "../../../mechanisms/reconcile/leader.ts";

/** Who leads the cluster, and whether this node may. */
export interface Leadership {
  /** This process leads now. */
  isLeader(): boolean;
  /** uid of the node that leads, as far as this one knows. */
  leader(): number | undefined;
  /** Ends this term, if there is one, and lets another node lead. */
  stepDown(): void;
  readonly stopped: Promise<void>;
}

export interface LeadershipOptions {
  readonly kube: Kube;
  readonly cluster: string;
  readonly namespace: string;
  readonly podName: string;
  /** uid of this node. */
  readonly node: number;
  /** Whether this node may stand; asked again and again while it does not lead. */
  readonly isEligible: () => boolean;
  /** Does the leader's work until its signal aborts. */
  readonly lead: (signal: AbortSignal) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

const LEASE_MS = 5_000;
const RENEW_MS = 1_000;
const RETRY_MS = 500;
const ELIGIBLE_LOOK_MS = 200;
/** Pause before leading again after the work has failed, so that another node may be quicker. */
const FAILED_MS = 1_000;

/** Stands for leader whenever eligible, until `signal` aborts. */
export function standForLeader(options: LeadershipOptions): Leadership {
  const { clock, signal, cluster, namespace } = options;
  let leading = false;
  const leader = followLeader(options);
  let term = new AbortController();

  const lead = async (until: AbortSignal): Promise<void> => {
    leading = true;
    const end = (): void => {
      leading = false;
    };
    until.addEventListener("abort", end, { once: true });
    try {
      await options.lead(until);
    } finally {
      end();
    }
  };
  const stand = async (): Promise<void> => {
    while (!signal.aborted) {
      if (!options.isEligible()) {
        await clock.sleep(ELIGIBLE_LOOK_MS, signal).catch(() => undefined); // aborted: the loop looks at the signal
        continue;
      }
      term = new AbortController();
      const until = AbortSignal.any([signal, term.signal]);
      const candidacy = runWhileLeader(
        {
          ...options,
          lease: { name: clusterNames.leaderLease(cluster), namespace },
          labels: { [LABELS.app]: APP_LABEL, [LABELS.cluster]: cluster },
          identity: options.podName,
          leaseMs: LEASE_MS,
          renewMs: RENEW_MS,
          retryMs: RETRY_MS,
          signal: until,
        },
        lead,
      );
      const over = term;
      await Promise.all([
        candidacy
          .catch(async (error: unknown) => {
            options.log.error("the leader's work ended by itself and is begun anew", { error });
            await clock.sleep(FAILED_MS, signal).catch(() => undefined); // aborted: the loop looks at the signal
          })
          .finally(() => {
            over.abort();
          }),
        withdrawWhenIneligible(options, term, until),
      ]);
    }
  };
  return {
    isLeader: () => leading,
    leader: () => (leading ? options.node : leader()),
    stepDown: () => {
      term.abort(new Error("leadership is handed over"));
    },
    stopped: stand(),
  };

  /** A candidate that may no longer stand withdraws; one that leads is told by the one who evacuates it. */
  async function withdrawWhenIneligible(
    { isEligible }: LeadershipOptions,
    controller: AbortController,
    until: AbortSignal,
  ): Promise<void> {
    while (!until.aborted) {
      if (!leading && !isEligible()) controller.abort(new Error("the node is in maintenance"));
      else await clock.sleep(ELIGIBLE_LOOK_MS, until).catch(() => undefined); // aborted: the loop looks at the signal
    }
  }
}

/** Known also to a node that does not stand itself. Nobody leads while the Lease has no holder. */
function followLeader({ cluster, namespace, ...options }: LeadershipOptions): () => number | undefined {
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
