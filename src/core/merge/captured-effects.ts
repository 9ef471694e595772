import { partsOf } from "./command-parts.ts";
import { expiredEffects } from "./expired-effects.ts";
import type { KnownScores, ScoreChange } from "./known-scores.ts";
import type { Effect, KeyType } from "./operation.ts";

/** What a command of an engine's stream did, as far as the command says it. */
export interface Captured {
  readonly effects: readonly Effect[];
  /** Keys whose whole value must be read: the command says how to make it, and not what it is. */
  readonly read: readonly string[];
  /** Members of sorted sets whose scores must be read, and nothing else of their key. */
  readonly scores: readonly NamedMembers[];
}

/** Some members of a sorted set. */
export interface NamedMembers {
  readonly key: string;
  readonly members: readonly string[];
}

/**
 * What the next command in the stream did; undefined of one that changes no key, or is none of an Active-Active database. `known`: the
 * members of sorted sets before it; after it when this returns.
 */
export function capturedEffects(command: readonly string[], known?: KnownScores): Captured | undefined {
  const changes = known?.pass(command);
  const expired = expiredEffects(command);
  if (expired.length > 0) return effects(...expired);
  const [name = "", ...args] = command;
  return COMMANDS[name.toUpperCase()]?.(args, changes);
}

/** `changes`: what it did to a sorted set, where that is known. */
type Rule = (args: readonly string[], changes?: readonly ScoreChange[]) => Captured;

const effects = (...list: readonly Effect[]): Captured => ({ effects: list, read: [], scores: [] });
const read = (...keys: readonly (string | undefined)[]): Captured => ({
  effects: [],
  read: keys.filter((key) => key !== undefined),
  scores: [],
});
const first: Rule = ([key]) => read(key);

const put = (type: KeyType, key: string, element: string, value: string): Effect => ({
  kind: "put",
  type,
  key,
  element,
  value,
});
const add = (type: KeyType, key: string, element: string, amount: bigint): Effect => ({
  kind: "add",
  type,
  key,
  element,
  amount,
});
const removal =
  (type: KeyType): Rule =>
  ([key = "", ...elements]) =>
    effects(...elements.map((element): Effect => ({ kind: "remove", type, key, element })));
const clears: Rule = (keys) => effects(...keys.map((key): Effect => ({ kind: "clear", key })));
/** The new value takes the place of whatever the key held, its expiry included. */
const replaced = (key: string, value: string): readonly Effect[] => [
  { kind: "clear", key },
  put("string", key, "", value),
];
const counter =
  (sign: 1n | -1n): Rule =>
  ([key = "", by = "1"]) =>
    effects(add("string", key, "", sign * BigInt(by)));

const COMMANDS: Readonly<Record<string, Rule>> = {
  SET: set,
  SETNX: ([key = "", value = ""]) => effects(...replaced(key, value)),
  GETSET: ([key = "", value = ""]) => effects(...replaced(key, value)),
  MSET: (args) => effects(...pairs(args).flatMap(([key, value]) => replaced(key, value))),
  MSETNX: (args) => effects(...pairs(args).flatMap(([key, value]) => replaced(key, value))),
  DEL: clears,
  UNLINK: clears,
  FLUSHDB: () => effects({ kind: "flush" }),
  FLUSHALL: () => effects({ kind: "flush" }),
  INCR: counter(1n),
  INCRBY: counter(1n),
  DECR: counter(-1n),
  DECRBY: counter(-1n),
  ...Object.fromEntries(["APPEND", "SETRANGE", "SETBIT", "BITFIELD", "PFADD"].map((name) => [name, first])),
  PFMERGE: first,
  BITOP: ([, destination]) => read(destination),
  PEXPIREAT: ([key = "", at]) => effects({ kind: "expire", key, at: Number(at) }),
  PERSIST: ([key = ""]) => effects({ kind: "expire", key, at: undefined }),
  HSET: hashPuts,
  HMSET: hashPuts,
  HSETNX: hashPuts,
  HDEL: removal("hash"),
  HINCRBY: ([key = "", field = "", by = "0"]) => effects(add("hash", key, field, BigInt(by))),
  SADD: ([key = "", ...elements]) => effects(...elements.map((element) => put("set", key, element, ""))),
  SREM: removal("set"),
  SMOVE: ([from = "", to = "", element = ""]) =>
    effects({ kind: "remove", type: "set", key: from, element }, put("set", to, element, "")),
  ZADD: zadd,
  ZINCRBY: ([key = "", by = "", member = ""], changes) => scoreIncremented({ key, member, by }, changes),
  ZREM: removal("zset"),
  ...Object.fromEntries(
    ["ZPOPMIN", "ZPOPMAX", "ZREMRANGEBYSCORE", "ZREMRANGEBYRANK", "ZREMRANGEBYLEX"].map((name) => [name, membersGone]),
  ),
  ...Object.fromEntries(
    [
      ...["SINTERSTORE", "SUNIONSTORE", "SDIFFSTORE", "ZUNIONSTORE", "ZINTERSTORE", "ZDIFFSTORE", "ZRANGESTORE"],
      ...["GEOSEARCHSTORE", "RESTORE", "LPUSH", "RPUSH", "LPUSHX", "RPUSHX", "LPOP", "RPOP", "LSET", "LREM", "LTRIM"],
      "LINSERT",
    ].map((name) => [name, first]),
  ),
  LMOVE: ([from, to]) => read(from, to),
  RPOPLPUSH: ([from, to]) => read(from, to),
  COPY: ([, to]) => read(to),
  RENAME: renamed,
  RENAMENX: renamed,
  SORT: (args) => read(args[partsOf("SORT", args)?.get("destination") ?? args.length]),
};

