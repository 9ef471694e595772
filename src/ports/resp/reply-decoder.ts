import { decodeReply } from "./decode.ts";
import type { BulkForm } from "./decode.ts";
import { FrameScanner, INCOMPLETE } from "./frame-scanner.ts";
import type { ScanLimits } from "./frame-scanner.ts";
import type { Reply } from "./reply.ts";

/** Turns bytes in any chunking into replies, in order. Throws RESP_MALFORMED or RESP_TOO_LARGE, after which it must be dropped. */
export class ReplyDecoder {
  readonly #scanner: FrameScanner;
  readonly #form: BulkForm;
  #carried: Buffer[] = [];

  constructor(form: BulkForm = "text", limits?: ScanLimits) {
    this.#form = form;
    this.#scanner = new FrameScanner(limits);
  }

  /** The replies that are complete with these bytes, which may be reused by the caller afterwards. */
  push(bytes: Uint8Array): Reply[] {
    const replies: Reply[] = [];
    let start = 0;
    for (;;) {
      const past = this.#scanner.next(bytes, start, bytes.length);
      if (past === INCOMPLETE) break;
      replies.push(decodeReply(this.#join(bytes.subarray(start, past)), this.#form));
      start = past;
    }
    if (start < bytes.length) this.#carried.push(Buffer.from(bytes.subarray(start)));
    return replies;
  }

  #join(tail: Uint8Array): Uint8Array {
    if (this.#carried.length === 0) return tail;
    const whole = Buffer.concat([...this.#carried, tail]);
    this.#carried = [];
    return whole;
  }
}
