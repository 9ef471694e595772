import type { Socket } from "node:net";
import type { Channel, ChannelEvents, Lending, Sent } from "./channel.ts";
import { HandleChannel } from "./handle-channel.ts";
import { SocketChannel } from "./socket-channel.ts";

/** What happens on a wire, for its owner. */
export type WireEvents = ChannelEvents;

/**
 * A connection with the few operations that the data path needs. A connection on which much arrives is read in parts: each other connection of
 * the process has its turn in between.
 */
export class Wire {
  readonly #channel: Channel;
  readonly #events: WireEvents;
  #paused = false;
  #resting = false;
  /** Bytes read since the connection was empty, or since the others had their turn. */
  #abundance = 0;

  constructor(socket: Socket, lending: Lending, events: WireEvents) {
    this.#events = events;
    socket.setNoDelay(true);
    const own: ChannelEvents = {
      data: (bytes, length) => {
        this.#data(bytes, length);
      },
      end: () => {
        events.end();
      },
      closed: () => {
        events.closed();
      },
      drained: () => {
        events.drained();
      },
    };
    this.#channel = HandleChannel.of(socket, own, lending) ?? new SocketChannel(socket, own);
  }

  /** The connection speaks TLS: it keeps bytes to be sent a second time, encrypted. */
  get encrypts(): boolean {
    return this.#channel.encrypts;
  }

  /** What arrives is read at once. */
  get isRead(): boolean {
    return !this.#paused && !this.#resting;
  }

  /** Sends `bytes`, in order. They must not change while they are queued: `taken` is called when they are queued no longer. */
  write(bytes: Buffer, taken: () => void = doNothing): Sent {
    return this.#channel.write(bytes, taken);
  }

  /** Bytes that the kernel has not taken yet. */
  get queuedBytes(): number {
    return this.#channel.queuedBytes;
  }

  pause(): void {
    this.#paused = true;
    this.#channel.stopReading();
  }

  resume(): void {
    this.#paused = false;
    if (!this.#resting) this.#channel.read();
  }

  /** Sends FIN behind what is queued, and goes on receiving. */
  halfClose(): void {
    this.#channel.halfClose();
  }

  /** Ends the connection; what the kernel has not sent yet is still sent. */
  destroy(): void {
    this.#channel.destroy();
  }

  /** Ends the connection; the kernel forgets what it has not sent yet, except with TLS. */
  reset(): void {
    this.#channel.reset();
  }

  #data(bytes: Buffer, length: number): void {
    this.#abundance = length < ALL_THERE_IS ? 0 : this.#abundance + length;
    if (this.#abundance >= AT_ONCE_BYTES) this.#rest();
    this.#events.data(bytes, length);
  }

  /** libuv would read on, up to 2 MiB of each connection, before it looks at the next one. */
  #rest(): void {
    this.#abundance = 0;
    if (this.#resting) return;
    this.#resting = true;
    this.#channel.stopReading();
    setImmediate(() => {
      this.#resting = false;
      if (!this.#paused) this.#channel.read();
    });
  }
}

const doNothing = (): void => undefined;

/** Less than the smallest part in which much arrives, a record of TLS. */
const ALL_THERE_IS = 8 * 1024;
/** With what Node.js reads ahead, it is twice as much. */
const AT_ONCE_BYTES = 64 * 1024;
