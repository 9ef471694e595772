import type { Clock } from "#kit/base/clock";
import { startTimer } from "../timing/timer.ts";
import { settingsKey } from "./connection-settings.ts";
import type { ConnectionSettings } from "./connection-settings.ts";
import type { EngineConnection } from "./engine-connection.ts";
import { Pin } from "./pin.ts";
import type { ReplyPermits } from "./reply-gate.ts";

/** What a pool of pins needs of the upstream that it belongs to. */
export interface PinPoolOwner {
  readonly clock: Clock;
  /** The upstream takes no more requests. */
  readonly isRetired: () => boolean;
  readonly permits: ReplyPermits;
  readonly dial: (settings: ConnectionSettings) => Promise<EngineConnection>;
}

/** The connections to one engine that clients have for themselves: those in use, and those that wait for the next use. */
export class PinPool {
  readonly #owner: PinPoolOwner;
  readonly #pins = new Set<Pin>();
  readonly #idle: Pin[] = [];
  #dialling = 0;
  #cancelTrim: () => void = () => undefined;

  constructor(owner: PinPoolOwner) {
    this.#owner = owner;
  }

  /** How many wait for the next use, or are being made. */
  get spare(): number {
    return this.#idle.length + this.#dialling;
  }

  /** Clients have connections of their own. */
  get inUse(): boolean {
    return this.#pins.size > this.#idle.length;
  }

  /** An idle connection with these settings, if there is one. */
  take(settings: ConnectionSettings): Pin | undefined {
    const key = settingsKey(settings);
    const at = this.#idle.findIndex((pin) => pin.key === key);
    return at < 0 ? undefined : this.#idle.splice(at, 1)[0];
  }

  /** A new connection; PROXY_TARGET_UNREACHABLE when the engine cannot be reached. */
  async dial(settings: ConnectionSettings): Promise<Pin> {
    this.#dialling += 1;
    const connection = await this.#owner.dial(settings).finally(() => {
      this.#dialling -= 1;
    });
    const pin: Pin = new Pin(connection, settingsKey(settings), this.#owner.permits, () => this.#pins.delete(pin));
    this.#pins.add(pin);
    return pin;
  }

  /** An idle connection, or a new one. */
  async takeOrDial(settings: ConnectionSettings): Promise<Pin> {
    return this.take(settings) ?? (await this.dial(settings));
  }

  /** Dials a connection for each of these clients before it is needed, as many as half a second allows. */
  async dialAhead(clients: readonly ConnectionSettings[]): Promise<void> {
    const left = [...clients];
    const deadline = performance.now() + DIAL_AHEAD_MS;
    const dial = async (): Promise<void> => {
      for (let settings = left.pop(); settings !== undefined; settings = left.pop()) {
        if (this.#owner.isRetired() || performance.now() > deadline) return;
        this.#keepIdle(await this.dial(settings));
      }
    };
    await Promise.all(Array.from({ length: DIALS_AT_ONCE }, dial));
    if (this.#owner.isRetired()) return;
    this.#cancelTrim();
    // clients that leave before the change of primary use none
    this.#cancelTrim = startTimer(this.#owner.clock, AHEAD_MS, () => {
      for (const pin of this.#idle.splice(0, Math.max(this.#idle.length - MAX_IDLE, 0))) pin.destroy();
    });
  }

  /** Takes back a connection that its client does not need any more. */
  giveBack(pin: Pin): void {
    pin.attach(undefined);
    if (pin.tainted || pin.closed || this.#owner.isRetired()) pin.destroy();
    else this.#keepIdle(pin);
    // the one that has been idle for longest: it may have settings that no client has any more
    if (this.#idle.length > MAX_IDLE) this.#idle.shift()?.destroy();
  }

  /** Ends the idle connections. */
  destroyIdle(): void {
    this.#cancelTrim();
    for (const pin of this.#idle.splice(0)) pin.destroy();
  }

  /** Ends the connections in use too; each user is notified. */
  sever(): void {
    for (const pin of this.#pins) pin.destroy(true);
  }

  #keepIdle(pin: Pin): void {
    const drop = (): void => {
      const at = this.#idle.indexOf(pin);
      if (at >= 0) this.#idle.splice(at, 1);
      pin.destroy();
    };
    this.#idle.push(pin);
    pin.attach({ frame: drop, closed: drop });
    // its last client may not have read what came
    pin.read(true);
    if (this.#owner.isRetired()) drop();
  }
}

const DIAL_AHEAD_MS = 500;
const DIALS_AT_ONCE = 16;
/** A change of primary that has been prepared is over by then, or is given up. */
const AHEAD_MS = 120_000;
/** Clients that run a script at the same time take one each, again and again. */
const MAX_IDLE = 256;
