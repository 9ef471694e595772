import type { KeyLook } from "../../../src/core/merge/state/lost-expiries.ts";
import type { Effect, Value } from "../../../src/core/merge/operations/operation.ts";

/** A key of the model: its type decides what the value is. */
type Held =
  | { readonly type: "string"; value: string }
  | { readonly type: "list"; value: string[] }
  | { readonly type: "set"; readonly value: Set<string> }
  | { readonly type: "hash" | "zset"; readonly value: Map<string, string> };

/** As much of a stock engine as the merge works on: types, expiry times, and a stream of effects. */
export class ModelEngine {
  readonly #keys = new Map<string, Held>();
  readonly #expires = new Map<string, number>();
  /** Keys whose time has come, and that nobody has asked for since. */
  readonly #lapsed = new Set<string>();

  /** True when it changed something, so that it goes into the stream; false also where an engine answers with an error. */
  run([name = "", key = "", ...args]: readonly string[]): boolean {
    const rule = RULES[name];
    if (rule === undefined) throw new Error(`the model has no ${name}`);
    const changed = rule(this, key, args);
    this.#dropEmpty(key);
    return changed;
  }

  /** The time of each key that has one has come: the engine removes it when it is asked for the next time. */
  lapse(): void {
    for (const key of this.#expires.keys()) this.#lapsed.add(key);
  }

  /** What an engine does before a command on the key, as its stream has it. */
  expire(key: string): readonly (readonly string[])[] {
    return this.#lapsed.has(key) && this.drop(key) ? [["UNLINK", key]] : [];
  }

  /** What an engine with a full memory does to a key that has a time of expiry, as its stream has it. */
  evict(key: string): readonly (readonly string[])[] {
    return this.#expires.has(key) && this.drop(key) ? [["DEL", key]] : [];
  }

  /** Keys whose time has come. */
  get lapsed(): readonly string[] {
    return [...this.#lapsed];
  }

  typeOf(key: string): Held["type"] | undefined {
    return this.#keys.get(key)?.type;
  }

  /** The value of a string or a list. */
  read(key: string): string | readonly string[] | undefined {
    const held = this.#keys.get(key);
    if (held?.type === "list") return [...held.value];
    return held?.type === "string" ? held.value : undefined;
  }

  get keys(): readonly string[] {
    return [...this.#keys.keys()];
  }

  /** What makes the key elsewhere what it is here. */
  effectsOf(key: string): readonly Effect[] {
    const clear: Effect = { kind: "clear", key };
    const held = this.#keys.get(key);
    if (held === undefined) return [clear];
    const at = this.#expires.get(key);
    const expiry: readonly Effect[] = at === undefined ? [] : [{ kind: "expire", key, at }];
    const puts = elementsOf(held).map(([element, value]): Effect => ({
      kind: "put",
      type: held.type,
      key,
      element,
      value,
    }));
    return [clear, ...puts, ...expiry];
  }

  /** The same of some members of a sorted set. */
  effectsOfScores(key: string, members: readonly string[]): readonly Effect[] {
    const held = this.#keys.get(key);
    if (held !== undefined && held.type !== "zset") return [];
    return members.map((element): Effect => {
      const value = held?.value.get(element);
      if (value === undefined) return { kind: "remove", type: "zset", key, element };
      return { kind: "put", type: "zset", key, element, value };
    });
  }

  /** What one can ask for beside its elements. */
  look(key: string): KeyLook {
    const held = this.#keys.get(key);
    if (held === undefined) return { until: -2, size: 0 };
    const size = held.type === "string" || held.type === "list" ? undefined : held.value.size;
    return { until: this.#expires.get(key) ?? -1, size };
  }

  /** Everything as text, in an order that does not depend on the order of writes. */
  digest(): string {
    const lines = [...this.#keys].map(
      ([key, held]) => `${key} ${held.type} ${shown(held)} ${this.#expires.get(key) ?? ""}`,
    );
    return lines.toSorted().join("\n");
  }

  get(key: string): Held | undefined {
    return this.#keys.get(key);
  }

  put(key: string, held: Held): void {
    this.#keys.set(key, held);
  }

  /** True when there was one. */
  drop(key: string): boolean {
    this.#expires.delete(key);
    this.#lapsed.delete(key);
    return this.#keys.delete(key);
  }

  /** True when there was a key. */
  flush(): boolean {
    const hadKeys = this.#keys.size > 0;
    this.#keys.clear();
    this.#expires.clear();
    this.#lapsed.clear();
    return hadKeys;
  }

  setExpiry(key: string, at: number | undefined): boolean {
    if (!this.#keys.has(key)) return false;
    this.#lapsed.delete(key);
    if (at === undefined) return this.#expires.delete(key);
    this.#expires.set(key, at);
    return true;
  }

  #dropEmpty(key: string): void {
    const held = this.#keys.get(key);
    if (held === undefined || held.type === "string") return;
    const size = held.type === "list" ? held.value.length : held.value.size;
    if (size === 0) this.drop(key);
  }
}

function elementsOf(held: Held): readonly (readonly [string, Value])[] {
  switch (held.type) {
    case "string":
    case "list":
      return [["", typeof held.value === "string" ? held.value : [...held.value]]];
    case "set":
      return [...held.value].map((member) => [member, ""]);
    case "hash":
    case "zset":
      return [...held.value];
  }
}

function shown(held: Held): string {
  switch (held.type) {
    case "string":
      return held.value;
    case "list":
      return held.value.join(",");
    case "set":
      return [...held.value].toSorted().join(",");
    case "hash":
    case "zset":
      return [...held.value]
        .map(([member, value]) => `${member}=${value}`)
        .toSorted()
        .join(",");
  }
}

type Rule = (engine: ModelEngine, key: string, args: readonly string[]) => boolean;

const EMPTY: Readonly<Record<Held["type"], () => Held>> = {
  string: () => ({ type: "string", value: "0" }),
  list: () => ({ type: "list", value: [] }),
  set: () => ({ type: "set", value: new Set() }),
  hash: () => ({ type: "hash", value: new Map() }),
  zset: () => ({ type: "zset", value: new Map() }),
};

/** The key as that type, made when there is none; undefined when it has another one. */
function as(engine: ModelEngine, key: string, type: "list" | "set" | "hash" | "zset"): Held | undefined {
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

const RULES: Readonly<Record<string, Rule>> = {
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
