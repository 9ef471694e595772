import type { Answered } from "../../stories/story.ts";
import type { Asked, Happening, Tale } from "../tale.ts";

/**
 * What is wrong with a cache: a value that was certainly overwritten before a request began is not read by it, and is not kept
 * behind its answer, as the message that it is not valid comes first on the same connection.
 */
export function judgeCaching({ events }: Tale): string | undefined {
  const writes = events.flatMap((event) => writeIn(event));
  const kept = new Map<string, Kept>();
  let tracking: string | undefined;
  for (const event of events) {
    if (event.kind === "ended" && event.connection === tracking) kept.clear();
    if (event.kind === "pushed") drop(kept, event.values);
    if (event.kind !== "asked" || event.answer.kind !== "reply") continue;
    const [name, key = ""] = event.command;
    if (name === "CLIENT") tracking = event.command.includes("ON") ? event.connection : undefined;
    if (name === "CLIENT") kept.clear();
    if (name !== "GET") continue;
    const stale = [...kept.values()].find((one) => isOverwritten(one, writes, event.begin));
    if (stale !== undefined)
      return `${wordsOf(stale)} is still kept at ${event.end}: no message said that it is not valid`;
    const read = readOf(key, event.answer.reply, event, writes);
    if (read === undefined) return `${key} is ${JSON.stringify(event.answer.reply)}, which was not written`;
    if (isOverwritten(read, writes, event.begin))
      return `${wordsOf(read)} was read at ${event.begin}, and was overwritten before`;
    kept.set(key, read);
  }
  return undefined;
}

interface Write {
  readonly key: string;
  readonly value: string;
  readonly begin: number;
  /** Undefined: the outcome is not known. */
  readonly end: number | undefined;
}

interface Kept {
  readonly key: string;
  readonly value: string | null;
  /** By then it was written. */
  readonly by: number;
}

function writeIn(event: Happening): readonly Write[] {
  if (event.kind !== "asked" || event.command[0] !== "SET") return [];
  const [, key = "", value = ""] = event.command;
  return [{ key, value, begin: event.begin, end: event.answer.kind === "reply" ? event.end : undefined }];
}

/** What a reply says of a key; undefined when nothing explains it. Nothing is there before the first write. */
function readOf(key: string, value: Answered, { end }: Asked, writes: readonly Write[]): Kept | undefined {
  if (value === null) return { key, value, by: Number.NEGATIVE_INFINITY };
  const written = writes.find((one) => one.key === key && one.value === value && one.begin < end);
  return written && { key, value: written.value, by: Math.min(written.end ?? end, end) };
}

/** Another write began when the value was written already, and was acknowledged before this moment. */
function isOverwritten({ key, value, by }: Kept, writes: readonly Write[], at: number): boolean {
  return writes.some(
    (one) => one.key === key && one.value !== value && one.begin > by && one.end !== undefined && one.end < at,
  );
}

/** `invalidate` with these keys, or with none: with all. */
function drop(kept: Map<string, Kept>, [kind, keys = null]: readonly Answered[]): void {
  if (kind !== "invalidate") return;
  if (!Array.isArray(keys)) kept.clear();
  else for (const key of keys) kept.delete(String(key));
}

function wordsOf({ key, value }: Kept): string {
  return `${key} = ${JSON.stringify(value)}`;
}
