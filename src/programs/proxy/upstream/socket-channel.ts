import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import type { Channel, ChannelEvents, Sent } from "./channel.ts";

/** A connection by the documented API of Node.js. */
export class SocketChannel implements Channel {
  readonly encrypts: boolean;
  readonly #socket: Socket;

  constructor(socket: Socket, events: ChannelEvents) {
    this.#socket = socket;
    this.encrypts = socket instanceof TLSSocket;
    // the close that follows an error is what counts
    socket.on("error", () => undefined);
    socket.on("data", (bytes: Buffer) => {
      events.data(bytes, bytes.length);
    });
    socket.once("end", () => {
      events.end();
    });
    socket.once("close", () => {
      events.closed();
    });
    socket.on("drain", () => {
      events.drained();
    });
  }

  get queuedBytes(): number {
    return this.#socket.writableLength;
  }

  write(bytes: Buffer, taken: () => void): Sent {
    if (!this.#socket.writable) return "ended";
    let isQueued = false;
    this.#socket.write(bytes, (error) => {
      if (isQueued && !(error instanceof Error)) taken();
    });
    isQueued = this.#socket.writableLength > 0;
    return isQueued ? "queued" : "taken";
  }

  stopReading(): void {
    this.#socket.pause();
  }

  read(): void {
    this.#socket.resume();
  }

  halfClose(): void {
    this.#socket.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  reset(): void {
    if (this.encrypts) this.#socket.destroy();
    else this.#socket.resetAndDestroy();
  }
}
