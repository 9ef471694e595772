import type { EngineCommand } from "./state/engine-writes.ts";
import type { OverElement } from "./over-elements.ts";

/** Elements of a key that are over. */
export interface OverKey {
  readonly key: string;
  readonly elements: readonly OverElement[];
  /** When the key expires if clients have counted in it since; undefined where that is not known. */
  readonly until: number | undefined;
}

/**
 * The commands that remove these elements as a client would, so that all sites remove them, and leave what clients have counted on top. They are
 * right only where the key holds what was known of it when the elements were found.
 */
export function removalOfOver({ key, elements, until }: OverKey): readonly EngineCommand[] {
  const removals = [...Map.groupBy(elements, ({ type }) => type)].flatMap(([type, of]): readonly EngineCommand[] => {
    if (type === "string" || type === "list") return [["DEL", key]];
    return slicesOf(of).map((slice) => [REMOVES[type], key, ...slice.map(({ element }) => element)]);
  });
  const onTop = elements.flatMap((each) => incrementOnTop(key, each));
  const isLeft = onTop.length > 0 || elements.length === 0;
  const expiry = isLeft && until !== undefined ? [["PEXPIREAT", key, String(until)]] : [];
  return [...removals, ...onTop, ...expiry];
}

function incrementOnTop(key: string, { type, element, onTop }: OverElement): readonly EngineCommand[] {
  if (onTop === undefined) return [];
  if (type === "hash") return [["HINCRBY", key, element, String(onTop)]];
  return [type === "zset" ? ["ZINCRBY", key, String(onTop), element] : ["INCRBY", key, String(onTop)]];
}

/** How many elements one command removes: an engine runs nothing else meanwhile. */
const MOST_AT_ONCE = 500;

function slicesOf(elements: readonly OverElement[]): readonly (readonly OverElement[])[] {
  return Array.from({ length: Math.ceil(elements.length / MOST_AT_ONCE) }, (_, i) =>
    elements.slice(i * MOST_AT_ONCE, (i + 1) * MOST_AT_ONCE),
  );
}

const REMOVES = { hash: "HDEL", set: "SREM", zset: "ZREM" } as const;
