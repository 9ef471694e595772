import { SITE_EXAMPLES } from "./site-examples.ts";

/** A command as a client writes it. */
export type Command = readonly [string, ...string[]];

const FAR_AWAY_MS = 4_102_444_800_000;
const OF_EXAMPLES = 0.25;
const BLOCKING = new Set(["BLPOP", "BRPOP", "BLMOVE", "BRPOPLPUSH", "BLMPOP", "BZPOPMIN", "BZPOPMAX", "BZMPOP"]);

/**
 * Each write that a site takes, as its example has it. One that blocks is in the stream of an engine as the one that does not, and FLUSHDB would take
 * the counters.
 */
const EXAMPLES: readonly Command[] = Object.entries(SITE_EXAMPLES)
  .filter(([name]) => name !== "FLUSHDB" && !BLOCKING.has(name))
  .flatMap(([, requests]) =>
    requests.map((request): Command => {
      const [name = "", ...args] = request.split(" ");
      return [name, ...args];
    }),
  );

/** A random command, most of them on one of few keys, so that sites meet. */
export function commandOf(dice: () => number): Command {
  const one = <T>(first: T, ...others: readonly T[]): T =>
    [first, ...others][Math.floor(dice() * (others.length + 1))] ?? first;
  if (dice() < OF_EXAMPLES) return EXAMPLES[Math.floor(dice() * EXAMPLES.length)] ?? ["PING"];
  const key = one("a", "b", "c", "d");
  const element = one("m", "n", "o", "p");
  const value = String(Math.floor(dice() * 1_000));
  const [set, hash, zset, list] = [`set:${key}`, `hash:${key}`, `zset:${key}`, `list:${key}`];
  const script = "redis.call('SET', KEYS[1], ARGV[1]) return redis.call('SADD', KEYS[2], ARGV[2])";
  const undone = [
    "redis.call('SADD', KEYS[2], ARGV[2]) redis.call('SREM', KEYS[2], ARGV[2])",
    "redis.call('SET', KEYS[1], 1) return redis.call('INCRBY', KEYS[1], ARGV[1])",
  ].join(" ");
  const count: Command = ["INCRBY", one("count:a", "count:b"), String(1 + Math.floor(dice() * 9))];
  const commands: readonly [Command, ...Command[]] = [
    ...([count, count, count, count, count] as const),
    ...([
      ["SET", key, value],
      ["DEL", key],
      ["INCR", key],
      ["APPEND", key, "x"],
      ["SET", key, value, "EX", "900"],
    ] as const),
    ...([
      ["SADD", set, element],
      ["SREM", set, element],
      ["SPOP", set],
      ["RENAME", key, set],
    ] as const),
    ...([
      ["HSET", hash, element, value],
      ["HDEL", hash, element],
      ["HINCRBY", hash, element, "2"],
      ["DEL", hash],
    ] as const),
    ...([
      ["ZADD", zset, value, element],
      ["ZREM", zset, element],
      ["ZPOPMIN", zset],
    ] as const),
    ...([
      ["ZINCRBY", zset, "3", element],
      ["ZADD", zset, "GT", value, element],
    ] as const),
    ...([
      ["RPUSH", list, value],
      ["LPOP", list],
      ["EVAL", script, "2", key, set, value, element],
      ["EVAL", undone, "2", key, set, value, element],
    ] as const),
    ...([
      ["PEXPIREAT", one(set, hash, zset, list), String(FAR_AWAY_MS + Number(value))],
      ["PERSIST", one(set, hash, zset, list)],
    ] as const),
  ];
  return one(...commands);
}
