import type { Clock } from "#kit/base/clock";
import { encodeCommand } from "../../../ports/resp/encode.ts";
import { channelOf, isMessage, payloadOf } from "../protocol/subscriptions.ts";
import type { ConnectionSettings } from "../upstream/connection-settings.ts";
import type { Pin } from "../upstream/pin.ts";
import { replayOn } from "../upstream/replay.ts";
import type { Replay } from "../upstream/replay.ts";
import type { Upstream } from "../upstream/upstream.ts";
import { MARKER_CHANNEL, MARKER_PREFIX } from "./marker-listening.ts";

/** The subscriber that is mirrored. */
export interface MirroredSubscriber {
  readonly clock: Clock;
  settings(): ConnectionSettings;
  /** What brings a new connection to the subscriber's state. */
  replay(): Replay;
}

/** True for a marker of any proxy, which no client is to get. */
export function isMarker(message: Buffer): boolean {
  return channelOf(message).startsWith(MARKER_PREFIX);
}

/**
 * A second connection of a subscriber, to the primary-to-be, while the first is still in use. A marker that is published
 * at the primary arrives on both in the order of the replication stream: before it the messages of the first connection
 * count, behind it those of the second. So no message is missed or seen twice, whichever of the two is used in the end.
 */
export class SubscriptionMirror {
  readonly upstream: Upstream;
  /** What tells this marker from others. */
  readonly #marker: string;
  #deliver: ((message: Buffer) => void) | undefined;
  readonly pin: Pin;
  /** Resolves when the marker has arrived on both connections, and when it never will: one of them is over. */
  readonly settled: Promise<void>;
  readonly #first = new MirroredSide();
  readonly #second = new MirroredSide();
  readonly #resolve: () => void;

  private constructor(pin: Pin, upstream: Upstream, marker: string) {
    this.pin = pin;
    this.upstream = upstream;
    this.#marker = marker;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.settled = promise;
    this.#resolve = resolve;
    pin.tainted = true;
    pin.attach({
      frame: (frame) => {
        if (isMessage(frame)) this.#take(this.#second, frame);
      },
      closed: resolve, // `complete` is false from now on
    });
  }

  /** Subscribes at `upstream` to the subscriber's channels and to that of the marker; rejects when the engine does not take it. */
  static async open(upstream: Upstream, subscriber: MirroredSubscriber, marker: string): Promise<SubscriptionMirror> {
    const replay = subscriber.replay();
    const pin = await upstream.pins.takeOrDial(subscriber.settings());
    try {
      const commands = [...replay.commands, encodeCommand(["SUBSCRIBE", MARKER_CHANNEL])];
      await replayOn(pin, { commands, replies: replay.replies + 1 }, subscriber.clock, () => undefined);
    } catch (error) {
      pin.destroy();
      throw error;
    }
    return new SubscriptionMirror(pin, upstream, marker);
  }

  /** True when the marker has arrived on both connections. */
  get complete(): boolean {
    return this.#first.marked && this.#second.marked && !this.pin.closed;
  }

  /** Messages on the second connection behind the marker: to be delivered when the session goes on there. */
  get messages(): readonly Buffer[] {
    return this.#second.messages;
  }

  /** From now on the client gets the messages on the second connection. */
  deliver(push: (message: Buffer) => void): void {
    this.#deliver = push;
    for (const message of this.#second.messages.splice(0)) push(message);
  }

  /** A message on the first connection: true when it is to be delivered now. */
  passes(message: Buffer): boolean {
    const before = !this.#first.marked && !isMarker(message);
    this.#take(this.#first, message);
    return before;
  }

  /** Ends the second connection; the messages on the first behind the marker are to be delivered. */
  end(): readonly Buffer[] {
    this.pin.destroy();
    this.#resolve();
    return this.#first.messages;
  }

  #take(side: MirroredSide, message: Buffer): void {
    if (!isMarker(message)) {
      if (side === this.#second && this.#deliver !== undefined) this.#deliver(message);
      else side.take(message);
    } else if (payloadOf(message) === this.#marker) {
      side.marked = true;
      if (this.complete) this.#resolve();
    }
  }
}

/** One of the two connections: it keeps the messages that arrive behind the marker. */
class MirroredSide {
  marked = false;
  readonly messages: Buffer[] = [];

  take(message: Buffer): void {
    if (this.marked) this.messages.push(message);
  }
}
