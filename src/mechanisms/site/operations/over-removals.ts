import { Fault } from "#kit/base/fault";
import { removalOfOver, type OverKey } from "../../../core/merge/over-removals.ts";
import { engineCodeOf, type EngineClient } from "../../../ports/resp/engine-client.ts";
import { asClient, type LinkKeyCommand } from "../saved/marks.ts";
import { readAt } from "../saved/transaction.ts";
import type { LookContext } from "./key-looks.ts";
import { Wakeup } from "./wakeup.ts";

/** What a site knows of keys of which something is over. */
export interface OverFinder {
  /** Asked at a place of the stream: `busy` while something on the key is under way. `now`: in milliseconds since 1970. */
  overOf(key: string, now: number): OverKey | "busy" | undefined;
  /** Nothing of the key is over any more, or it stays. */
  endOver(key: string): void;
}

/** Keys that are watched together, where no client writes them. */
const MOST_TOGETHER = 32;
/** How long a key is left alone that a client wrote meanwhile, in milliseconds. */
const AGAIN_MS = 5;
/** So often it is tried: what a client writes all the time stays. */
const TRIES = 400;

/**
 * Removes what is over of keys, and no write of a client with it: each key is watched from before a place of the stream at which it is asked what is over, and
 * the engine removes that only if nothing has changed the key since.
 */
export class OverRemovals {
  readonly #context: LookContext;
  readonly #name: string;
  readonly #keys: OverFinder;
  readonly #work = new Wakeup();
  /** How often each key was tried. */
  readonly #waiting = new Map<string, number>();
  #together = MOST_TOGETHER;
  #asked: Asked | undefined;
  #beside: Promise<EngineClient> | undefined;
  #number = 0;

  /** `name`: tells its marks from those of an earlier link. */
  constructor(context: LookContext, name: string, keys: OverFinder) {
    this.#context = context;
    this.#name = name;
    this.#keys = keys;
  }

  /** Something of these keys is over. */
  add(keys: readonly string[]): void {
    for (const key of keys) this.#waiting.set(key, 0);
    if (keys.length > 0) this.#work.wake();
  }

  /** A mark came by in the stream; false when it is none of these. */
  take(mark: string): boolean {
    if (this.#asked?.mark !== mark) return false;
    const { keys, found } = this.#asked;
    const now = this.#context.clock.now().getTime();
    this.#asked = undefined;
    found.resolve(keys.map((key) => ({ key, over: this.#keys.overOf(key, now) })));
    return true;
  }

  /** Removes until the signal comes; rejects when the connection ends. */
  async run(): Promise<void> {
    const { clock, signal } = this.#context;
    while (!signal.aborted) {
      const more = this.#work.next();
      if (this.#waiting.size === 0) await more;
      else if (await this.#removeNext()) this.#together = Math.min(MOST_TOGETHER, 2 * this.#together);
      else {
        this.#together = 1;
        // aborted: the loop looks at the signal
        await clock.sleep(AGAIN_MS, signal).catch(() => undefined);
      }
    }
  }

  /** Ends what waits: the signal has come. */
  end(): void {
    this.#work.wake();
    this.#asked?.found.resolve([]);
  }

  /** False when a key has to be tried again. */
  async #removeNext(): Promise<boolean> {
    const keys = [...this.#waiting.keys()].slice(0, this.#together);
    const found = await this.#findWatched(keys);
    const over = found.flatMap((each) => (typeof each.over === "object" ? each.over : []));
    const isDone = await this.#remove(over);
    for (const each of found)
      if (each.over === undefined || (isDone && each.over !== "busy")) this.#end(each.key);
      else this.#tryAgain(each.key);
    return isDone && over.length === found.filter((each) => each.over !== undefined).length;
  }

  /** What is over of the keys at a place of the stream, before which they are watched. */
  async #findWatched(keys: readonly string[]): Promise<readonly Found[]> {
    await this.#ask([["WATCH", ...keys]]);
    this.#number += 1;
    const mark = `over:${this.#name}:${this.#number}`;
    const found = Promise.withResolvers<readonly Found[]>();
    this.#asked = { mark, keys, found };
    readAt(this.#context, mark, []).catch((error: unknown) => void found.reject(error));
    return found.promise;
  }

  /** False when something has changed a key since, or the engine takes no writes now. */
  async #remove(over: readonly OverKey[]): Promise<boolean> {
    const commands = over.flatMap(removalOfOver);
    // a transaction without commands ends the watch, too
    const isExecuted = Array.isArray(await this.#ask(asClient(commands)));
    return isExecuted || commands.length === 0;
  }

  #end(key: string): void {
    this.#waiting.delete(key);
    this.#keys.endOver(key);
  }

  #tryAgain(key: string): void {
    const tries = (this.#waiting.get(key) ?? 0) + 1;
    this.#waiting.delete(key);
    if (tries < TRIES) this.#waiting.set(key, tries);
    else this.#keys.endOver(key);
  }

  /** The last reply; undefined when the engine takes no writes now. */
  async #ask(commands: readonly LinkKeyCommand[]): Promise<unknown> {
    const client = await (this.#beside ??= this.#context.beside());
    const last = (await client.callAll(commands, "latin1")).at(-1);
    if (!(last instanceof Fault)) return last;
    if (engineCodeOf(last) === "EXECABORT") return undefined;
    throw last;
  }
}

interface Found {
  readonly key: string;
  readonly over: OverKey | "busy" | undefined;
}

interface Asked {
  readonly mark: string;
  readonly keys: readonly string[];
  readonly found: PromiseWithResolvers<readonly Found[]>;
}
