import type { KeyPart, NamedElement } from "../operations/key-part.ts";
import type { KeyEffect, KeyType } from "../operations/operation.ts";

/**
 * The parts of one key that transactions under way write, and those that clients have written meanwhile: these have to be written again, since
 * the transactions may not know of them. Different elements of a key do not disturb each other.
 */
export class WaitingKey {
  #applies = 0;
  #operations = 0;
  /** Transactions that write all of it. */
  #wholes = 0;
  /** Operations that set its time of expiry: where the key was gone when they were decided about, they write nothing. */
  #timings = 0;
  readonly #elements = new Map<KeyType, Map<string, WaitingElement>>();
  readonly #racedElements = new Set<WaitingElement>();
  #raced: "nothing" | "expiry" | "all" = "nothing";
  /** A transaction has come back since a client wrote the same. */
  #isWrittenOver = false;

  get isIdle(): boolean {
    return this.#applies === 0;
  }

  /** Something else than repairs is under way. */
  get hasOperation(): boolean {
    return this.#operations > 0;
  }

  /** What will be written again when nothing disturbs that any more. */
  get due(): KeyPart | undefined {
    if (this.#raced === "all") return "all";
    return partOrNothing([...this.#racedElements], this.#raced === "expiry");
  }

  /** False while `due` is undefined. */
  get isRaced(): boolean {
    return this.#raced !== "nothing" || this.#racedElements.size > 0;
  }

  /** What a client did may be hidden in the engine: until the first transaction comes back, the engine shows it. */
  get isHidden(): boolean {
    return this.#isWrittenOver && this.isRaced;
  }

  begin(part: KeyPart, isOperation: boolean): void {
    this.#applies += 1;
    if (isOperation) this.#operations += 1;
    if (part === "all") this.#wholes += 1;
    else {
      if (part.hasExpiry && isOperation) this.#timings += 1;
      for (const each of part.elements) this.#beginElement(each);
    }
  }

  /** A client did this. */
  race(effect: KeyEffect | "flush"): void {
    if (effect === "flush" || this.#wholes > 0) this.#raced = "all";
    else if ("element" in effect) this.#raceElement(effect);
    else if (effect.kind === "clear") this.#raced = "all";
    else if (this.#raced === "nothing") this.#raced = "expiry";
  }

  /** The transaction has come back; the answer is the part to be written again now, since nothing disturbs that any more. */
  end(part: KeyPart, isOperation: boolean): KeyPart | undefined {
    this.#applies -= 1;
    if (isOperation) this.#operations -= 1;
    if (part === "all") this.#wholes -= 1;
    else if (part.hasExpiry && isOperation) this.#timings -= 1;
    this.#isWrittenOver = this.isRaced;
    const elements = part === "all" ? [] : part.elements.filter((each) => this.#isRacedAtEnd(each));
    const isAll = this.isIdle && this.#raced === "all";
    const hasExpiry = this.isIdle && this.#raced === "expiry";
    if (this.isIdle) this.#raced = "nothing";
    return isAll ? "all" : partOrNothing(elements, hasExpiry);
  }

  #beginElement({ type, element }: NamedElement): void {
    const ofType = this.#elements.get(type) ?? new Map<string, WaitingElement>();
    const waiting = ofType.get(element);
    if (waiting === undefined) ofType.set(element, { type, element, applies: 1 });
    else waiting.applies += 1;
    this.#elements.set(type, ofType);
  }

  #raceElement({ type, element }: NamedElement): void {
    if (this.#timings > 0 && this.#raced === "nothing") this.#raced = "expiry";
    for (const of of this.#elements.keys()) if (of !== type) this.#raced = "all";
    const waiting = this.#elements.get(type)?.get(element);
    if (waiting !== undefined) this.#racedElements.add(waiting);
  }

  #isRacedAtEnd({ type, element }: NamedElement): boolean {
    const ofType = this.#elements.get(type);
    const waiting = ofType?.get(element);
    if (ofType === undefined || waiting === undefined) return false;
    waiting.applies -= 1;
    if (waiting.applies > 0) return false;
    ofType.delete(element);
    if (ofType.size === 0) this.#elements.delete(type);
    return this.#racedElements.delete(waiting);
  }
}

interface WaitingElement extends NamedElement {
  applies: number;
}

function partOrNothing(elements: readonly NamedElement[], hasExpiry: boolean): KeyPart | undefined {
  return elements.length > 0 || hasExpiry ? { elements, hasExpiry } : undefined;
}
