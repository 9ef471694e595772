import type { Clock } from "#kit/base/clock";
import { KeyDigests, shortDigest } from "../../../core/merge/state/key-digests.ts";
import { engineCodeOf, errorReplyOf, type EngineClient } from "../../../ports/resp/engine-client.ts";
import { closeDigests, engineDigests, smallOf } from "./engine-digests.ts";
import { NameSearch } from "./name-search.ts";
import { Pacer } from "./pacing.ts";
import { scanPaced } from "./scan-keys.ts";
import type { SiteSlice } from "../saved/slice.ts";
import { Wakeup } from "../operations/wakeup.ts";

export interface KeyWalkOptions {
  /** Opens a connection to the engine. */
  readonly beside: () => Promise<EngineClient>;
  /** The keys that are walked through. */
  readonly slice: Pick<SiteSlice, "holds" | "ofEngine">;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Goes through all keys of the engine, again and again, with a small share of its time, and has the digests of the last time. */
export class KeyWalk {
  readonly #options: KeyWalkOptions;
  readonly #ended = new Wakeup();
  #client: Promise<EngineClient> | undefined;
  #latest: KeyDigests | undefined;
  #refusal = "";
  /** All questions to the engine. */
  readonly #pacer: Pacer;
  readonly #search: NameSearch;

  constructor(options: KeyWalkOptions) {
    this.#options = options;
    this.#pacer = new Pacer(options, SHARE / options.slice.ofEngine);
    this.#search = new NameSearch(() => this.#names());
  }

  /** The digests of all keys as they were met last; undefined before. */
  get latest(): KeyDigests | undefined {
    return this.#latest;
  }

  /** Why the engine gives no digests, in its words; empty while it does. */
  get refusal(): string {
    return this.#refusal;
  }

  /** Walks until the signal comes; rejects when the connection ends. */
  async run(): Promise<void> {
    const { clock, signal } = this.#options;
    while (!signal.aborted) {
      const isDone = await this.#walkOnce();
      this.#ended.wake();
      // aborted: the loop looks at the signal
      await clock.sleep(isDone ? REST_MS : REFUSED_MS, signal).catch(() => undefined);
    }
    this.#ended.wake();
  }

  /** Resolves at the end of the next walk that ends. */
  ended(): Promise<void> {
    return this.#ended.next();
  }

  /** Names that the engine holds, of those that are wanted: up to a limit. */
  gather(isWanted: (key: string) => boolean): Promise<readonly string[]> {
    return this.#search.find(isWanted);
  }

  /** Short digests of these keys as they are now: two numbers each. Close ones have the times of expiry, and what large keys hold. */
  async digests(names: readonly string[], areClose: boolean): Promise<Uint32Array> {
    const all = new Uint32Array(2 * names.length);
    const client = await this.#connection();
    const [pace, questions] = [this.#pacer.hurried, { left: MOST_QUESTIONS }];
    for (let at = 0; at < names.length; at += AT_ONCE) {
      const keys = names.slice(at, at + AT_ONCE);
      const digests = await (areClose
        ? closeDigests(client, keys, pace, questions)
        : engineDigests(client, keys, pace));
      for (const [index, key] of keys.entries()) all.set(shortDigest(key, digests[index] ?? ""), 2 * (at + index));
    }
    return all;
  }

  /** Those of the keys that the engine reads at once. */
  async small(names: readonly string[]): Promise<readonly string[]> {
    if (names.length === 0) return [];
    return smallOf(await this.#connection(), names, this.#pacer.hurried);
  }

  /** False when the engine refuses to give digests, for now or always. */
  async #walkOnce(): Promise<boolean> {
    const digests = new KeyDigests();
    try {
      for await (const keys of this.#names()) {
        const found = await engineDigests(await this.#connection(), keys, this.#pacer.unhurried);
        for (const [index, key] of keys.entries()) digests.add(key, found[index] ?? "");
      }
      this.#latest = digests;
      this.#refusal = "";
      return true;
    } catch (error) {
      if (!this.#options.signal.aborted && engineCodeOf(error) === undefined) throw error;
      this.#refusal = errorReplyOf(error) ?? "";
      return false;
    }
  }

  /** All names, some at a time; rejects when the signal comes. */
  async *#names(): AsyncGenerator<readonly string[]> {
    const { holds } = this.#options.slice;
    for await (const keys of scanPaced(await this.#connection(), { holds, atOnce: AT_ONCE }, this.#pacer.unhurried)) {
      this.#options.signal.throwIfAborted();
      if (keys.length > 0) yield keys;
    }
  }

  #connection(): Promise<EngineClient> {
    return (this.#client ??= this.#options.beside());
  }
}

/** The part of the time in which a question is under way, for all slices of an engine together. */
const SHARE = 0.03;
/** Parts of large keys that are read for keys that another site waits for: some seconds. */
const MOST_QUESTIONS = 256;
/** Keys of which digests are asked at once. */
const AT_ONCE = 500;
const REST_MS = 1_000;
const REFUSED_MS = 5_000;
