import { encodeCommand } from "../../../ports/resp/encode.ts";
import type { SessionHost } from "../session/session-endpoint.ts";
import type { Pin } from "../upstream/pin.ts";
import { replayOn } from "../upstream/replay.ts";
import type { Replay } from "../upstream/replay.ts";
import { isMessage } from "../protocol/subscriptions.ts";
import type { Place, Upstream } from "../upstream/upstream.ts";

/** Channels on which a proxy publishes its marks; clients never see what is published there. */
const MARKS = "store:move:";

/** True for a mark of any proxy, which no client is to see. */
export function isMark(message: Buffer): boolean {
  return message.subarray(0, 256).includes(MARKS);
}

/** The channel of the mark of one move. */
export function markChannel(unique: string): string {
  return `${MARKS}${unique}`;
}

/**
 * A second connection of a subscriber, to the engine that will be primary, while the first is still in use. A mark that
 * is published at the primary reaches both in the order of the replication stream: before it the first connection counts, behind
 * it the second one. So that a message is neither missed nor seen twice, whichever of the two is used in the end.
 */
export class Shadow {
  readonly upstream: Upstream;
  readonly channel: string;
  /** Resolves when the mark has been seen on both connections. */
  readonly marked: Promise<void>;
  readonly #pin: Pin;
  readonly #first = new Marked();
  readonly #second = new Marked();
  readonly #resolve: () => void;

  private constructor(pin: Pin, upstream: Upstream, channel: string) {
    this.#pin = pin;
    this.upstream = upstream;
    this.channel = channel;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.marked = promise;
    this.#resolve = resolve;
    pin.tainted = true;
    pin.attach({
      frame: (frame) => {
        if (isMessage(frame)) this.#take(this.#second, frame);
      },
      closed: () => undefined, // whoever adopts it finds it closed
    });
  }

  /** Subscribes at `upstream` to all that `replay` names, and to the mark. */
  static async open(
    host: SessionHost,
    upstream: Upstream,
    place: Place,
    replay: Replay,
    channel: string,
  ): Promise<Shadow> {
    const pin = upstream.takePin(place) ?? (await upstream.dialPin(place));
    try {
      const commands = [...replay.commands, encodeCommand(["SUBSCRIBE", channel])];
      await replayOn(pin, { commands, replies: replay.replies + 1 }, host.clock, () => undefined);
    } catch (error) {
      pin.destroy();
      throw error;
    }
    return new Shadow(pin, upstream, channel);
  }

  /** True when the mark has been seen on both connections. */
  get complete(): boolean {
    return this.#first.seen && this.#second.seen && !this.#pin.closed;
  }

  /** A message on the first connection: true when it is to be delivered now. */
  passes(message: Buffer): boolean {
    const before = !this.#first.seen && !isMark(message);
    this.#take(this.#first, message);
    return before;
  }

  /** Goes on with the second connection: it, and the messages that came behind the mark. */
  adopt(): { readonly pin: Pin; readonly messages: readonly Buffer[] } {
    return { pin: this.#pin, messages: this.#second.behind };
  }

  /** Goes on with the first connection: the messages that came behind the mark. */
  drop(): readonly Buffer[] {
    this.#pin.destroy();
    return this.#first.behind;
  }

  #take(side: Marked, message: Buffer): void {
    if (!isMark(message)) side.keep(message);
    else if (message.includes(this.channel)) {
      side.seen = true;
      if (this.complete) this.#resolve();
    }
  }
}

/** One of the two connections: what came behind the mark is kept. */
class Marked {
  seen = false;
  readonly behind: Buffer[] = [];

  keep(message: Buffer): void {
    if (this.seen) this.behind.push(message);
  }
}
