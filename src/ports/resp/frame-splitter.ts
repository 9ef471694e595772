import { FrameScanner, INCOMPLETE, type ScanLimits } from "./frame-scanner.ts";

/** Cuts bytes in any chunking into frames. Throws RESP_MALFORMED or RESP_TOO_LARGE, after which it must be dropped. */
export class FrameSplitter {
  readonly #scanner: FrameScanner;
  /** The beginning of a frame: put together once, when its end is there. */
  #begun: Buffer[] = [];

  constructor(limits?: ScanLimits) {
    this.#scanner = new FrameScanner(limits);
  }

  /** The frames that end with these bytes. They may be parts of the bytes; nothing else of them is kept. */
  push(bytes: Buffer): Buffer[] {
    const frames: Buffer[] = [];
    let start = 0;
    for (;;) {
      const past = this.#scanner.next(bytes, start, bytes.length);
      if (past === INCOMPLETE) break;
      frames.push(this.#whole(bytes.subarray(start, past)));
      start = past;
    }
    if (start < bytes.length) this.#begun.push(Buffer.from(bytes.subarray(start)));
    return frames;
  }

  #whole(end: Buffer): Buffer {
    if (this.#begun.length === 0) return end;
    const whole = Buffer.concat([...this.#begun, end]);
    this.#begun = [];
    return whole;
  }
}
