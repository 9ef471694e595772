import type { Socket } from "node:net";

/** What happens on a wire, for its owner. */
export interface WireEvents {
  /** Bytes that the owner may keep. */
  data(bytes: Buffer): void;
  /** The peer will send nothing more. */
  end(): void;
  /** The connection is gone; called once. */
  closed(): void;
  /** The kernel has taken all that was queued. */
  drained(): void;
}

/** A socket with the few operations that the data path needs. */
export class Wire {
  readonly #socket: Socket;

  constructor(socket: Socket, events: WireEvents) {
    this.#socket = socket;
    socket.setNoDelay(true);
    // the close that follows an error is what counts
    socket.on("error", () => undefined);
    socket.on("data", (bytes: Buffer) => {
      events.data(bytes);
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

  /** Sends, in order; `bytes` must not change until the kernel has taken them. False: the connection has ended. */
  write(bytes: Buffer): boolean {
    if (!this.#socket.writable) return false;
    this.#socket.write(bytes);
    return true;
  }

  /** Bytes that the kernel has not taken yet. */
  get queuedBytes(): number {
    return this.#socket.writableLength;
  }

  /** Bytes that the kernel has taken so far. */
  get flushedBytes(): number {
    return this.#socket.bytesWritten - this.#socket.writableLength;
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Sends FIN behind what is queued, and goes on receiving. */
  halfClose(): void {
    this.#socket.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }
}
