import { hash } from "node:crypto";
import type { MisplacedKeys } from "../../../ports/management/mover-control.ts";

/** Keys of a source whose slots are another shard's: a script had not declared them. They go nowhere. */
export class MisplacedNames {
  /** A mark of each, which follows from its database and its name: names may be long, and many. */
  readonly #marks = new Set<number>();
  /** What users see of some of them, by their marks. */
  readonly #examples = new Map<number, Example>();
  /** So many more keys are there, which have no mark. */
  #more = 0;

  /** Those that it has now; undefined when it has none. One without a mark counts again each time that it is written, and until the mover ends. */
  get found(): MisplacedKeys | undefined {
    const keys = this.#marks.size + this.#more;
    const [example] = this.#examples.values();
    return keys === 0 ? undefined : { keys, ...(example === undefined ? {} : { example }) };
  }

  add(database: number, key: Uint8Array): void {
    const mark = markOf(database, key);
    if (!this.#marks.has(mark)) {
      if (this.#marks.size >= MOST_MARKS) {
        this.#more += 1;
        return;
      }
      this.#marks.add(mark);
    }
    if (this.#examples.size < MOST_EXAMPLES) this.#examples.set(mark, { database, name: shownName(key) });
  }

  delete(database: number, key: Uint8Array): void {
    const mark = markOf(database, key);
    this.#marks.delete(mark);
    this.#examples.delete(mark);
  }
}

type Example = NonNullable<MisplacedKeys["example"]>;

/** They take some 50 MB. */
const MOST_MARKS = 1_000_000;
const MOST_EXAMPLES = 100;
/** In bytes. */
const LONGEST_NAME = 60;

/** Two of a million have the same mark once in hundreds of times. */
function markOf(database: number, key: Uint8Array): number {
  return hash("sha1", Buffer.concat([Buffer.from(`${database} `), key]), "buffer").readUIntBE(0, MARK_BYTES);
}

/** So many bytes make a number that is exact. */
const MARK_BYTES = 6;

function shownName(key: Uint8Array): string {
  const text = Buffer.from(key.subarray(0, LONGEST_NAME)).toString();
  return key.length > LONGEST_NAME ? `${text}…` : text;
}
