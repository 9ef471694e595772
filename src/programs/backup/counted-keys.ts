import { Fault } from "#kit/base/fault";
import { SnapshotReader } from "../../core/slots/snapshot/snapshot-reader.ts";

/** Counts the keys of a snapshot that passes by, and sees whether it is whole. */
export class CountedKeys {
  readonly #reader = new SnapshotReader(MOST_WHOLE);
  /** Data of a form that this release does not know: the file is as good, and cannot be looked into. */
  #isUnknown = false;
  #isWhole = false;
  /** Something stands behind the end. */
  #hasMore = false;
  /** Version of the format; 0 before it is known. */
  rdb = 0;
  keys = 0;

  /** Takes what comes next; the memory must not change afterwards. SLOTS_MALFORMED_SNAPSHOT when it is no snapshot. */
  push(piece: Uint8Array): void {
    if (this.#isUnknown) return;
    if (this.#isWhole) {
      this.#hasMore ||= piece.length > 0;
      return;
    }
    try {
      this.#reader.push(piece);
      for (let part = this.#reader.next(); part !== undefined; part = this.#reader.next()) {
        if (part.kind === "head") this.rdb = part.version;
        else if (part.kind === "key") this.keys += 1;
        else if (part.kind === "end") this.#isWhole = true;
      }
    } catch (error) {
      if (!(error instanceof Fault && error.code === UNKNOWN)) throw error;
      this.#isUnknown = true;
    }
  }

  /** All of it has passed: how many keys it has; undefined when it cannot be known, and "cut" when it does not end with its end. */
  finish(): number | "cut" | undefined {
    if (this.#isUnknown) return undefined;
    return this.#isWhole && !this.#hasMore && this.#reader.rest.length === 0 ? this.keys : "cut";
  }
}

const UNKNOWN = "SLOTS_UNKNOWN_DATA";
/** Of what has to be kept until all of it has come, a longer name makes the number unknown: damaged lengths would take all memory. */
const MOST_WHOLE = 16_777_216;
