import { Fault } from "#kit/base/fault";
import { engineCodeOf, type EngineClient } from "../../../ports/resp/engine-client.ts";
import { listOf, type Reply } from "../../../ports/resp/reply.ts";
import { linkTransaction, writeMark } from "../saved/marks.ts";
import type { SiteSlice } from "../saved/slice.ts";
import type { KeyShape } from "./key-shapes.ts";

/**
 * The replies that `readsOf` would get, read part by part, so that the engine serves others between the parts. They are those of one moment:
 * nothing has changed the key since the first of them when `markUnchanged` succeeds on the same connection. Undefined when the key has
 * another type by now.
 */
export async function readWatched(client: EngineClient, shape: KeyShape): Promise<readonly Reply[] | undefined> {
  try {
    return await readParts(client, shape);
  } catch (error) {
    if (engineCodeOf(error) === "WRONGTYPE") return undefined;
    throw error;
  }
}

async function readParts(client: EngineClient, { key, type, size, bytes }: KeyShape): Promise<readonly Reply[]> {
  await ask(client, "WATCH", key);
  const count = Math.max(1, Math.min(MOST_ELEMENTS, Math.floor((MOST_BYTES * size) / Math.max(1, bytes))));
  const parts: Reply[] = [];
  switch (type) {
    case "string":
      for (let at = 0; at < size; at += MOST_BYTES)
        parts.push(await ask(client, "GETRANGE", key, at, at + MOST_BYTES - 1));
      break;
    case "list":
      for (let at = 0; at < size; at += count)
        for (const each of listOf(await ask(client, "LRANGE", key, at, at + count - 1))) parts.push(each);
      break;
    case "zset":
      for (let at = 0; at < size; at += count)
        for (const each of listOf(await ask(client, "ZRANGE", key, at, at + count - 1, "WITHSCORES"))) parts.push(each);
      break;
    case "hash":
      for (const each of await scanElements(client, "HSCAN", key, count, 2)) parts.push(each);
      break;
    default:
      for (const each of await scanElements(client, "SSCAN", key, count, 1)) parts.push(each);
  }
  const text = type === "string" ? Buffer.concat(parts.filter((part) => part instanceof Uint8Array)) : null;
  const of = (wanted: string): Reply => (type === wanted ? parts : null);
  return [text, of("list"), of("hash"), of("set"), of("zset"), await ask(client, "PEXPIRETIME", key)];
}

/** Writes the mark into the stream unless the watched key has changed; false when it has, or when the engine takes no writes now. */
export async function markUnchanged(
  client: EngineClient,
  { kept }: Pick<SiteSlice, "kept">,
  mark: string,
): Promise<boolean> {
  const outcomes = await client.callAll(linkTransaction([writeMark(mark, kept.mark)], []), "latin1");
  const last = outcomes.at(-1);
  if (last instanceof Fault && engineCodeOf(last) !== "EXECABORT") throw last;
  return Array.isArray(last);
}

/** Of one question. */
const MOST_ELEMENTS = 500;
const MOST_BYTES = 256 * 1024;

/** A scan may give an element twice. */
async function scanElements(
  client: EngineClient,
  command: string,
  key: string,
  count: number,
  step: number,
): Promise<readonly Reply[]> {
  const elements = new Map<string, readonly Reply[]>();
  let cursor: Reply = "0";
  do {
    const [next = "0", found = []]: readonly Reply[] = listOf(
      await ask(client, command, key, textOf(cursor), "COUNT", count),
    );
    const values = listOf(found);
    for (let at = 0; at < values.length; at += step)
      elements.set(textOf(values[at] ?? ""), values.slice(at, at + step));
    cursor = next;
  } while (textOf(cursor) !== "0");
  return [...elements.values()].flat();
}

function textOf(reply: Reply): string {
  return reply instanceof Uint8Array ? Buffer.from(reply).toString("latin1") : String(reply);
}

async function ask(client: EngineClient, ...command: readonly (string | number)[]): Promise<Reply> {
  const [outcome = null] = await client.callAll([command], "latin1");
  if (outcome instanceof Fault) throw outcome;
  return outcome;
}
