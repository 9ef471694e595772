import { byteStringOf, listOf } from "../../../src/ports/resp/reply.ts";
import type { TestEngine } from "../engines/engine.ts";
import type { Data, Held } from "./writes.ts";

const READ = `
  local all = {}
  for _, key in ipairs(redis.call('KEYS', '*')) do
    local type = redis.call('TYPE', key).ok
    local read = {string = {'GET', key}, list = {'LRANGE', key, 0, -1}, set = {'SMEMBERS', key}, hash = {'HGETALL', key},
      zset = {'ZRANGE', key, 0, -1, 'WITHSCORES'}}
    all[#all + 1] = {key, type, tostring(redis.call('PEXPIRETIME', key)), redis.call(unpack(read[type]))}
  end
  return all`;

/** All that an engine holds, at one moment. */
export async function readData(engine: TestEngine): Promise<Data> {
  const keys = new Map<string, Held>();
  const expiries = new Map<string, string>();
  for (const each of listOf(await engine.call("EVAL", READ, "0"))) {
    const [key = "", type = "", until = ""] = listOf(each).slice(0, 3).map(byteStringOf);
    keys.set(key, heldOf(type, listOf(each)[3] ?? ""));
    if (until !== "-1") expiries.set(key, instantOf(until));
  }
  return { keys, expiries };
}

/** One line for each key, the same for the same data. */
export function digestOfData({ keys, expiries }: Data): readonly string[] {
  return [...keys].map(([key, held]) => `${key} ${shown(held)} ${expiries.get(key) ?? ""}`).toSorted();
}

function heldOf(type: string, value: Parameters<typeof byteStringOf>[0]): Held {
  if (type === "string") return byteStringOf(value);
  const elements = listOf(value).map(byteStringOf);
  if (type === "list") return elements;
  if (type === "set") return elements.toSorted();
  const pairs = Array.from(
    { length: elements.length / 2 },
    (_, at) => [elements[2 * at] ?? "", elements[2 * at + 1] ?? ""] as const,
  );
  return new Map(pairs.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** A script gives large numbers as 4.1e+12. */
function instantOf(text: string): string {
  return String(Number(text));
}

function shown(held: Held): string {
  if (typeof held === "string") return held;
  return Array.isArray(held)
    ? held.join(",")
    : [...(held as ReadonlyMap<string, string>)].map(([name, value]) => `${name}=${value}`).join(",");
}
