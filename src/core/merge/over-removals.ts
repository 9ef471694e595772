import type { EngineCommand } from "./state/engine-writes.ts";
import type { NamedElement } from "./operations/key-part.ts";

/** Elements of a key that are over. */
export interface OverKey {
  readonly key: string;
  readonly elements: readonly NamedElement[];
}

/** Removes these elements unless the key has a time of its own by now: as a client would, so that all sites remove them. */
export function removalOfOver({ key, elements }: OverKey): readonly EngineCommand[] {
  return [...Map.groupBy(elements, ({ type }) => type)].flatMap(([type, of]) => {
    if (type === "list") return [];
    return slicesOf(of).map((slice) => [
      "EVAL",
      REMOVE_OVER,
      "1",
      key,
      REMOVES[type],
      ...slice.map(({ element }) => element),
    ]);
  });
}

/** How many elements one script removes: an engine refuses a script that passes some thousands on, and runs nothing else meanwhile. */
const MOST_AT_ONCE = 500;

function slicesOf(elements: readonly NamedElement[]): readonly (readonly NamedElement[])[] {
  return Array.from({ length: Math.ceil(elements.length / MOST_AT_ONCE) }, (_, i) =>
    elements.slice(i * MOST_AT_ONCE, (i + 1) * MOST_AT_ONCE),
  );
}

const REMOVES = { string: "DEL", hash: "HDEL", set: "SREM", zset: "ZREM" } as const;

/** A client has written a string that is no number any more. */
const REMOVE_OVER = `if redis.call("PEXPIRETIME", KEYS[1]) ~= -1 then return 0 end
if ARGV[1] ~= "DEL" then return redis.pcall(ARGV[1], KEYS[1], unpack(ARGV, 2)) end
local held = redis.pcall("GET", KEYS[1])
if type(held) == "string" and string.match(held, "^-?%d+$") then redis.call("DEL", KEYS[1]) end
return 1`;
