import type { Socket } from "node:net";
import { Wakeup } from "../../../mechanisms/site/operations/wakeup.ts";

/** What goes to the engine of a target: many small pieces, sent together. */
export class TargetOutput {
  /** Something has changed that others wait for. */
  readonly changed = new Wakeup();
  #socket: Socket | undefined;
  #pieces: Uint8Array[] = [];
  #pieceBytes = 0;
  #take: (bytes: Uint8Array) => void = () => undefined;

  /** The engine is there. */
  attach(socket: Socket): void {
    this.#socket = socket;
    socket.on("drain", () => {
      this.changed.wake();
    });
  }

  get socket(): Socket | undefined {
    return this.#socket;
  }

  /** Bytes that were sent and that the kernel has not taken. */
  get unsent(): number {
    return this.#socket?.writableLength ?? 0;
  }

  /** From now on, `take` sees what is sent. */
  watch(take: (bytes: Uint8Array) => void): void {
    this.flush();
    this.#take = take;
  }

  /** The memory must not change before the next `flush`. */
  put(bytes: Uint8Array): void {
    this.#pieces.push(bytes);
    this.#pieceBytes += bytes.length;
    if (this.#pieceBytes >= FLUSH_BYTES) this.flush();
  }

  /** Sends what was put. */
  flush(): void {
    if (this.#pieceBytes === 0) return;
    const [first] = this.#pieces;
    // a part of a large value is not copied
    const bytes = this.#pieces.length === 1 && first !== undefined ? first : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#pieceBytes = 0;
    this.#take(bytes);
    this.#socket?.write(bytes);
  }
}

const FLUSH_BYTES = 65_536;
