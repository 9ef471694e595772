import { rangeAt, type KeyPlace, type KeyRange } from "../../../core/slots/keys-of.ts";
import { SlotOfPieces } from "../../../core/slots/slot.ts";

/**
 * Finds the slots of the keys of a request that arrives in pieces and is kept nowhere: a request of RESP whose form its reader has checked. What no
 * engine would find is no key.
 */
export class KeysInPieces {
  /** The slot of the first key; undefined while that has not arrived, and when there is none. */
  slot: number | undefined;
  /** A key has another slot than the first one. */
  crosses = false;
  /** Known from its first line: of how many words the request is. */
  #words: number | undefined;
  /** The number of the word that arrives, the name being 0. */
  #word = -1;
  readonly #ranges: KeyRange[] = [];
  readonly #places: readonly KeyPlace[];
  #isMalformed = false;
  #state: "line" | "word" | "end" = "line";
  #number = 0;
  #key: SlotOfPieces | undefined;
  /** What has arrived of a word that may say how many keys follow. */
  #count = "";

  /** `places`: where the keys of the command stand. */
  constructor(places: readonly KeyPlace[]) {
    this.#places = places;
  }

  /** No key comes before the first one that is known, or the request has none. */
  get isDecided(): boolean {
    if (this.slot !== undefined || this.#isMalformed) return true;
    const isAhead = this.#ranges.length < this.#places.length || this.#ranges.some(({ to }) => to > this.#word);
    return this.#words !== undefined && !isAhead && this.#key === undefined;
  }

  /** Takes what follows. */
  take(bytes: Buffer): void {
    for (let at = 0; at < bytes.length;) {
      if (this.#state === "word") at = this.#takeWord(bytes, at);
      else this.#takeByte(bytes[at++] ?? 0);
    }
  }

  /** Bytes of structure: the line before a word, and the end of the line behind it. */
  #takeByte(byte: number): void {
    if (byte >= ZERO && byte <= NINE) this.#number = this.#number * 10 + byte - ZERO;
    if (byte !== LF) return;
    if (this.#state === "end") this.#state = "line";
    else if (this.#words === undefined) this.#begin(this.#number);
    else this.#beginWord();
    if (this.#state === "line") this.#number = 0;
  }

  #begin(words: number): void {
    this.#words = words;
    for (const place of this.#places) if (place.kind !== "counted" || place.countAt >= words) this.#find(place, "");
  }

  /** Notes where the keys of a place stand. */
  #find(place: KeyPlace, count: string): void {
    const range = rangeAt(place, this.#words ?? 0, count);
    if (range === undefined) this.#isMalformed = true;
    else this.#ranges.push(range);
  }

  #beginWord(): void {
    const word = ++this.#word;
    const isKey = this.#ranges.some(({ from, to, step }) => word >= from && word <= to && (word - from) % step === 0);
    this.#key = isKey && !this.#isMalformed ? new SlotOfPieces() : undefined;
    this.#count = "";
    this.#state = "word";
    if (this.#number === 0) this.#endWord();
  }

  /** The position behind what it takes. */
  #takeWord(bytes: Buffer, start: number): number {
    const end = Math.min(start + this.#number, bytes.length);
    this.#number -= end - start;
    this.#key?.take(bytes, start, end);
    if (this.#count.length < MOST_DIGITS && this.#countedHere !== undefined)
      this.#count += bytes.toString("latin1", start, Math.min(end, start + MOST_DIGITS));
    if (this.#number === 0) this.#endWord();
    return end;
  }

  /** The place whose number of keys the present word says. */
  get #countedHere(): KeyPlace | undefined {
    return this.#places.find((place) => place.kind === "counted" && place.countAt === this.#word);
  }

  #endWord(): void {
    this.#state = "end";
    if (this.#key !== undefined) this.#note(this.#key.slot);
    this.#key = undefined;
    const place = this.#countedHere;
    if (place !== undefined) this.#find(place, this.#count);
  }

  #note(slot: number): void {
    this.slot ??= slot;
    this.crosses ||= slot !== this.slot;
  }
}

const [LF, ZERO, NINE] = [10, 48, 57];
/** A count of more digits is of more words than a request may have. */
const MOST_DIGITS = 12;
