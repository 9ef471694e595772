import { commandParts } from "./command-parts.ts";
import type { OrderedMembers } from "./ordered-members.ts";

/** A member with its new score; undefined: it was removed. */
export interface ScoreChange {
  readonly member: string;
  readonly score: number | undefined;
}

/** What a command does to a set with these members; undefined: this cannot be said. */
export type ScoreRule = (members: OrderedMembers, args: readonly string[]) => readonly ScoreChange[] | undefined;

/** For each command that changes some members of a sorted set. */
export const SCORE_RULES: Readonly<Record<string, ScoreRule>> = {
  ZADD: addedScores,
  ZINCRBY: (members, [, by = "", member = ""]) => incrementedScore(members, member, by),
  ZREM: (members, [, ...named]) => removedScores(named.filter((member) => members.scoreOf(member) !== undefined)),
  ZPOPMIN: (members, [, count = "1"]) => removedScores(members.between(0, Number(count) - 1)),
  ZPOPMAX: (members, [, count = "1"]) =>
    removedScores(members.between(Math.max(0, members.size - Number(count)), members.size - 1)),
  ZREMRANGEBYRANK(members, [, first = "", last = ""]) {
    const placeOf = (text: string): number => (Number(text) < 0 ? members.size + Number(text) : Number(text));
    return removedScores(members.between(Math.max(0, placeOf(first)), placeOf(last)));
  },
  ZREMRANGEBYSCORE(members, [, min = "", max = ""]) {
    const [low, high] = [scoreIn(boundIn(min)), scoreIn(boundIn(max))];
    if (low === undefined || high === undefined) return undefined;
    const first = members.countWhile(({ score }) => (isOpen(min) ? score <= low : score < low));
    const end = members.countWhile(({ score }) => (isOpen(max) ? score < high : score <= high));
    return removedScores(members.between(first, end - 1));
  },
  ZREMRANGEBYLEX(members, [, min = "", max = ""]) {
    if (!haveOneScore(members)) return undefined;
    return removedScores(members.between(countBefore(members, min, true), countBefore(members, max, false) - 1));
  },
};

function addedScores(members: OrderedMembers, args: readonly string[]): readonly ScoreChange[] | undefined {
  const parts = commandParts("ZADD", args);
  const begin = parts?.get("score");
  if (parts === undefined || begin === undefined) return undefined;
  const after = new Map<string, number>();
  for (let at = begin; at < args.length; at += 2) {
    const [by, member = ""] = [scoreIn(args[at] ?? ""), args[at + 1]];
    if (by === undefined) return undefined;
    const was = after.get(member) ?? members.scoreOf(member);
    const score = parts.has("INCR") ? (was ?? 0) + by : by;
    if (score !== was && allowsScore(parts, was, score)) after.set(member, score);
  }
  return [...after].map(([member, score]) => ({ member, score }));
}

/** Whether the options of `ZADD` let a member that has a score, or none, get this one. */
function allowsScore(options: Pick<Map<string, unknown>, "has">, was: number | undefined, score: number): boolean {
  if (was === undefined) return !options.has("XX");
  return !(options.has("NX") || (options.has("GT") && score <= was) || (options.has("LT") && score >= was));
}

function incrementedScore(members: OrderedMembers, member: string, by: string): readonly ScoreChange[] | undefined {
  const amount = scoreIn(by);
  return amount === undefined ? undefined : [{ member, score: (members.scoreOf(member) ?? 0) + amount }];
}

function removedScores(members: readonly string[]): readonly ScoreChange[] {
  return members.map((member) => ({ member, score: undefined }));
}

/** As an engine reads it, where that is certain. */
export function scoreIn(text: unknown): number | undefined {
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
