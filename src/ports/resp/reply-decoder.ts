import { decodeReply } from "./decode.ts";
import type { BulkForm } from "./decode.ts";
import type { ScanLimits } from "./frame-scanner.ts";
import { FrameSplitter } from "./frame-splitter.ts";
import type { Reply } from "./reply.ts";

/** Turns bytes in any chunking into replies, in order. Throws RESP_MALFORMED or RESP_TOO_LARGE, after which it must be dropped. */
export class ReplyDecoder {
  readonly #splitter: FrameSplitter;
  readonly #form: BulkForm;

  constructor(form: BulkForm = "text", limits?: ScanLimits) {
    this.#form = form;
    this.#splitter = new FrameSplitter(limits);
  }

  /** The replies that are complete with these bytes, which may be reused by the caller afterwards. */
  push(bytes: Buffer): Reply[] {
    return this.#splitter.push(bytes).map((frame) => decodeReply(frame, this.#form));
  }
}
