import type { Arg } from "../../../src/ports/resp/encode.ts";
import type { EngineClient } from "../../../src/ports/resp/engine-client.ts";

/** Commands that write keys of each type and encoding, by the number of the key; the second word is its name. */
const WRITES: readonly ((key: string, n: number) => readonly (readonly Arg[])[])[] = [
  (key, n) => [["SET", key, "x".repeat(n)]],
  (key, n) => [["SET", key, String(n * 100_003)]],
  (key, n) => [
    ["SET", key, "abcabc".repeat(1 + n)],
    ["PEXPIREAT", key, 4_000_000_000_000 + n],
  ],
  (key, n) => [["RPUSH", key, ...many(n, (at) => `element ${at}`)]],
  (key, n) => [["RPUSH", key, "y".repeat(9_000), ...many(300 + n, String)]],
  (key, n) => [["SADD", key, ...many(n, (at) => at * 7)]],
  (key, n) => [["SADD", key, ...many(n, (at) => `member ${at}`)]],
  (key, n) => [["SADD", key, ...many(600, (at) => `member ${at * n}`)]],
  (key, n) => [["HSET", key, ...many(n, (at) => [`field ${at}`, `value ${at}`]).flat()]],
  (key, n) => [
    ["HSET", key, ...many(600, (at) => [`field ${at}`, at * n]).flat()],
    ["PEXPIREAT", key, 3_900_000_000_000],
  ],
  (key, n) => [["ZADD", key, ...many(n, (at) => [at / 4, `member ${at}`]).flat()]],
  (key) => [["ZADD", key, "-inf", "low", "inf", "high", ...many(600, (at) => [at * 1.25, `member ${at}`]).flat()]],
  (key, n) => [
    ...many(n, (at) => ["XADD", key, `${at + 1}-1`, "field", `value ${at}`, "other", at]),
    ["XGROUP", "CREATE", key, "group", "0"],
    ["XREADGROUP", "GROUP", "group", "consumer", "COUNT", 3, "STREAMS", key, ">"],
    ["XACK", key, "group", "1-1"],
    ["XDEL", key, "2-1"],
    ["XGROUP", "CREATE", key, "empty", "$", "MKSTREAM"],
  ],
  (key, n) => [["PFADD", key, ...many(n * 10, String)]],
  (key, n) => [["GEOADD", key, ...many(n, (at) => [at % 90, at % 80, `place ${at}`]).flat()]],
  (key) => [["SETBIT", key, 70_000, 1]],
];

/** Of engines that know them: fields that expire, each at a time of its own, and vectors. */
const OF_REDIS_8: typeof WRITES = [
  (key, n) => [
    ["HSET", key, "a", 1, "b", 2, "c", 3],
    ["HPEXPIREAT", key, 4_000_000_000_000 + n, "FIELDS", 2, "a", "b"],
  ],
  (key, n) => [
    ["HSET", key, ...many(600, (at) => [`field ${at}`, at]).flat()],
    ["HPEXPIREAT", key, 4_000_000_000_000 + n, "FIELDS", 2, "field 1", "field 2"],
    ["HPEXPIREAT", key, 4_100_000_000_000, "FIELDS", 1, "field 3"],
  ],
  (key, n) => many(3, (at) => ["VADD", key, "VALUES", 3, at, n, 1, `element ${at}`]),
];

/** The names of keys that are easy to read wrongly: numbers, compressed ones, with tags, and bytes that are no text. */
const NAMES: readonly ((n: number) => string)[] = [
  (n) => `key:${n}`,
  (n) => String(n * 1_000_003),
  (n) => String(-n),
  (n) => `${"long name ".repeat(20)}${n}`,
  (n) => `{tag ${n % 5}} ${n}`,
  (n) => `öäü ${n}`,
];

export interface TypedKeysOptions {
  readonly each: number;
  readonly isRedis8: boolean;
  /** Keys that the engine has; all when absent. */
  readonly isHere?: (key: string) => boolean;
}

/** Writes so many keys of each type, anew where they are there. */
export async function writeTypedKeys(client: EngineClient, options: TypedKeysOptions): Promise<void> {
  const { each, isRedis8, isHere = () => true } = options;
  for (const [type, write] of [...WRITES, ...(isRedis8 ? OF_REDIS_8 : [])].entries())
    for (let n = 1; n <= each; n++) {
      const number = type * 1_000 + n;
      const key = NAMES[number % NAMES.length]?.(number) ?? "";
      if (!isHere(key)) continue;
      for (const outcome of await client.callAll([["DEL", key], ...write(key, n)], "utf8"))
        if (outcome instanceof Error) throw outcome;
    }
}

function many<T>(count: number, make: (at: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, at) => make(at));
}
