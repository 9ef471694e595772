import type { Held, ModelKeys } from "./model-keys.ts";

type Rule = (engine: ModelKeys, key: string, args: readonly string[]) => boolean;

const EMPTY: Readonly<Record<Held["type"], () => Held>> = {
  string: () => ({ type: "string", value: "0" }),
  list: () => ({ type: "list", value: [] }),
  set: () => ({ type: "set", value: new Set() }),
  hash: () => ({ type: "hash", value: new Map() }),
  zset: () => ({ type: "zset", value: new Map() }),
};

/** The key as that type, made when there is none; undefined when it has another one. */
function as(engine: ModelKeys, key: string, type: "list" | "set" | "hash" | "zset"): Held | undefined {
  const held = engine.get(key);
  if (held !== undefined) return held.type === type ? held : undefined;
  const made = EMPTY[type]();
  engine.put(key, made);
  return made;
}

const mapOf = (held: Held | undefined): Map<string, string> | undefined =>
  held?.type === "hash" || held?.type === "zset" ? held.value : undefined;

const increment =
  (type: "hash" | "zset"): Rule =>
  (engine, key, args) => {
    const [member = "", by = "0"] = type === "hash" ? args : args.toReversed();
    const map = mapOf(as(engine, key, type));
    map?.set(member, String(Number(map.get(member) ?? 0) + Number(by)));
    return map !== undefined;
  };

const removal =
  (type: "hash" | "zset"): Rule =>
  (engine, key, members) => {
    const map = mapOf(as(engine, key, type));
    return members.filter((member) => map?.delete(member)).length > 0;
  };

type Scored = readonly [member: string, score: string];

function removalOf(chosen: (sorted: readonly Scored[], args: readonly string[]) => readonly Scored[]): Rule {
  return (engine, key, args) => {
    const held = engine.get(key);
    if (held?.type !== "zset") return false;
    const sorted = [...held.value].toSorted(([a, x], [b, y]) => Number(x) - Number(y) || (a < b ? -1 : 1));
    return chosen(sorted, args).filter(([member]) => held.value.delete(member)).length > 0;
  };
}

/** With one option at most. */
function addScores(map: Map<string, string>, args: readonly string[]): boolean {
  const option = args.length % 2 === 1 ? args[0] : undefined;
  let isChanged = false;
  for (let at = option === undefined ? 0 : 1; at < args.length; at += 2) {
    const [given = "", member = ""] = args.slice(at, at + 2);
    const was = map.get(member);
    const score = option === "INCR" ? String(Number(was ?? 0) + Number(given)) : given;
    const isRefused =
      (option === "NX" && was !== undefined) ||
      (option === "XX" && was === undefined) ||
      (option === "GT" && was !== undefined && Number(score) <= Number(was));
    if (isRefused || was === score) continue;
    map.set(member, score);
    isChanged = true;
  }
  return isChanged;
}

/** What each command does in the model. */
export const RULES: Readonly<Record<string, Rule>> = {
  SET(engine, key, [value = "", option]) {
    if (option !== "KEEPTTL") engine.drop(key);
    engine.put(key, { type: "string", value });
    return true;
  },
  INCRBY(engine, key, [by = "0"]) {
    const held = engine.get(key) ?? EMPTY.string();
    if (held.type !== "string" || !/^-?\d+$/.test(held.value)) return false;
    engine.put(key, { type: "string", value: String(BigInt(held.value) + BigInt(by)) });
    return true;
  },
  APPEND(engine, key, [more = ""]) {
    const held = engine.get(key) ?? { type: "string", value: "" };
    if (held.type !== "string") return false;
    engine.put(key, { type: "string", value: held.value + more });
    return true;
  },
  FLUSHDB: (engine) => engine.flush(),
  DEL: (engine, key) => engine.drop(key),
  PEXPIREAT: (engine, key, [at]) => engine.setExpiry(key, Number(at)),
  PERSIST: (engine, key) => engine.setExpiry(key, undefined),
  RPUSH(engine, key, elements) {
    const held = as(engine, key, "list");
    if (held?.type !== "list") return false;
    held.value.push(...elements);
    return true;
  },
  LPOP(engine, key) {
    const held = engine.get(key);
    return held?.type === "list" && held.value.shift() !== undefined;
  },
  SADD(engine, key, members) {
    const held = as(engine, key, "set");
    if (held?.type !== "set") return false;
    const size = held.value.size;
    for (const member of members) held.value.add(member);
    return held.value.size > size;
  },
  SREM(engine, key, members) {
    const held = engine.get(key);
    return held?.type === "set" && members.filter((member) => held.value.delete(member)).length > 0;
  },
  HSET(engine, key, [field = "", value = ""]) {
    const map = mapOf(as(engine, key, "hash"));
    map?.set(field, value);
    return map !== undefined;
  },
  HDEL: removal("hash"),
  HINCRBY: increment("hash"),
  ZADD(engine, key, args) {
    const map = mapOf(as(engine, key, "zset"));
    return map !== undefined && addScores(map, args);
  },
  ZPOPMIN: removalOf((sorted) => sorted.slice(0, 1)),
  ZPOPMAX: removalOf((sorted) => sorted.slice(-1)),
  ZREMRANGEBYRANK: removalOf((sorted, [first, last]) => sorted.slice(Number(first), Number(last) + 1)),
  ZREMRANGEBYSCORE: removalOf((sorted, [min, max]) =>
    sorted.filter(([, score]) => Number(score) >= Number(min) && Number(score) <= Number(max)),
  ),
  ZREM: removal("zset"),
  ZINCRBY: increment("zset"),
};
