import type { Log } from "../base/log.ts";
import { Leases } from "../kube/builtin.ts";
import { startInformer } from "../kube/informer.ts";
import { Election, type ElectionOptions } from "./election.ts";

export interface LeaderOptions extends ElectionOptions {
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Pause between signs of life; well below `leaseMs`. */
  readonly renewMs: number;
  /** Pause between attempts to get or to keep the Lease. */
  readonly retryMs: number;
  /** Receives the identity of each new holder, the own one included. */
  readonly onNewLeader?: (identity: string) => void;
}

/**
 * Competes for a Lease until the signal aborts, and runs `lead` while holding it. The signal that `lead` gets aborts
 * after two thirds of `leaseMs` without a renewal, so that no other replica can lead before `lead` has had the last third to
 * end. The Lease is kept while `lead` ends and released then. Ends early when `lead` does, and throws what it throws.
 */
export async function runWhileLeader(
  options: LeaderOptions,
  lead: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const { signal } = options;
  const log = options.log.with({
    lease: `${options.lease.namespace}/${options.lease.name}`,
    identity: options.identity,
  });
  const election = new Election(options);
  const over = new AbortController();
  const gate = watchHolder({ ...options, signal: AbortSignal.any([signal, over.signal]) }, log);
  try {
    while (!signal.aborted) {
      const acquiredAt = await acquire(options, election, gate, log);
      if (acquiredAt === undefined) return;
      log.info("leading");
      const term = await serve({ ...options, log }, election, acquiredAt, lead);
      log.info("no longer leading", { term });
      if (term === "ended") return;
    }
  } finally {
    over.abort();
  }
}

/** Opens when the Lease becomes free, which is sooner than the next attempt would be. */
interface Gate {
  opened(): Promise<void>;
}

function watchHolder({ kube, lease, clock, signal, onNewLeader }: LeaderOptions, log: Log): Gate {
  let opening = Promise.withResolvers<void>();
  const informer = startInformer(kube, Leases, {
    namespace: lease.namespace,
    fieldSelector: `metadata.name=${lease.name}`,
    log,
    clock,
    signal,
  });
  informer.onChange((ref, current, previous) => {
    if (ref.name !== lease.name) return;
    const holder = current?.spec?.holderIdentity ?? "";
    if (holder === "") {
      opening.resolve();
      opening = Promise.withResolvers();
    } else if (holder !== previous?.spec?.holderIdentity) {
      onNewLeader?.(holder);
    }
  });
  return { opened: () => opening.promise };
}

/** The instant from which the Lease is held, in milliseconds; undefined when the signal aborts before. */
async function acquire(options: LeaderOptions, election: Election, gate: Gate, log: Log): Promise<number | undefined> {
  const { clock, signal } = options;
  while (!signal.aborted) {
    const opened = gate.opened(); // asked before the attempt: what opens meanwhile must count
    const began = clock.uptimeMs();
    try {
      if (await election.tryAcquire()) return began;
    } catch (error) {
      log.warn("cannot ask for the lease, trying again", { error });
    }
    await pauseUnless(opened, options);
  }
  return undefined;
}

/** Waits for the next attempt, or until the Lease becomes free or the signal aborts. */
async function pauseUnless(opened: Promise<void>, { clock, retryMs, signal }: LeaderOptions): Promise<void> {
  if (signal.aborted) return;
  const patience = new AbortController();
  const end = (): void => {
    patience.abort();
  };
  signal.addEventListener("abort", end, { once: true });
  const paused = clock.sleep(retryMs, patience.signal).catch(() => undefined); // stopped or no longer needed
  await Promise.race([opened, paused]);
  signal.removeEventListener("abort", end);
  end();
}

/** Runs one term; "lost" when the Lease could not be kept, "ended" when the term ended otherwise. */
async function serve(
  options: LeaderOptions,
  election: Election,
  acquiredAt: number,
  lead: (signal: AbortSignal) => Promise<void>,
): Promise<"lost" | "ended"> {
  const lost = new AbortController();
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, lost.signal]);
  const keeping = keep(options, election, acquiredAt, lost, over.signal);
  try {
    await lead(signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    options.log.debug("leading was stopped", { error }); // how `lead` says that it followed its signal
  } finally {
    over.abort();
    await keeping;
    if (!lost.signal.aborted) await release(options, election);
  }
  return lost.signal.aborted ? "lost" : "ended";
}

/** Renews until `over`; aborts `lost` when the Lease has another holder or was not renewed for too long. */
async function keep(
  { clock, leaseMs, renewMs, retryMs, log }: LeaderOptions,
  election: Election,
  acquiredAt: number,
  lost: AbortController,
  over: AbortSignal,
): Promise<void> {
  let renewedAt = acquiredAt;
  const guardMs = (leaseMs * 2) / 3;
  const ended = AbortSignal.any([over, lost.signal]);
  const pause = (ms: number): Promise<void> => clock.sleep(ms, ended).catch(() => undefined); // the loops look at it
  const isOn = (): boolean => !ended.aborted;
  const guard = async (): Promise<void> => {
    while (isOn()) {
      const leftMs = renewedAt + guardMs - clock.uptimeMs();
      if (leftMs > 0) await pause(leftMs);
      else lost.abort(new Error(`the lease was not renewed for ${guardMs} ms`));
    }
  };
  const renewing = async (): Promise<void> => {
    for (let pauseMs = renewMs; isOn();) {
      await pause(pauseMs);
      if (!isOn()) return;
      const began = clock.uptimeMs();
      try {
        if (await election.renew()) renewedAt = began;
        else lost.abort(new Error("another holder has the lease"));
        pauseMs = renewMs;
      } catch (error) {
        pauseMs = retryMs;
        log.warn("cannot renew the lease, trying again", { error });
      }
    }
  };
  const renewals = renewing();
  await guard();
  if (!lost.signal.aborted) await renewals; // lost: a request that hangs must not hold up the next term
}

async function release({ log }: LeaderOptions, election: Election): Promise<void> {
  try {
    await election.release();
  } catch (error) {
    log.warn("cannot release the lease, the next leader waits until it expires", { error });
  }
}
