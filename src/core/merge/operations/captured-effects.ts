import { add, effects, pairs, putEffect, readKeys, type Captured, type Rule } from "./captured.ts";
import { membersGone, scoreIncremented, zadd } from "./captured-scores.ts";
import { commandParts } from "./command-parts.ts";
import { expiredEffects } from "./expired-effects.ts";
import type { KnownScores } from "./known-scores.ts";
import type { Effect, KeyType } from "./operation.ts";

/**
 * What the next command in the stream did; undefined of one that changes no key, or is none of an Active-Active database. `known`: the
 * members of sorted sets before it; after it when this returns.
 */
export function capturedEffects(command: readonly string[], known?: KnownScores): Captured | undefined {
  const changes = known?.pass(command);
  const expired = expiredEffects(command);
  if (expired.length > 0) return effects(expired);
  const [name = "", ...args] = command;
  return COMMANDS[name.toUpperCase()]?.(args, changes);
}

const first: Rule = ([key]) => readKeys(key);

const removal =
  (type: KeyType): Rule =>
  ([key = "", ...elements]) =>
    effects(elements.map((element): Effect => ({ kind: "remove", type, key, element })));
const clears: Rule = (keys) => effects(keys.map((key): Effect => ({ kind: "clear", key })));
/** The new value takes the place of whatever the key held, its expiry included. */
const replaceValue = (key: string, value: string): readonly Effect[] => [
  { kind: "clear", key },
  putEffect("string", key, "", value),
];
const counter =
  (sign: 1n | -1n): Rule =>
  ([key = "", by = "1"]) =>
    effects([add("string", key, "", sign * BigInt(by))]);

const COMMANDS: Readonly<Record<string, Rule>> = {
  SET: captureSet,
  SETNX: ([key = "", value = ""]) => effects(replaceValue(key, value)),
  GETSET: ([key = "", value = ""]) => effects(replaceValue(key, value)),
  MSET: (args) => effects(pairs(args).flatMap(([key, value]) => replaceValue(key, value))),
  MSETNX: (args) => effects(pairs(args).flatMap(([key, value]) => replaceValue(key, value))),
  DEL: clears,
  UNLINK: clears,
  FLUSHDB: () => effects([{ kind: "flush" }]),
  FLUSHALL: () => effects([{ kind: "flush" }]),
  INCR: counter(1n),
  INCRBY: counter(1n),
  DECR: counter(-1n),
  DECRBY: counter(-1n),
  ...Object.fromEntries(["APPEND", "SETRANGE", "SETBIT", "BITFIELD", "PFADD"].map((name) => [name, first])),
  PFMERGE: first,
  BITOP: ([, destination]) => readKeys(destination),
  PEXPIREAT: ([key = "", at]) => effects([{ kind: "expire", key, at: Number(at) }]),
  PERSIST: ([key = ""]) => effects([{ kind: "expire", key, at: undefined }]),
  HSET: hashPuts,
  HMSET: hashPuts,
  HSETNX: hashPuts,
  HDEL: removal("hash"),
  HINCRBY: ([key = "", field = "", by = "0"]) => effects([add("hash", key, field, BigInt(by))]),
  SADD: ([key = "", ...elements]) => effects(elements.map((element) => putEffect("set", key, element, ""))),
  SREM: removal("set"),
  SMOVE: ([from = "", to = "", element = ""]) =>
    effects([{ kind: "remove", type: "set", key: from, element }, putEffect("set", to, element, "")]),
  ZADD: zadd,
  ZINCRBY: ([key = "", by = "", member = ""], changes) => scoreIncremented({ key, member, by }, changes),
  ZREM: removal("zset"),
  ...Object.fromEntries(
    ["ZPOPMIN", "ZPOPMAX", "ZREMRANGEBYSCORE", "ZREMRANGEBYRANK", "ZREMRANGEBYLEX"].map((name) => [name, membersGone]),
  ),
  ...Object.fromEntries(
    [
      "SINTERSTORE",
      "SUNIONSTORE",
      "SDIFFSTORE",
      "ZUNIONSTORE",
      "ZINTERSTORE",
      "ZDIFFSTORE",
      "ZRANGESTORE",
      "GEOSEARCHSTORE",
      "RESTORE",
      "LPUSH",
      "RPUSH",
      "LPUSHX",
      "RPUSHX",
      "LPOP",
      "RPOP",
      "LSET",
      "LREM",
      "LTRIM",
      "LINSERT",
    ].map((name) => [name, first]),
  ),
  LMOVE: ([from, to]) => readKeys(from, to),
  RPOPLPUSH: ([from, to]) => readKeys(from, to),
  COPY: ([, to]) => readKeys(to),
  RENAME: captureRename,
  RENAMENX: captureRename,
  SORT: (args) => readKeys(args[commandParts("SORT", args)?.get("destination") ?? args.length]),
};

function captureSet(args: readonly string[]): Captured {
  const [key = "", value = ""] = args;
  const parts = commandParts("SET", args);
  if (parts === undefined) return readKeys(key);
  if (parts.has("KEEPTTL")) return effects([putEffect("string", key, "", value)]);
  const at = parts.get("unix-time-milliseconds");
  const expiry: readonly Effect[] = at === undefined ? [] : [{ kind: "expire", key, at: Number(args[at]) }];
  return effects([...replaceValue(key, value), ...expiry]);
}

function hashPuts([key = "", ...args]: readonly string[]): Captured {
  return effects(pairs(args).map(([field, value]) => putEffect("hash", key, field, value)));
}

function captureRename([from = "", to]: readonly string[]): Captured {
  return { effects: [{ kind: "clear", key: from }], read: to === undefined ? [] : [to], scores: [] };
}
