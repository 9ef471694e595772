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

/**
 * A socket with the few operations that the data path needs. What arrives in abundance is read in parts: each other socket of the
 * process has its turn in between.
 */
export class Wire {
  /** It speaks TLS: what it is given is kept a second time, encrypted. */
  readonly encrypts: boolean;
  readonly #socket: Socket;
  #paused = false;
  #resting = false;
  /** Read since there was nothing more to read, or since the others had their turn. */
  #abundance = 0;

  constructor(socket: Socket, events: WireEvents) {
    this.#socket = socket;
    this.encrypts = socket instanceof TLSSocket;
    socket.setNoDelay(true);
    // the close that follows an error is what counts
    socket.on("error", () => undefined);
    socket.on("data", (bytes: Buffer) => {
      this.#abundance = bytes.length < ALL_THERE_IS ? 0 : this.#abundance + bytes.length;
      if (this.#abundance >= AT_ONCE_BYTES) this.#rest();
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
    this.#paused = true;
    this.#socket.pause();
  }

  resume(): void {
    this.#paused = false;
    if (!this.#resting) this.#socket.resume();
  }

  /** Sends FIN behind what is queued, and goes on receiving. */
  halfClose(): void {
    this.#socket.end();
  }

  /** Ends the connection; what the kernel has not sent yet is still sent. */
  destroy(): void {
    this.#socket.destroy();
  }

  /** Ends the connection; the kernel forgets what it has not sent yet, except with TLS. */
  reset(): void {
    if (this.encrypts) this.#socket.destroy();
    else this.#socket.resetAndDestroy();
  }

  /** libuv would read on, up to 2 MiB of each socket, before it looks at the next one. */
  #rest(): void {
    this.#abundance = 0;
    if (this.#resting) return;
    this.#resting = true;
    this.#socket.pause();
    setImmediate(() => {
      this.#resting = false;
      if (!this.#paused) this.#socket.resume();
    });
  }
}

/** Less than the smallest part in which much arrives, a record of TLS. */
const ALL_THERE_IS = 8 * 1024;
/** With what Node.js reads ahead, it is twice as much. */
const AT_ONCE_BYTES = 64 * 1024;
