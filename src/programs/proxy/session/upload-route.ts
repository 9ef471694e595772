import type { PartialRequest } from "./partial-request.ts";
import { Upload } from "./upload.ts";
import type { UploadParts } from "./upload.ts";

/** The way of a request that is too large to be collected. */
export class UploadRoute {
  /** Present while such a request flows. */
  current: Upload | undefined;
  readonly #parts: UploadParts;

  constructor(parts: UploadParts) {
    this.#parts = parts;
  }

  /** Starts an upload with the beginning of a request, unless the request must be collected, which it must where there are several shards, or the session is pinned. */
  begin(head: PartialRequest): void {
    if (!this.#parts.turns.isPlain || this.#parts.endpoint.table !== undefined) return;
    this.current = Upload.of(this.#parts, head, (answer) => {
      this.#answer(answer);
    });
    this.current?.start();
  }

  /** The client does not wait for it any more. */
  drop(): void {
    this.current?.drop();
    this.current = undefined;
  }

  #answer(answer: Buffer): void {
    const { endpoint, output, turns } = this.#parts;
    this.current = undefined;
    endpoint.counters.requests++;
    output.reply(answer);
    turns.settled();
    turns.pump();
  }
}
