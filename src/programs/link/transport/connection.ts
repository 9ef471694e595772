import type { TLSSocket } from "node:tls";
import type { Writable } from "node:stream";
import { compress, decompress } from "./compression.ts";
import { FrameReader, type Frame } from "./frames.ts";

/** One end of a connection between links. Its holder closes it. */
export class LinkConnection {
  readonly socket: TLSSocket;
  /** What arrives, until the other end closes. */
  readonly frames: AsyncGenerator<Frame>;
  readonly #reader: FrameReader;
  #writable: Writable;

  constructor(socket: TLSSocket) {
    this.socket = socket;
    this.#reader = new FrameReader(socket as AsyncIterable<Buffer>);
    this.frames = this.#reader.frames();
    this.#writable = socket;
  }

  /** Both directions are compressed behind what was sent, and behind the frames that were read. */
  compress(): void {
    this.#writable = compress(this.socket);
    this.#reader.readThrough(decompress);
  }

  /** Sends, and resolves when there is room for more, or the connection is closed. */
  async send(bytes: Buffer): Promise<void> {
    const writable = this.#writable;
    if (writable.write(bytes) || writable.destroyed) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        writable.off("drain", done);
        writable.off("close", done);
        resolve();
      };
      writable.on("drain", done);
      writable.on("close", done);
    });
  }

  /** Sends the last bytes, and closes this direction behind all that was sent. */
  end(bytes: Buffer): void {
    this.#writable.end(bytes);
  }

  /** All bytes that arrive behind the frames that were read, as they are; no more frames are read. */
  passedOn(): AsyncIterable<Buffer> {
    return this.#reader.remaining();
  }

  /** Closes at once. */
  destroy(): void {
    this.socket.destroy();
  }

  get isClosed(): boolean {
    return this.socket.destroyed;
  }
}
