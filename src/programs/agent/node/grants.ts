import type { Clock } from "#kit/base/clock";
import { Fault } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import { LATE_MS, LONG_AGO, evaluateGrant, type NodeGrant } from "../../../core/planner/node/grant.ts";
import type { EngineAddress } from "../../../ports/resp/engine-client.ts";
import { PausedEngines } from "./paused-engines.ts";
import type { NodeLease } from "../members/node-lease.ts";
import type { Promises } from "../members/promises.ts";

export interface GrantOptions {
  readonly lease: Pick<NodeLease, "renewedAt" | "renewNow" | "onRenewed">;
  /** Promises of its voters to take nothing over from this node for the length of a lease. */
  readonly promises: Pick<Promises, "ask" | "heldSince" | "unbrokenSince" | "keepTags">;
  /** Reads the records anew from the API server, and resolves when the proxy works by them. */
  readonly catchUp: () => Promise<void>;
  /** Lets the proxy acknowledge until then, in milliseconds of uptime. */
  readonly grant: (untilMs: number) => void;
  /** Engines of this node that serve as primary. */
  readonly primaries: () => Promise<readonly EngineAddress[]>;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

const CHECK_MS = 500;

/**
 * Renews the grant of the proxy (docs/decisions/0012) while no node can take over from this one unseen. The grant expires
 * when this node is cut off, and is given again only after the records have been read anew, or when a majority proves that none
 * consented to a take-over meanwhile. Until then writes that reach the engines on other ways are paused.
 */
export async function renewGrants(options: GrantOptions): Promise<void> {
  const { lease, promises, clock, log, signal } = options;
  let grantedUntil = LONG_AGO;
  let fenced = false;
  let catchingUp: Promise<void> | undefined;
  const [allowance, paused] = [new Allowance(options), new PausedEngines(options.primaries, log)];
  lease.onRenewed(() => {
    allowance.extend();
    if (clock.uptimeMs() < grantedUntil) promises.keepTags();
  });
  while (!signal.aborted) {
    const term = termOf(options, grantedUntil);
    switch (term.kind) {
      case "granted":
        grantedUntil = term.until;
        promises.keepTags();
        break;
      case "catch-up":
        // not awaited: while the API takes its time, promises may come first
        catchingUp ??= catchUpOnce(options, allowance).then((until) => {
          grantedUntil = Math.max(grantedUntil, until);
          catchingUp = undefined;
        });
        break;
      case "cut-off":
        if (!fenced && grantedUntil !== LONG_AGO) log.warn("cut off: no write is acknowledged, and writes are paused");
        fenced = true;
        await paused.pause();
        break;
    }
    options.grant(grantedUntil);
    if (fenced && clock.uptimeMs() < grantedUntil) {
      log.info("no longer cut off: writes continue");
      await paused.resume();
      fenced = false;
    }
    await pauseOf(options, catchingUp);
  }
  await catchingUp;
}

/** What the node may do now; asks the others for their promises when renewals are late. */
function termOf({ lease, promises, clock }: GrantOptions, grantedUntil: number): NodeGrant {
  const now = clock.uptimeMs();
  const renewedAt = lease.renewedAt();
  const isLate = now - renewedAt >= LATE_MS;
  if (isLate) promises.ask();
  const vouchedAt = isLate ? promises.heldSince() : LONG_AGO;
  const unbrokenAt = isLate ? promises.unbrokenSince() : LONG_AGO;
  return evaluateGrant({ now, renewedAt, vouchedAt, unbrokenAt, grantedUntil });
}

/** Waits for the next look, or until `work` is done. */
async function pauseOf({ clock, signal }: GrantOptions, work?: Promise<void>): Promise<void> {
  const pause = clock.sleep(CHECK_MS, signal).catch(() => undefined); // aborted: the loop looks at the signal
  await Promise.race([pause, work ?? pause]);
}

/** The end of the new grant. An attempt that fails is followed by a pause. */
async function catchUpOnce(options: GrantOptions, allowance: Allowance): Promise<number> {
  const until = await caughtUp(options, allowance);
  if (until === LONG_AGO) await pauseOf(options);
  return until;
}

/**
 * First the renewal, then the records: a node that takes over writes its intent first and reads the lease then, so that one
 * of the two sees the other. The renewals that follow extend what the first one allows, as they extend a grant: reading may take longer than a
 * grant lasts. The end of the new grant; long ago when that failed.
 */
async function caughtUp({ lease, catchUp, clock, log, signal }: GrantOptions, allowance: Allowance): Promise<number> {
  const began = clock.uptimeMs();
  await lease.renewNow();
  if (lease.renewedAt() < began) return LONG_AGO;
  allowance.begin();
  try {
    await catchUp();
  } catch (error) {
    if (!(error instanceof Fault) || signal.aborted) throw error;
    log.warn("the records cannot be read yet after the lease had expired", { error });
    return LONG_AGO;
  } finally {
    allowance.extend();
  }
  // a node that is leaving waits for no pass over the records, and may not have seen them
  return signal.aborted ? LONG_AGO : allowance.until;
}

/** For how long a node that catches up could acknowledge, if it had read the records: no node can take over from it unseen so long. */
class Allowance {
  /** In milliseconds of uptime; long ago once a renewal has come too late. */
  until = LONG_AGO;
  readonly #lease: Pick<NodeLease, "renewedAt">;
  readonly #clock: Clock;

  constructor({ lease, clock }: Pick<GrantOptions, "lease" | "clock">) {
    this.#lease = lease;
    this.#clock = clock;
  }

  /** By the last renewal, which was sent when the node began to catch up. */
  begin(): void {
    this.until = Number.POSITIVE_INFINITY;
    this.extend();
  }

  /** By the last renewal, if it was confirmed in time. */
  extend(): void {
    const now = this.#clock.uptimeMs();
    const renewed = { renewedAt: this.#lease.renewedAt(), vouchedAt: LONG_AGO, unbrokenAt: LONG_AGO };
    const term = evaluateGrant({ now, ...renewed, grantedUntil: this.until });
    this.until = term.kind === "granted" ? term.until : LONG_AGO;
  }
}
