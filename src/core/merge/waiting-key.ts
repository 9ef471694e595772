import type { KeyPart, NamedElement } from "./key-part.ts";
import type { KeyEffect, KeyType } from "./operation.ts";

/**
 * What transactions that are under way write of one key, and what of it clients have written meanwhile: that has to be written again, since they
 * may not know of it. Different elements of a key do not disturb each other.
 */
export class WaitingKey {
  #applies = 0;
  #operations = 0;
  /** Transactions that write all of it. */
  #wholes = 0;
  readonly #elements = new Map<KeyType, Map<string, WaitingElement>>();
  #raced: "nothing" | "expiry" | "all" = "nothing";

  get isIdle(): boolean {
    return this.#applies === 0;
  }

  /** Something else than repairs is under way. */
  get hasOperation(): boolean {
    return this.#operations > 0;
  }

  begin(part: KeyPart, isOperation: boolean): void {
    this.#applies += 1;
    if (isOperation) this.#operations += 1;
    if (part === "all") this.#wholes += 1;
    else for (const each of part.elements) this.#beginElement(each);
  }

  /** A client did this. */
  race(effect: KeyEffect | "flush"): void {
    if (effect === "flush" || this.#wholes > 0) this.#raced = "all";
    else if ("element" in effect) this.#raceElement(effect);
    else if (effect.kind === "clear") this.#raced = "all";
    else if (this.#raced === "nothing") this.#raced = "expiry";
  }

  /** The transaction has come back. What is to be written again now: nothing disturbs that any more. */
  end(part: KeyPart, isOperation: boolean): KeyPart | undefined {
    this.#applies -= 1;
    if (isOperation) this.#operations -= 1;
    if (part === "all") this.#wholes -= 1;
    const elements = part === "all" ? [] : part.elements.filter((each) => this.#isRacedAtEnd(each));
    const isAll = this.isIdle && this.#raced === "all";
    const hasExpiry = this.isIdle && this.#raced === "expiry";
    if (this.isIdle) this.#raced = "nothing";
    if (isAll) return "all";
    return elements.length > 0 || hasExpiry ? { elements, hasExpiry } : undefined;
  }

  #beginElement({ type, element }: NamedElement): void {
    const ofType = this.#elements.get(type) ?? new Map<string, WaitingElement>();
    const waiting = ofType.get(element);
    if (waiting === undefined) ofType.set(element, { applies: 1, isRaced: false });
    else waiting.applies += 1;
    this.#elements.set(type, ofType);
  }

  #raceElement({ type, element }: NamedElement): void {
    for (const of of this.#elements.keys()) if (of !== type) this.#raced = "all";
    const waiting = this.#elements.get(type)?.get(element);
    if (waiting !== undefined) waiting.isRaced = true;
  }

  #isRacedAtEnd({ type, element }: NamedElement): boolean {
    const ofType = this.#elements.get(type);
    const waiting = ofType?.get(element);
    if (ofType === undefined || waiting === undefined) return false;
    waiting.applies -= 1;
    if (waiting.applies > 0) return false;
    ofType.delete(element);
    if (ofType.size === 0) this.#elements.delete(type);
    return waiting.isRaced;
  }
}

interface WaitingElement {
  applies: number;
  isRaced: boolean;
}
