import type { Clock } from "#kit/base/clock";
import { messageOf } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import type { SessionParts } from "../client/session-parts.ts";
import { startTimer } from "../timing/timer.ts";
import { isMarker } from "./subscription-mirror.ts";
import type { Pin } from "../upstream/pin.ts";
import type { PrimaryView } from "../upstream/primary-view.ts";
import { replayOn } from "../upstream/replay.ts";
import type { Replay } from "../upstream/replay.ts";
import type { RememberedScripts } from "../upstream/script-cache.ts";
import type { Upstream } from "../upstream/upstream.ts";
import { scriptsArrived } from "./awaited-scripts.ts";
import { goToShards, type KeptAtConnection, type OtherShards } from "./other-shards.ts";
import { onlyRoute, type Routes } from "../upstream/only-route.ts";

/** The parts of the session that a relocation moves. */
type RelocatedParts = Pick<SessionParts, "identity" | "output" | "life" | "pinned"> & {
  readonly endpoint: {
    readonly clock: Clock;
    readonly log: Log;
    readonly routes: Routes<PrimaryView>;
    readonly scripts: Pick<RememberedScripts, "awaits">;
  };
};

export interface RelocationEvents {
  /** What the session keeps. */
  readonly kept: KeptAtConnection;
  /** Finds out what the state of the session needs at that engine; rejects when that cannot be had yet. */
  prepare(upstream: Upstream): Promise<void>;
  /** What the next engine is to execute. */
  requests(): readonly Buffer[];
  /** What brings a new connection, or the one that listens already, to the session's state. */
  replay(upstream: Upstream, isMirrored: boolean): Replay;
  /** A connection to the next engine listens for the session already. */
  isMirrored(): boolean;
  /** That connection, to be used at once; throws when it is gone, or to another engine. */
  takeMirror(upstream: Upstream): Pin;
  /** That connection is gone before the session could use it: messages may be missing. */
  missed(): void;
  /** The session's state is in place on a new connection. */
  arrived(pin: Pin, upstream: Upstream, isMirrored: boolean): void;
  /** There was no primary within `holdMs`; the search goes on. */
  expired(): void;
}

/** Brings a pinned session to the endpoint's primary, as soon as one accepts it. */
export class Relocation {
  /** Other shards serve, and the session has not gone there. */
  others: OtherShards | undefined;
  readonly #parts: RelocatedParts;
  readonly #events: RelocationEvents;
  #running = false;
  #stopped = false;
  /** The connection that the last attempt has used listened for the session before. */
  #usesMirror = false;
  #cancelRetry: () => void = () => undefined;
  #cancelExpiry: (() => void) | undefined;

  constructor(parts: RelocatedParts, events: RelocationEvents) {
    this.#parts = parts;
    this.#events = events;
  }

  /** Starts, or goes on sooner; `urgent`: the client waits, and `expired` is called after `holdMs` without a primary. */
  start(delayMs: number, urgent: boolean): void {
    if (!this.#goToOthers()) return;
    const { clock } = this.#parts.endpoint;
    const primary = this.#primary;
    if (urgent)
      this.#cancelExpiry ??= startTimer(clock, primary.unavailable ? 0 : primary.holdMs, () => {
        this.#cancelExpiry = undefined;
        this.#events.expired();
      });
    this.#cancelRetry();
    if (delayMs === 0) void this.#run();
    else this.#retry(delayMs);
  }

  /** False when the session goes no further as it is. */
  #goToOthers(): boolean {
    const { others } = this;
    this.others = undefined;
    if (others === undefined) return true;
    const goesOn = goToShards(others, this.#events.kept);
    if (!goesOn) this.#parts.pinned.leave();
    return goesOn;
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelRetry();
    this.#cancelExpiry?.();
  }

  #retry(delayMs: number): void {
    this.#cancelRetry = startTimer(this.#parts.endpoint.clock, delayMs, () => {
      void this.#run();
    });
  }

  get #primary(): PrimaryView {
    return onlyRoute(this.#parts.endpoint);
  }

  async #run(): Promise<void> {
    const primary = this.#primary;
    const { upstream } = primary;
    if (this.#running || this.#stopped || primary.held) return;
    this.#running = true;
    const pin = upstream === undefined ? undefined : await this.#tryAt(upstream);
    this.#running = false;
    if (pin !== undefined && upstream !== undefined) this.#use(pin, upstream, primary);
    else if (!this.#stopped) this.#retry(upstream === primary.upstream ? RETRY_MS : 0);
  }

  /** Goes on with the connection, unless the primary, or the shard of the session, has changed meanwhile. */
  #use(pin: Pin, upstream: Upstream, primary: PrimaryView): void {
    const isLate = primary !== this.#primary || primary.upstream !== upstream || primary.held;
    if (this.#stopped || isLate) {
      this.#giveUp(pin);
      if (!this.#stopped) this.#retry(0);
    } else {
      this.#cancelExpiry?.();
      this.#cancelExpiry = undefined;
      this.#events.arrived(pin, upstream, this.#usesMirror);
    }
  }

  async #tryAt(upstream: Upstream): Promise<Pin | undefined> {
    const { settings, user } = this.#parts.identity;
    let pin: Pin | undefined;
    this.#usesMirror = false;
    try {
      const isMirrored = this.#events.isMirrored();
      if (!isMirrored) pin = await upstream.pins.takeOrDial(settings);
      await this.#events.prepare(upstream);
      await scriptsArrived(this.#parts.endpoint.scripts, this.#events.requests(), upstream);
      this.#usesMirror = isMirrored;
      pin ??= this.#events.takeMirror(upstream);
      pin.tainted = user !== undefined || isMirrored;
      await replayOn(pin, this.#events.replay(upstream, isMirrored), this.#parts.endpoint.clock, (message) => {
        if (!isMarker(message)) this.#parts.output.push(message);
      });
      return pin;
    } catch (error) {
      this.#giveUp(pin);
      this.#parts.endpoint.log.debug("a session cannot be moved yet", { reason: messageOf(error) });
      return undefined;
    }
  }

  #giveUp(pin: Pin | undefined): void {
    pin?.destroy();
    if (this.#usesMirror && !this.#stopped) this.#events.missed();
  }
}

/** A former primary may answer on `pin` for as long as clients may be held: then the connection is ended, and `lost` is called. Cancels that. */
export function limitLeaving(
  endpoint: Pick<RelocatedParts["endpoint"], "clock" | "routes">,
  pin: Pick<Pin, "destroy">,
  lost: () => void,
): () => void {
  return startTimer(endpoint.clock, onlyRoute(endpoint).holdMs, () => {
    pin.destroy();
    lost();
  });
}

const RETRY_MS = 50;
