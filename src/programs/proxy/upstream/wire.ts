import type { Socket } from "node:net";

/** What a wire tells its owner. */
export interface WireEvents {
  /** Bytes that the owner may keep. */
  data(bytes: Buffer): void;
  /** The peer will send nothing more. */
  end(): void;
  /** The connection is gone; told once. */
  closed(): void;
  /** What was queued has been taken by the kernel, after it was more than `clogged` allows. */
  drained(): void;
}

/** A socket with the few operations that the data path needs. */
export class Wire {
  readonly #socket: Socket;

  constructor(socket: Socket, events: WireEvents) {
    this.#socket = socket;
    socket.setNoDelay(true);
    // what an error means is told by the close that follows it
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

  /** Sends, in order; `bytes` must not change until the kernel has taken them. False: the connection takes nothing more. */
  write(bytes: Buffer): boolean {
    if (!this.#socket.writable) return false;
    this.#socket.write(bytes);
    return true;
  }

  /** Bytes that the kernel has not taken yet. */
  get queued(): number {
    return this.#socket.writableLength;
  }

  /** Bytes that the kernel has taken so far. */
  get taken(): number {
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
