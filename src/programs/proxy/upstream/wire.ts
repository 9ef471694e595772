import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";

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
  /** It speaks TLS: what it is given is kept a second time, encrypted. */
  readonly encrypts: boolean;
  readonly #socket: Socket;

  constructor(socket: Socket, events: WireEvents) {
    this.#socket = socket;
    this.encrypts = socket instanceof TLSSocket;
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

  /** Sends, in order; `bytes` must not change until the kernel has taken them: `taken` says so. False: the connection has ended. */
  write(bytes: Buffer, taken?: () => void): boolean {
    if (!this.#socket.writable) return false;
    this.#socket.write(bytes, taken);
    return true;
  }

  /** Bytes that the kernel has not taken yet. */
  get queuedBytes(): number {
    return this.#socket.writableLength;
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
