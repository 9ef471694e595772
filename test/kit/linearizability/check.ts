import type { Operation } from "./history.ts";
import { EMPTY, apply, textOf, type KeyState } from "./model.ts";

export type Verdict =
  | { readonly kind: "linearizable" }
  /** No order of the operations explains the answers; `around` is as far as the best order came, with what did not fit. */
  | { readonly kind: "broken"; readonly around: readonly Operation[] };

/** What beginnings of orders that are remembered may take, in bytes: well below the heap of a process. */
const MOST_BYTES = 512 * 1024 * 1024;
/** What one of them takes beside its text. */
const EACH_BYTES = 64;

/** A call or a return, in the order of time. */
interface Event {
  readonly operation: Operation;
  readonly number: number;
  readonly isCall: boolean;
  readonly at: number;
  before: Event | undefined;
  after: Event | undefined;
  /** The return that belongs to a call. */
  match: Event | undefined;
}

/**
 * Searches for an order in which the operations of one key, each at one moment between its call and its return, have the answers
 * that they had (Wing and Gong, with Lowe's memory of what was tried). An operation without a known outcome may come at any
 * moment after its call, or not at all.
 * Throws when there are too many orders to search in the memory that it may take: each operation without an outcome can double them.
 */
export function check(operations: readonly Operation[], start: KeyState = EMPTY, mostBytes = MOST_BYTES): Verdict {
  const head = chain(operations);
  const tried = new TriedOrders(operations, mostBytes);
  const path: { readonly call: Event; readonly state: KeyState }[] = [];
  let known = operations.filter(({ end }) => end !== undefined).length;
  let state = start;
  let best = 0;
  let stuckAt: Event | undefined;
  let event = head.after;
  while (known > 0) {
    if (event === undefined) throw new Error("the return of an operation is missing");
    if (event.isCall) {
      const next = apply(state, event.operation.act);
      if (next !== undefined) {
        if (tried.add(event.number, next)) {
          path.push({ call: event, state });
          state = next;
          if (event.operation.end !== undefined) known -= 1;
          lift(event);
          event = head.after;
          continue;
        }
      }
      event = event.after;
      continue;
    }
    if (path.length >= best) {
      best = path.length;
      stuckAt = event;
    }
    const last = path.pop();
    if (last === undefined) return { kind: "broken", around: aroundOf(operations, stuckAt) };
    state = last.state;
    tried.takeOut(last.call.number);
    if (last.call.operation.end !== undefined) known += 1;
    unlift(last.call);
    event = last.call.after;
  }
  return { kind: "linearizable" };
}

/** The beginnings of orders that were tried: which operations were in each, and the state behind it. */
class TriedOrders {
  readonly #operations: readonly Operation[];
  readonly #mostBytes: number;
  readonly #marks = new Set<string>();
  /** A bit for each operation that is in the present order. */
  readonly #done: Uint8Array;
  #bytes = 0;

  constructor(operations: readonly Operation[], mostBytes: number) {
    this.#operations = operations;
    this.#mostBytes = mostBytes;
    this.#done = new Uint8Array(Math.ceil(operations.length / 8));
  }

  /** Puts an operation behind the present order; false when the same ones led to the same state before. */
  add(number: number, state: KeyState): boolean {
    this.#flip(number);
    const mark = `${Buffer.from(this.#done).toString("latin1")} ${textOf(state)}`;
    if (this.#marks.has(mark)) {
      this.#flip(number);
      return false;
    }
    this.#bytes += 2 * mark.length + EACH_BYTES;
    if (this.#bytes > this.#mostBytes) throw this.#tooMany();
    this.#marks.add(mark);
    return true;
  }

  takeOut(number: number): void {
    this.#flip(number);
  }

  #flip(number: number): void {
    const at = number >> 3;
    this.#done[at] = (this.#done[at] ?? 0) ^ (1 << (number & 7));
  }

  #tooMany(): Error {
    const open = this.#operations.filter(({ end }) => end === undefined).length;
    const [first] = this.#operations;
    return new Error(
      `not decided: the ${this.#operations.length} operations of key "${first?.key ?? ""}", ${open} of them without a known outcome, have more than ${this.#marks.size} orders, ` +
        `which take more than ${Math.round(this.#mostBytes / 1_048_576)} MiB; with fewer clients of a key, or fewer ended connections, there are fewer`,
    );
  }
}

/** Calls and returns as a list; returns of unknown outcomes come last, and the search need not reach them. */
function chain(operations: readonly Operation[]): Event {
  const events = operations.flatMap((operation, number) => {
    const call = eventOf(operation, number, true, operation.begin);
    const back = eventOf(operation, number, false, operation.end ?? Number.POSITIVE_INFINITY);
    call.match = back;
    return [call, back];
  });
  // a call before a return of the same moment: they overlap
  events.sort((a, b) => (a.at === b.at ? Number(b.isCall) - Number(a.isCall) : a.at - b.at));
  const [first] = operations;
  if (first === undefined) throw new Error("there is no operation");
  const head = eventOf(first, -1, true, 0);
  let last = head;
  for (const event of events) {
    event.before = last;
    last.after = event;
    last = event;
  }
  return head;
}

function eventOf(operation: Operation, number: number, isCall: boolean, at: number): Event {
  return { operation, number, isCall, at, before: undefined, after: undefined, match: undefined };
}

/** Takes a call and its return out of the list. */
function lift(call: Event): void {
  for (const event of [call, call.match]) {
    if (event === undefined) continue;
    if (event.before !== undefined) event.before.after = event.after;
    if (event.after !== undefined) event.after.before = event.before;
  }
}

/** Puts them back, in the opposite order. */
function unlift(call: Event): void {
  for (const event of [call.match, call]) {
    if (event === undefined) continue;
    if (event.before !== undefined) event.before.after = event;
    if (event.after !== undefined) event.after.before = event;
  }
}

/** The operation whose answer fits into no order, and those that overlap it. */
function aroundOf(operations: readonly Operation[], stuckAt: Event | undefined): readonly Operation[] {
  if (stuckAt === undefined) return [];
  const { begin, end = Number.POSITIVE_INFINITY } = stuckAt.operation;
  return operations.filter((other) => other.begin <= end && (other.end ?? Number.POSITIVE_INFINITY) >= begin);
}
