import { Fault, messageOf } from "#kit/base/fault";
import { faults } from "./faults.ts";

/** Reads a socket piece by piece, as much as is asked for; RESP_CLOSED when it ends before. */
export class SocketReader {
  readonly #chunks: AsyncIterator<Buffer>;
  /** What has arrived and was not taken. */
  #rest: Buffer = Buffer.alloc(0);

  constructor(socket: AsyncIterable<Buffer>) {
    this.#chunks = socket[Symbol.asyncIterator]();
  }

  /** The bytes that have arrived; waits for some when there are none. */
  async some(): Promise<Buffer> {
    if (this.#rest.length === 0) await this.#more();
    return this.#rest;
  }

  /** Waits until there is more than now. */
  async grow(): Promise<Buffer> {
    await this.#more();
    return this.#rest;
  }

  /** Takes that many bytes of what has arrived. */
  take(bytes: number): Buffer {
    const taken = this.#rest.subarray(0, bytes);
    this.#rest = this.#rest.subarray(bytes);
    return taken;
  }

  /** Puts bytes back before what has arrived. */
  putBack(bytes: Uint8Array): void {
    this.#rest = Buffer.concat([bytes, this.#rest]);
  }

  /** One line without its end; empty ones, which keep a connection alive, are passed over. */
  async line(): Promise<string> {
    for (let from = 0; ;) {
      const bytes = from === 0 ? await this.some() : await this.grow();
      const end = bytes.indexOf(10, from);
      if (end < 0) {
        if (bytes.length > MAX_LINE) throw new Fault(faults.tooLarge, `A line has over ${MAX_LINE} bytes.`);
        from = bytes.length;
        continue;
      }
      const line = this.take(end + 1)
        .toString("latin1")
        .trim();
      if (line !== "") return line;
      from = 0;
    }
  }

  async #more(): Promise<void> {
    const next = await this.#chunks.next().catch((error: unknown) => {
      throw new Fault(faults.closed, `The connection to the engine ended: ${messageOf(error)}.`);
    });
    if (next.done === true) throw new Fault(faults.closed, "The engine has closed the connection.");
    this.#rest = this.#rest.length === 0 ? next.value : Buffer.concat([this.#rest, next.value]);
  }
}

const MAX_LINE = 65_536;
