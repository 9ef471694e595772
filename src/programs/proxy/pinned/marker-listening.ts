import { randomUUID } from "node:crypto";
import { encodeCommand } from "../../../ports/resp/encode.ts";
import type { ClientIdentity } from "../client/identity.ts";
import type { Pin } from "../upstream/pin.ts";
import type { PendingKind } from "./pending-request.ts";

/** Channels on which proxies publish markers; clients never get what is published there. */
export const MARKER_PREFIX = "store:move:";

/** The channel of the markers of this process. */
export const MARKER_CHANNEL = `${MARKER_PREFIX}${randomUUID()}`;

/** The connection that listens for markers. */
export interface ListeningConnection {
  pin(): Pin | undefined;
  /** It has subscribed to a channel, or is about to. */
  isSubscriber(): boolean;
  /** Sends a command of the proxy itself. */
  command(request: Buffer, settled: (answer: Buffer | undefined) => void): void;
}

/**
 * Whether the connection of a subscriber listens for the markers of moves. It begins before a request behind which nothing can be subscribed to for
 * a while, and ends before the next command about subscriptions, as engines count channels in their confirmations.
 */
export class MarkerListening {
  readonly #identity: ClientIdentity;
  readonly #connection: ListeningConnection;
  #at: Pin | undefined;

  constructor(identity: ClientIdentity, connection: ListeningConnection) {
    this.#identity = identity;
    this.#connection = connection;
  }

  /** The connection listens, or is about to. */
  get isOn(): boolean {
    return this.#at !== undefined && this.#at === this.#connection.pin();
  }

  /** This connection listens already. */
  arrived(pin: Pin): void {
    this.#at = pin;
  }

  /** To be called before a request of the client is sent. */
  before(kind: PendingKind): void {
    if (kind === "subscription") this.stop();
    else if (KEEPS_OTHERS_OFF.has(kind) && !this.isOn && this.#mayMiss) void this.start();
  }

  /** With the old protocol a subscriber sends nothing behind which it cannot subscribe, and a user may have no right to the markers. */
  get #mayMiss(): boolean {
    const { user, settings } = this.#identity;
    return user === undefined && settings.protocol === 3 && this.#connection.isSubscriber();
  }

  /** Begins to listen; false when the engine does not take it. */
  async start(): Promise<boolean> {
    if (this.isOn) return true;
    const pin = this.#connection.pin();
    this.#at = pin;
    if (pin !== undefined) pin.tainted = true;
    const answer = await new Promise<Buffer | undefined>((settled) => {
      this.#connection.command(encodeCommand(["SUBSCRIBE", MARKER_CHANNEL]), settled);
    });
    const isTaken = answer !== undefined && answer[0] !== MINUS;
    if (!isTaken && this.#at === pin) this.#at = undefined;
    return isTaken;
  }

  /** Listens no more. */
  stop(): void {
    if (!this.isOn) return;
    this.#at = undefined;
    this.#connection.command(encodeCommand(["UNSUBSCRIBE", MARKER_CHANNEL]), () => undefined);
  }
}

const MINUS = 45;
const KEEPS_OTHERS_OFF: ReadonlySet<PendingKind> = new Set(["multi", "blocking", "caching"]);
