import { isDeepStrictEqual } from "node:util";
import type { Answered } from "./story.ts";
import { COLLECTIONS } from "./collections.ts";
import type { Entry, Expected, Handler, Moment } from "./expected.ts";
import { mayEvict, type EvictionPolicy } from "./memory.ts";
import { executed, loadedBy } from "./programs.ts";
import { STREAMS } from "./streams.ts";
import { SLACK_NS, STRINGS } from "./strings.ts";

const HANDLERS: ReadonlyMap<string, Handler> = new Map(Object.entries({ ...STRINGS, ...COLLECTIONS, ...STREAMS }));

/** Where the key is, when it is not the first argument. */
const KEY_AT: Readonly<Record<string, number>> = { XGROUP: 1, XREADGROUP: 6 };

/** When a key may be gone that no client has deleted. */
export interface KeyspaceOptions {
  /** From this moment on the date of an engine may have been set, and a key may expire at any time. */
  readonly timesHoldUntil: number;
  /** What is taken when the memory is full; undefined: it never is. */
  readonly eviction?: EvictionPolicy | undefined;
}

/** The keys of one client, as they have to be after what it asked. Which of two it is when a key may have expired or been evicted, the answers show. */
export class Keyspace {
  readonly #keys = new Map<string, readonly (Entry | undefined)[]>();
  readonly #timesHoldUntil: number;
  readonly #eviction: EvictionPolicy | undefined;

  constructor({ timesHoldUntil, eviction }: KeyspaceOptions) {
    this.#timesHoldUntil = timesHoldUntil;
    this.#eviction = eviction;
  }

  /** What is wrong with the answer, in words; undefined when nothing is. */
  answer(command: readonly string[], reply: Answered, moment: Moment): string | undefined {
    const loaded = loadedBy(command);
    if (loaded !== undefined) return reply === loaded ? undefined : `${JSON.stringify(reply)} where ${loaded} is right`;
    const [name = "", ...args] = executed(command);
    // what an earlier story has left: how much is not known
    if (name === "UNLINK")
      return typeof reply === "number" ? undefined : `${JSON.stringify(reply)} where a number is right`;
    const handler = HANDLERS.get(name);
    if (handler === undefined) throw new Error(`the model does not know ${name}`);
    const key = args[KEY_AT[name] ?? 0] ?? "";
    const ways = distinct((this.#keys.get(key) ?? [undefined]).flatMap((entry) => this.#aliveOrNot(entry, moment))).map(
      (entry) => this.#timed(handler(entry, args, moment), name, moment),
    );
    const right = ways.filter(({ fits }) => fits(reply));
    if (right.length === 0)
      return `${JSON.stringify(reply)} where ${ways.map(({ text }) => text).join(" or ")} is right`;
    this.#keys.set(key, distinct(right.map(({ after }) => after(reply))));
    return undefined;
  }

  /** The entry, or none where the key may have expired or been evicted. */
  #aliveOrNot(entry: Entry | undefined, { begin, end }: Moment): readonly (Entry | undefined)[] {
    if (entry === undefined) return [entry];
    if (entry.deadline === undefined) return mayEvict(this.#eviction, false) ? [entry, undefined] : [entry];
    const { from, to } = entry.deadline;
    if (end > this.#timesHoldUntil) return [entry, undefined];
    if (end < from - SLACK_NS) return mayEvict(this.#eviction, true) ? [entry, undefined] : [entry];
    return begin > to + SLACK_NS ? [undefined] : [entry, undefined];
  }

  #timed(expected: Expected, name: string, { end }: Moment): Expected {
    const isTime = name === "PTTL" && end > this.#timesHoldUntil;
    return isTime ? { ...expected, text: "a time", fits: (reply) => typeof reply === "number" } : expected;
  }
}

/** Without those that are the same, so that they do not grow in number. */
function distinct(entries: readonly (Entry | undefined)[]): readonly (Entry | undefined)[] {
  if (entries.length < 2) return entries;
  return entries.filter((entry, at) => entries.findIndex((other) => isDeepStrictEqual(other, entry)) === at);
}
