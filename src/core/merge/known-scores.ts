import { partsOf } from "./command-parts.ts";
import type { Effect } from "./operation.ts";
import { OrderedMembers } from "./ordered-members.ts";

/** A member with its new score; undefined: it was removed. */
export interface ScoreChange {
  readonly member: string;
  readonly score: number | undefined;
}

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

  /** False of a command of the site with which nothing changes here. */
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
    const rule = RULES[upper];
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
/** Those of a site that are the most, and change their first key alone. */
const OF_ONE_KEY = new Set(["INCRBY", "SADD", "HSET", "HINCRBY", "ZADD", "ZINCRBY", "RPUSH", "PEXPIREAT"]);
const FLUSHES = new Set(["FLUSHDB", "FLUSHALL"]);

function weightOf(members: OrderedMembers): number {
  return members.size + OF_A_SET;
}

/** Undefined: this cannot be said. */
type Rule = (members: OrderedMembers, args: readonly string[]) => readonly ScoreChange[] | undefined;

const RULES: Readonly<Record<string, Rule>> = {
  ZADD: added,
  ZINCRBY: (members, [, by = "", member = ""]) => incremented(members, member, by),
  ZREM: (members, [, ...named]) => removed(named.filter((member) => members.scoreOf(member) !== undefined)),
  ZPOPMIN: (members, [, count = "1"]) => removed(members.between(0, Number(count) - 1)),
  ZPOPMAX: (members, [, count = "1"]) =>
    removed(members.between(Math.max(0, members.size - Number(count)), members.size - 1)),
  ZREMRANGEBYRANK(members, [, first = "", last = ""]) {
    const placeOf = (text: string): number => (Number(text) < 0 ? members.size + Number(text) : Number(text));
    return removed(members.between(Math.max(0, placeOf(first)), placeOf(last)));
  },
  ZREMRANGEBYSCORE(members, [, min = "", max = ""]) {
    const [low, high] = [scoreIn(boundIn(min)), scoreIn(boundIn(max))];
    if (low === undefined || high === undefined) return undefined;
    const first = members.countWhile(({ score }) => (isOpen(min) ? score <= low : score < low));
    const end = members.countWhile(({ score }) => (isOpen(max) ? score < high : score <= high));
    return removed(members.between(first, end - 1));
  },
  ZREMRANGEBYLEX(members, [, min = "", max = ""]) {
    if (!haveOneScore(members)) return undefined;
    return removed(members.between(countBefore(members, min, true), countBefore(members, max, false) - 1));
  },
};

function added(members: OrderedMembers, args: readonly string[]): readonly ScoreChange[] | undefined {
  const parts = partsOf("ZADD", args);
  const begin = parts?.get("score");
  if (parts === undefined || begin === undefined) return undefined;
  const after = new Map<string, number>();
  for (let at = begin; at < args.length; at += 2) {
    const [by, member = ""] = [scoreIn(args[at] ?? ""), args[at + 1]];
    if (by === undefined) return undefined;
    const was = after.get(member) ?? members.scoreOf(member);
    const score = parts.has("INCR") ? (was ?? 0) + by : by;
    const isRefused =
      was === undefined
        ? parts.has("XX")
        : parts.has("NX") || (parts.has("GT") && score <= was) || (parts.has("LT") && score >= was);
    if (!isRefused && score !== was) after.set(member, score);
  }
  return [...after].map(([member, score]) => ({ member, score }));
}

function incremented(members: OrderedMembers, member: string, by: string): readonly ScoreChange[] | undefined {
  const amount = scoreIn(by);
  return amount === undefined ? undefined : [{ member, score: (members.scoreOf(member) ?? 0) + amount }];
}

function removed(members: readonly string[]): readonly ScoreChange[] {
  return members.map((member) => ({ member, score: undefined }));
}

/** As an engine reads it, where that is certain. */
function scoreIn(text: unknown): number | undefined {
  if (typeof text !== "string" || text === "") return undefined;
  const infinite = /^([+-]?)inf(inity)?$/i.exec(text);
  if (infinite !== null) return infinite[1] === "-" ? -Infinity : Infinity;
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined;
}

function isOpen(bound: string): boolean {
  return bound.startsWith("(");
}

function boundIn(bound: string): string {
  return isOpen(bound) ? bound.slice(1) : bound;
}

/** Only then are they in the order of their names. */
function haveOneScore(members: OrderedMembers): boolean {
  const [first, last] = [members.between(0, 0), members.between(members.size - 1, members.size - 1)];
  return members.scoreOf(first[0] ?? "") === members.scoreOf(last[0] ?? "");
}

/** `isLower`: what the bound names itself comes behind it. */
function countBefore(members: OrderedMembers, bound: string, isLower: boolean): number {
  if (bound === "-") return 0;
  if (bound === "+") return members.size;
  const name = bound.slice(1);
  const withName = isOpen(bound) === isLower;
  return members.countWhile(({ member }) => (withName ? member <= name : member < name));
}
