import type { RacedKey } from "../operations/key-part.ts";
import type { WaitingKey } from "./waiting-key.ts";

/** Keys that are named at most: what is due is saved with each place. */
const MOST = 256;

/** What is being written again, or has to be when nothing disturbs that any more. A process that ends leaves it to the next one. */
export class DueRepairs {
  /** Keys that a client has written while a transaction on them is under way. */
  readonly #raced = new Map<string, WaitingKey>();
  readonly #repairs = new Map<string, RacedKey>();
  /** Undefined: not known. */
  #inherited: readonly RacedKey[] | undefined = [];
  #all: readonly RacedKey[] | undefined = [];
  #isAllKnown = true;

  /** Undefined when it is not known, or is too much to be saved each time. */
  get all(): readonly RacedKey[] | undefined {
    if (!this.#isAllKnown) this.#all = this.#find();
    this.#isAllKnown = true;
    return this.#all;
  }

  /** Takes over what the former process has left. */
  inherit(due: readonly RacedKey[] | undefined): void {
    this.#inherited = due;
    this.#isAllKnown = false;
  }

  /** Takes out what the former process has left, which is written now. */
  takeInherited(): readonly RacedKey[] | undefined {
    const inherited = this.#inherited;
    this.inherit([]);
    return inherited;
  }

  /** A key that transactions write may be raced now, or not any more. */
  look(key: string, waiting: WaitingKey | undefined): void {
    if (waiting?.isRaced === true) this.#raced.set(key, waiting);
    else if (!this.#raced.delete(key)) return;
    this.#isAllKnown = false;
  }

  /** What a client did to the key may be hidden in the engine, until a repair that is due or under way has come back. */
  isHidden(key: string): boolean {
    return this.#raced.get(key)?.isHidden === true || this.#repairs.values().some((repair) => repair.key === key);
  }

  begin(mark: string, repair: RacedKey): void {
    this.#repairs.set(mark, repair);
    this.#isAllKnown = false;
  }

  /** The mark has come back, perhaps of a transaction that is no repair. */
  end(mark: string): void {
    if (this.#repairs.delete(mark)) this.#isAllKnown = false;
  }

  #find(): readonly RacedKey[] | undefined {
    if (this.#inherited === undefined) return undefined;
    if (this.#inherited.length + this.#repairs.size + this.#raced.size > MOST) return undefined;
    const raced = [...this.#raced].flatMap(([key, { due }]) => (due === undefined ? [] : { key, part: due }));
    return [...this.#inherited, ...this.#repairs.values(), ...raced];
  }
}
