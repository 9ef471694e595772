import type { EnginePlace } from "../../../ports/management/proxy-control.ts";
import { ENDPOINT_CONNECTION } from "../../../ports/resp/connection-names.ts";
import { LeaseWatch } from "../timing/lease-watch.ts";
import { startTimer } from "../timing/timer.ts";
import { DEFAULT_SETTINGS } from "../upstream/connection-settings.ts";
import type { Requirement } from "../upstream/requirement.ts";
import { Upstream } from "../upstream/upstream.ts";
import type { UpstreamContext } from "../upstream/upstream.ts";

export interface PrimaryContext extends Omit<UpstreamContext, "changed" | "connectionName" | "mustLead"> {
  /** Clients are sent to the primary; false while it is only prepared, and is promoted later. */
  readonly serves: () => boolean;
  /** How long clients may wait for a primary, in milliseconds. */
  readonly holdMs: () => number;
}

/** The engine that an endpoint is served by, as long as there is one and the lease holds. */
export class CurrentPrimary {
  /** Undefined while there is no primary. */
  address: EnginePlace | undefined;
  /** The connections to it; undefined also while the lease has been expired for too long. */
  upstream: Upstream | undefined;
  /** There has been no primary for longer than `holdMs`, or clients are kept from it: they get an error. */
  unavailable = false;
  /** Clients are kept from the engine: there are no connections to it. */
  isClosed = false;
  readonly #context: PrimaryContext;
  readonly #changed: () => void;
  readonly #leaseWatch: LeaseWatch;
  #cancelPatience: (() => void) | undefined;
  #goneAt = 0;
  #requirement: Requirement = "hold";

  /** `changed` is called when sessions can go on, must move, or must not wait any longer. */
  constructor(context: PrimaryContext, changed: () => void) {
    this.#context = context;
    this.#changed = changed;
    this.#leaseWatch = new LeaseWatch(context.lease, context.clock, context.holdMs, {
      gaveUp: () => {
        this.#giveUp();
      },
      renewed: (hadGivenUp) => {
        if (hadGivenUp && this.address !== undefined) this.serve(this.connectTo(this.address));
        changed();
      },
    });
  }

  /** Clients wait for the lease. */
  get waitsForLease(): boolean {
    return this.#leaseWatch.waiting;
  }

  /** True when it is the engine at this address. */
  isAt(address: EnginePlace): boolean {
    return this.upstream?.isAt(address) ?? false;
  }

  /** Connections to an engine that may become the primary. */
  connectTo(address: EnginePlace): Upstream {
    const upstream: Upstream = new Upstream(address, {
      ...this.#context,
      connectionName: ENDPOINT_CONNECTION,
      // one that is prepared is promoted before it is the primary here
      mustLead: () => upstream === this.upstream && this.#context.serves(),
      changed: () => {
        if (upstream === this.upstream) this.#changed();
      },
    });
    return upstream;
  }

  /** What replies of the primary wait for from now on. */
  require(requirement: Requirement): void {
    this.#requirement = requirement;
    this.upstream?.rounds.require(requirement);
  }

  /** Makes this the primary; there must be none. */
  serve(upstream: Upstream): void {
    if (this.#leaseWatch.gaveUp || this.isClosed) {
      upstream.destroy();
      return;
    }
    this.upstream = upstream;
    upstream.rounds.require(this.#requirement);
    upstream.lanes.choose(DEFAULT_SETTINGS);
  }

  /** Makes this the primary in place of the one before, whose last replies are still delivered as they were to be. */
  replace(upstream: Upstream, requirement: Requirement): void {
    this.#leave();
    this.#requirement = requirement;
    this.serve(upstream);
    this.#changed();
  }

  /** Ends all connections at once; there is no primary any more. */
  sever(): void {
    const { upstream } = this;
    this.upstream = undefined;
    upstream?.sever();
    this.watch();
  }

  /** Dials a primary that cannot be reached. */
  wake(): void {
    if (this.upstream?.lanes.reachable === false) this.upstream.lanes.choose(DEFAULT_SETTINGS);
  }

  /**
   * Without a primary that can be reached for longer than `holdMs`, the endpoint becomes unavailable. When one can be reached
   * again, the milliseconds since there was none.
   */
  watch(): number | undefined {
    if (this.upstream?.lanes.reachable === true) return this.#reached();
    if (this.#cancelPatience !== undefined) return undefined;
    this.#goneAt = performance.now();
    this.#cancelPatience = startTimer(this.#context.clock, this.#context.holdMs(), () => {
      this.unavailable = true;
      this.#changed();
    });
    return undefined;
  }

  /** Keeps clients from the engine, or lets them in again; true when that is a change. */
  close(isClosed: boolean): boolean {
    if (isClosed === this.isClosed) return false;
    this.isClosed = isClosed;
    if (isClosed) this.#refuse();
    else {
      this.unavailable = this.#leaseWatch.gaveUp;
      this.#cancelPatience?.();
      this.#cancelPatience = undefined;
      if (this.address !== undefined) this.serve(this.connectTo(this.address));
      this.#changed();
    }
    return true;
  }

  /** Ends without further events; or others serve in its place, and its last replies are still delivered as they were to be. */
  end(isSucceeded = false): void {
    const { upstream } = this;
    this.address = undefined;
    this.#leaseWatch.stop();
    if (isSucceeded) this.#leave();
    else {
      this.upstream = undefined;
      upstream?.destroy();
      this.#cancelPatience?.();
    }
  }

  #reached(): number | undefined {
    this.unavailable = false;
    if (this.#cancelPatience === undefined) return undefined;
    this.#cancelPatience();
    this.#cancelPatience = undefined;
    return performance.now() - this.#goneAt;
  }

  /** While the lease was expired, the primary may have been succeeded without a switchover: its last replies do not count. */
  #leave(): void {
    if (this.#context.lease.expired) {
      this.sever();
      return;
    }
    this.upstream?.retire(RETIRE_GRACE_MS);
    this.upstream = undefined;
    this.watch();
  }

  #giveUp(): void {
    this.#context.log.warn("the lease of this node has been expired for too long: clients get an error");
    this.#refuse();
  }

  #refuse(): void {
    this.sever();
    this.unavailable = true;
    this.#changed();
  }
}

/**
 * A primary that was left in good order refuses what is still in flight at once. One that does not answer is dead or
 * stopped, and what it might acknowledge after it continues would be lost.
 */
const RETIRE_GRACE_MS = 2_000;
