import { Crc64 } from "../../../core/slots/snapshot/crc64.ts";
import type { TargetOutput } from "./target-output.ts";

/** How a snapshot begins and ends. */
export interface SnapshotFrame {
  /** The identity of the stream that follows it, 40 characters. */
  readonly id: string;
  /** What stands behind its end, 40 characters. */
  readonly mark: string;
  /** Of its form. */
  readonly version: number;
}

/** The snapshot of a target, put together from those of its sources. One of them writes at a time. */
export class TargetSnapshot {
  readonly #output: TargetOutput;
  readonly #crc = new Crc64();
  /** Sources whose snapshot is not over yet. */
  #missing: number;
  #frame: SnapshotFrame | undefined;
  /** The source whose value is being passed on. */
  #writer: object | undefined;
  /** Another one waits for its turn. */
  #isAwaited = false;
  #isClosed = false;
  #database = -1;
  #bytes = 0;

  /** Of so many sources. */
  constructor(output: TargetOutput, sources: number) {
    this.#output = output;
    this.#missing = sources;
  }

  /** `awaited`: it has not begun. `over`: it has its end, with nothing behind it. */
  get state(): "awaited" | "begun" | "over" {
    if (this.#frame === undefined) return "awaited";
    return this.#missing > 0 ? "begun" : "over";
  }

  /** Bytes that were sent. */
  get bytes(): number {
    return this.#bytes;
  }

  begin(frame: SnapshotFrame): void {
    const { id, mark, version } = frame;
    this.#frame = frame;
    this.#output.put(Buffer.from(`+FULLRESYNC ${id} 0\r\n$EOF:${mark}\r\n`));
    this.#output.watch((bytes) => {
      this.#crc.add(bytes);
      this.#bytes += bytes.length;
    });
    this.#output.put(Buffer.from(`REDIS${String(version).padStart(4, "0")}`));
  }

  /** Takes the turn to write a key, or something that stands alone; false while another source passes a value on. */
  hasTurn(writer: object): boolean {
    if (this.#writer !== undefined && this.#writer !== writer && !this.#isClosed) return false;
    this.#writer = writer;
    return true;
  }

  /** Waits for that turn. */
  async takeTurn(writer: object): Promise<void> {
    while (!this.hasTurn(writer)) {
      this.#isAwaited = true;
      await this.#output.changed.next();
    }
  }

  endTurn(): void {
    this.#writer = undefined;
    if (this.#isAwaited) this.#output.changed.wake();
    this.#isAwaited = false;
  }

  /** A part of a value, or something that stands alone. */
  put(bytes: Uint8Array): void {
    this.#output.put(bytes);
  }

  /** A key, up to its value. */
  putKey(database: number, bytes: Uint8Array): void {
    if (database !== this.#database) this.#output.put(Uint8Array.of(DATABASE, database));
    this.#database = database;
    this.#output.put(bytes);
  }

  /** The snapshot of a source is over; this one is when that of each is. */
  endSource(): void {
    this.#missing -= 1;
    if (this.#missing > 0) return;
    this.#output.put(Uint8Array.of(END));
    this.#output.watch(() => undefined);
    this.#output.put(this.#crc.sum);
    this.#output.put(Buffer.from(this.#frame?.mark ?? ""));
    // nothing may stand behind the mark before the engine has found it: it looks for the mark at the end of what it reads
    this.#output.flush();
  }

  /** Keeps an engine from taking its primary for gone, between two keys. */
  beat(): void {
    if (this.#writer !== undefined) return;
    this.#output.put(NOTE);
    this.#output.flush();
  }

  /** The engine is gone: no source waits for another one. */
  close(): void {
    this.#isClosed = true;
    this.#output.changed.wake();
  }
}

const [DATABASE, END] = [254, 255];
/** A note with a name and no value, which engines pass over. */
const NOTE = Uint8Array.of(250, 5, 109, 111, 118, 101, 114, 0);
