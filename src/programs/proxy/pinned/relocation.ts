import { messageOf } from "../../../core/base/fault.ts";
import type { Pin } from "../upstream/pin.ts";
import { replayOn } from "../upstream/replay.ts";
import type { SessionMemory } from "./connection-state.ts";
import type { Session } from "../session/session.ts";
import { after } from "../timing/timer.ts";
import type { Upstream } from "../upstream/upstream.ts";

/** How the way to another engine ends. */
export interface RelocationEvents {
  arrived(pin: Pin, upstream: Upstream): void;
  /** There was no primary within `holdMs`; the search goes on. */
  expired(): void;
}

/** Brings a pinned session to the endpoint's primary, as soon as there is one that takes it. */
export class Relocation {
  readonly #session: Session;
  readonly #memory: SessionMemory;
  readonly #events: RelocationEvents;
  #running = false;
  #stopped = false;
  #cancelRetry: () => void = () => undefined;
  #cancelExpiry: (() => void) | undefined;

  constructor(session: Session, memory: SessionMemory, events: RelocationEvents) {
    this.#session = session;
    this.#memory = memory;
    this.#events = events;
  }

  /** Starts, or hurries on; `urgent`: the client waits for it, and is told after `holdMs` when there is no primary. */
  start(delayMs: number, urgent: boolean): void {
    const { clock, holdMs } = this.#session.host;
    if (urgent)
      this.#cancelExpiry ??= after(clock, holdMs, () => {
        this.#cancelExpiry = undefined;
        this.#events.expired();
      });
    this.#cancelRetry();
    if (delayMs === 0) void this.#run();
    else this.#retry(delayMs);
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelRetry();
    this.#cancelExpiry?.();
  }

  #retry(delayMs: number): void {
    this.#cancelRetry = after(this.#session.host.clock, delayMs, () => {
      void this.#run();
    });
  }

  async #run(): Promise<void> {
    const { upstream, held } = this.#session.host;
    if (this.#running || this.#stopped || held) return;
    this.#running = true;
    const pin = upstream === undefined ? undefined : await this.#tryAt(upstream);
    this.#running = false;
    const { upstream: now, held: heldNow } = this.#session.host;
    if (pin === undefined) {
      if (!this.#stopped) this.#retry(upstream === now ? RETRY_MS : 0);
    } else if (this.#stopped || now !== upstream || heldNow || upstream === undefined) {
      pin.destroy();
      if (!this.#stopped) this.#retry(0);
    } else {
      this.#cancelExpiry?.();
      this.#cancelExpiry = undefined;
      this.#events.arrived(pin, upstream);
    }
  }

  async #tryAt(upstream: Upstream): Promise<Pin | undefined> {
    const { place, user } = this.#session.identity;
    let pin: Pin | undefined;
    try {
      pin = upstream.takePin(place) ?? (await upstream.dialPin(place));
      pin.tainted = user !== undefined;
      await replayOn(pin, this.#memory.replay(this.#session.identity), this.#session.host.clock, (message) => {
        this.#session.deliver(message);
      });
      return pin;
    } catch (error) {
      pin?.destroy();
      this.#session.host.log.debug("a session cannot be moved yet", { reason: messageOf(error) });
      return undefined;
    }
  }
}

const RETRY_MS = 50;
