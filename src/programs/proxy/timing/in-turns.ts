import { setImmediate as nextTurn } from "node:timers/promises";

/**
 * Long work on many clients, a little in each turn of the event loop, one after the other: with all of it that an endpoint has to do,
 * clients of others wait no longer.
 */
export class InTurns {
  #last: Promise<void> = Promise.resolve();
  /** Since the others had their turn: what is asked for is often little, and asked for by many at once. */
  #steps = 0;

  /** Does something with each that is there now, and still is when its turn comes; `act` says what that took, in steps of about a microsecond. */
  each<T>(items: ReadonlySet<T>, act: (item: T) => number): Promise<void> {
    const done = this.#last.then(() => this.#each(items, act));
    this.#last = done.then(doNothing, doNothing); // who asked is told
    return done;
  }

  async #each<T>(items: ReadonlySet<T>, act: (item: T) => number): Promise<void> {
    for (const item of [...items]) {
      if (!items.has(item)) continue;
      this.#steps += act(item);
      if (this.#steps < AT_ONCE) continue;
      await nextTurn();
      this.#steps = 0;
    }
  }
}

function doNothing(): void {}

/** Steps in a turn. */
const AT_ONCE = 512;
/** To end a connection takes about 0.1 ms. */
export const END_STEPS = 128;
/** To write the line of a client. */
export const LINE_STEPS = 8;
