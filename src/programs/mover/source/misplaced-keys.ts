import type { MisplacedKeys } from "../../../ports/management/mover-control.ts";

/** Keys of a source whose slots are another shard's: a script had not declared them. They go nowhere. */
export class MisplacedNames {
  /** With their numbered database, of the first ones. */
  readonly #names = new Set<string>();
  #example = "";
  /** So many more keys are there, whose names are not kept. */
  #more = 0;

  /** Those that it has now; undefined when it has none. One without a kept name counts again each time that it is written. */
  get found(): MisplacedKeys | undefined {
    const keys = this.#names.size + this.#more;
    return keys === 0 ? undefined : { keys, example: this.#example };
  }

  add(database: number, key: Uint8Array): void {
    const name = nameOf(database, key);
    if (this.#names.has(name)) return;
    if (this.#names.size + this.#more === 0) this.#example = exampleOf(key);
    if (this.#names.size < MOST_NAMES && key.length <= LONGEST_NAME) this.#names.add(name);
    else this.#more += 1;
  }

  delete(database: number, key: Uint8Array): void {
    this.#names.delete(nameOf(database, key));
  }
}

const MOST_NAMES = 1_000;
/** In bytes. */
const LONGEST_NAME = 256;
const LONGEST_EXAMPLE = 60;

function nameOf(database: number, key: Uint8Array): string {
  return `${database} ${Buffer.from(key.buffer, key.byteOffset, key.length).toString("latin1")}`;
}

function exampleOf(key: Uint8Array): string {
  const text = Buffer.from(key.subarray(0, LONGEST_EXAMPLE)).toString();
  return key.length > LONGEST_EXAMPLE ? `${text}…` : text;
}
