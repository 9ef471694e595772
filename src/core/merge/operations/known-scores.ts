import type { Effect } from "./operation.ts";
import { OrderedMembers } from "./ordered-members.ts";
import { SCORE_RULES, scoreIn, type ScoreChange } from "./score-rules.ts";

/**
 * Sorted sets of which all members are known, at the place of the stream up to which commands were passed. The stream says that members
 * were popped, and not which; what was there before says it.
 */
export class KnownScores {
  readonly #most: number;
  /** The one that was used last comes last. */
  readonly #keys = new Map<string, OrderedMembers>();
  #weight = 0;

  /** `most`: members of all sets together. */
  constructor(most = MOST_MEMBERS) {
    this.#most = most;
  }

  /** False for a command of the site that changes nothing here. */
  isConcernedBy(name: string, key: () => string): boolean {
    return this.#keys.size > 0 && (!OF_ONE_KEY.has(name) || this.#keys.has(key()));
  }

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  /** The key of a command that changes some members of a set which is not known. */
  lackedBy([name = "", key = ""]: readonly string[]): string | undefined {
    return this.#keys.has(key) || !CHANGING.has(name.toUpperCase()) ? undefined : key;
  }

  /** The key holds what these effects make of it, at this place of the stream. */
  learn(key: string, effects: readonly Effect[]): void {
    this.#forget(key);
    const puts = effects.filter((effect) => effect.kind === "put");
    if (puts.some(({ type }) => type !== "zset")) return;
    const members = new OrderedMembers();
    for (const { element, value } of puts) {
      const score = scoreIn(value);
      if (score === undefined) return;
      members.set(element, score);
    }
    this.#remember(key, members);
  }

  /** What the next command of the stream changed in a sorted set; undefined when that is not known. */
  pass([name = "", ...args]: readonly string[]): readonly ScoreChange[] | undefined {
    if (this.#keys.size === 0) return undefined;
    const upper = name.toUpperCase();
    const [key = ""] = args;
    const rule = SCORE_RULES[upper];
    if (rule === undefined) this.#passOther(upper, args);
    const members = rule && this.#keys.get(key);
    if (members === undefined) return undefined;
    const changes = rule?.(members, args);
    this.#forget(key);
    if (changes === undefined) return undefined;
    for (const { member, score } of changes)
      if (score === undefined) members.delete(member);
      else members.set(member, score);
    this.#remember(key, members);
    return changes;
  }

  /** Whatever another command does with a key, its members are not known after it, unless it has none then. */
  #passOther(name: string, args: readonly string[]): void {
    if (TIMES.has(name)) return;
    if (REMOVES.has(name)) {
      for (const each of args) if (this.#keys.has(each)) this.learn(each, []);
      return;
    }
    if (FLUSHES.has(name)) {
      this.#keys.clear();
      this.#weight = 0;
    }
    for (const each of args) this.#forget(each);
  }

  #remember(key: string, members: OrderedMembers): void {
    this.#keys.set(key, members);
    this.#weight += weightOf(members);
    for (const [oldest] of this.#keys) {
      if (this.#weight <= this.#most) break;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    const members = this.#keys.get(key);
    if (members === undefined) return;
    this.#keys.delete(key);
    this.#weight -= weightOf(members);
  }
}

/** About 15 MB. */
const MOST_MEMBERS = 100_000;
/** What a set costs beside its members, in members. */
const OF_A_SET = 8;
const TIMES = new Set(["PEXPIREAT", "PERSIST"]);
const CHANGING = new Set(["ZADD", "ZINCRBY", "ZREM"]);
const REMOVES = new Set(["DEL", "UNLINK"]);
/** The most frequent commands of a site that change only their first key. */
const OF_ONE_KEY = new Set(["INCRBY", "SADD", "HSET", "HINCRBY", "ZADD", "ZINCRBY", "RPUSH", "PEXPIREAT"]);
const FLUSHES = new Set(["FLUSHDB", "FLUSHALL"]);

function weightOf(members: OrderedMembers): number {
  return members.size + OF_A_SET;
}