const INTEGER = /^-?\d{1,15}$/;

function set(args: readonly string[]): Captured {
  const [key = "", value = ""] = args;
  const parts = partsOf("SET", args);
  if (parts === undefined) return read(key);
  if (parts.has("KEEPTTL")) return effects(put("string", key, "", value));
  const at = parts.get("unix-time-milliseconds");
  const expiry: readonly Effect[] = at === undefined ? [] : [{ kind: "expire", key, at: Number(args[at]) }];
  return effects(...replaced(key, value), ...expiry);
}

function hashPuts([key = "", ...args]: readonly string[]): Captured {
  return effects(...pairs(args).map(([field, value]) => put("hash", key, field, value)));
}

/**
 * A command of one member is in the stream only when its condition was met. One of several does not say which of them it wrote: their scores
 * do.
 */
function zadd(args: readonly string[], changes?: readonly ScoreChange[]): Captured {
  const [key = ""] = args;
  const parts = partsOf("ZADD", args);
  const scored = parts?.get("score");
  if (parts === undefined || scored === undefined) return read(key);
  const named = pairs(args.slice(scored));
  const [[by, member] = ["", ""]] = named;
  if (parts.has("INCR") && !parts.has("NX")) return scoreIncremented({ key, member, by }, changes);
  if (named.length === 1 || !CONDITIONS.some((option) => parts.has(option)))
    return effects(...named.map(([score, element]) => put("zset", key, element, score)));
  if (changes !== undefined) return effects(...changes.map((change) => scoreChanged(key, change)));
  return scoresOf(key, ...named.map(([, element]) => element));
}

const CONDITIONS = ["NX", "XX", "GT", "LT"];

interface ScoreIncrement {
  readonly key: string;
  readonly member: string;
  readonly by: string;
}

/** A sum of fractions is a value: the one that comes later wins. */
function scoreIncremented({ key, member, by }: ScoreIncrement, changes?: readonly ScoreChange[]): Captured {
  if (INTEGER.test(by)) return effects(add("zset", key, member, BigInt(by)));
  return changes === undefined ? scoresOf(key, member) : effects(...changes.map((change) => scoreChanged(key, change)));
}

function membersGone([key = ""]: readonly string[], changes?: readonly ScoreChange[]): Captured {
  return changes === undefined ? read(key) : effects(...changes.map((change) => scoreChanged(key, change)));
}

function scoreChanged(key: string, { member, score }: ScoreChange): Effect {
  if (score === undefined) return { kind: "remove", type: "zset", key, element: member };
  const text = Number.isFinite(score) ? String(score) : score < 0 ? "-inf" : "inf";
  return put("zset", key, member, text);
}

function scoresOf(key: string, ...members: readonly string[]): Captured {
  return { effects: [], read: [], scores: [{ key, members }] };
}

function renamed([from = "", to]: readonly string[]): Captured {
  return { effects: [{ kind: "clear", key: from }], read: to === undefined ? [] : [to], scores: [] };
}

function pairs(args: readonly string[]): readonly (readonly [string, string])[] {
  return Array.from({ length: Math.floor(args.length / 2) }, (_, index) => [
    args[2 * index] ?? "",
    args[2 * index + 1] ?? "",
  ]);
}
