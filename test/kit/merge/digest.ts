import { listOf, textOf } from "../../../src/ports/resp/reply.ts";
import type { TestEngine } from "../engines/engine.ts";

/** Reads a key at one moment: its type, when it expires, and what it holds. */
const READ = `
  local key, type = KEYS[1], redis.call('TYPE', KEYS[1]).ok
  local read = {string = {'GET', key}, list = {'LRANGE', key, 0, -1}, set = {'SMEMBERS', key}, hash = {'HGETALL', key},
    zset = {'ZRANGE', key, 0, -1, 'WITHSCORES'}}
  local held = read[type] and redis.call(unpack(read[type])) or {}
  return {type, tostring(redis.call('PEXPIRETIME', key)), held}`;

/** Every key with its value and the time when it expires, one a line. */
export async function digestOf(engine: TestEngine): Promise<readonly string[]> {
  const keys = listOf(await engine.call("KEYS", "*"))
    .map(textOf)
    .toSorted();
  return Promise.all(
    keys.map(async (key) => {
      const [type, until, held = []] = listOf(await engine.call("EVAL", READ, "1", key));
      return `${key} ${String(type)} ${shown(String(type), Array.isArray(held) ? held.map(String) : [String(held)])} ${String(until)}`;
    }),
  );
}

/** The lines that not every engine has, each with its engine. */
export function differences(digests: readonly (readonly string[])[]): readonly string[] {
  return digests.flatMap((own, index) =>
    own.filter((line) => !digests.every((other) => other.includes(line))).map((line) => `${index + 1}: ${line}`),
  );
}

/** Engines have members of sets and fields of hashes in any order. */
function shown(type: string, held: readonly string[]): string {
  if (type === "set") return held.toSorted().join(",");
  if (type !== "hash") return held.join(",");
  const fields = held.flatMap((field, index) => (index % 2 === 0 ? [`${field}=${held[index + 1] ?? ""}`] : []));
  return fields.toSorted().join(",");
}
