import type { Fault } from "#kit/base/fault";
import type { Reply } from "./reply.ts";

/** A command that has been sent and is not answered. */
export interface WaitingCall {
  readonly name: string;
  /** It is answered; an error reply is a fault. */
  readonly take: (outcome: Reply | Fault) => void;
  /** It never will be. */
  readonly fail: (fault: Fault) => void;
}

/**
 * In the order in which they were sent. `shift` of an array takes a time that grows with its length, and a transaction may have a hundred
 * thousand commands.
 */
export class WaitingCalls {
  #calls: (WaitingCall | undefined)[] = [];
  #first = 0;

  push(call: WaitingCall): void {
    this.#calls.push(call);
  }

  get first(): WaitingCall | undefined {
    return this.#calls[this.#first];
  }

  shift(): WaitingCall | undefined {
    const call = this.#calls[this.#first];
    if (call === undefined) return undefined;
    this.#calls[this.#first] = undefined;
    this.#first += 1;
    if (this.#first > MOST_SHIFTED && 2 * this.#first > this.#calls.length)
      [this.#calls, this.#first] = [this.#calls.slice(this.#first), 0];
    return call;
  }
}

/** Places of calls that are gone are kept up to this number, or half of all. */
const MOST_SHIFTED = 64;
