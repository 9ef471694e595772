import type { Asker } from "../stories/asker.ts";

/** One request brings so many elements at most. */
const BATCH = 2_000;

/** Lives with collections of so many elements in all: fills them, and then reads and changes elements everywhere in them. */
export function liveWithLarge(elements: number): (asker: Asker) => Promise<void> {
  const each = Math.ceil(elements / KINDS.length);
  return async (asker) => {
    const { name, dice, ask, isOver } = asker;
    for (const kind of KINDS) await fill(asker, kind, each);
    while (!isOver()) {
      const kind = KINDS[Math.floor(dice() * KINDS.length)] ?? "list";
      const at = String(Math.floor(dice() * each));
      const asked = OF_KIND[kind](`${name}:${kind}`, at);
      const command = asked[Math.floor(dice() * asked.length)];
      if (command !== undefined) await ask(...command);
    }
    for (const kind of KINDS) await ask("DEL", `${name}:${kind}`);
  };
}

type Collection = "hash" | "list" | "set" | "zset";
const KINDS: readonly Collection[] = ["hash", "list", "set", "zset"];

async function fill({ name, ask }: Asker, kind: Collection, count: number): Promise<void> {
  const key = `${name}:${kind}`;
  for (let from = 0; from < count; from += BATCH) {
    const numbers = Array.from({ length: Math.min(BATCH, count - from) }, (_, at) => String(from + at));
    await ask(...ADDING[kind](key, numbers));
  }
}

const ADDING: Readonly<Record<Collection, (key: string, numbers: readonly string[]) => readonly string[]>> = {
  hash: (key, numbers) => ["HSET", key, ...numbers.flatMap((number) => [number, `v${number}`])],
  list: (key, numbers) => ["RPUSH", key, ...numbers],
  set: (key, numbers) => ["SADD", key, ...numbers],
  zset: (key, numbers) => ["ZADD", key, ...numbers.flatMap((number) => [number, `m${number}`])],
};

const OF_KIND: Readonly<Record<Collection, (key: string, at: string) => readonly (readonly string[])[]>> = {
  hash: (key, at) => [
    ["HGET", key, at],
    ["HSET", key, at, "changed"],
    ["HSET", key, `new ${at}`, at],
    ["HDEL", key, at],
    ["HINCRBY", key, "counter", at],
    ["HLEN", key],
  ],
  list: (key, at) => [
    ["LINDEX", key, at],
    ["LSET", key, "0", at],
    ["RPUSH", key, at],
    ["LPOP", key],
    ["RPOP", key],
    ["LLEN", key],
    ["LRANGE", key, "0", "3"],
  ],
  set: (key, at) => [
    ["SISMEMBER", key, at],
    ["SADD", key, at],
    ["SREM", key, at],
    ["SPOP", key],
    ["SCARD", key],
  ],
  zset: (key, at) => [
    ["ZSCORE", key, `m${at}`],
    ["ZADD", key, at, "moved"],
    ["ZINCRBY", key, at, `m${at}`],
    ["ZCARD", key],
    ["ZRANK", key, `m${at}`],
    ["ZRANGE", key, "0", "3"],
    ["ZPOPMIN", key],
  ],
};
