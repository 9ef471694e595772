import { add, effects, pairs, put, read, type Captured, type Rule } from "./captured.ts";
import { membersGone, scoreIncremented, zadd } from "./captured-scores.ts";
import { partsOf } from "./command-parts.ts";
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
  if (expired.length > 0) return effects(...expired);
  const [name = "", ...args] = command;
  return COMMANDS[name.toUpperCase()]?.(args, changes);
}

const first: Rule = ([key]) => read(key);

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
  LMOVE: ([from, to]) => read(from, to),
  RPOPLPUSH: ([from, to]) => read(from, to),
  COPY: ([, to]) => read(to),
  RENAME: renamed,
  RENAMENX: renamed,
  SORT: (args) => read(args[partsOf("SORT", args)?.get("destination") ?? args.length]),
};

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

function renamed([from = "", to]: readonly string[]): Captured {
  return { effects: [{ kind: "clear", key: from }], read: to === undefined ? [] : [to], scores: [] };
}
