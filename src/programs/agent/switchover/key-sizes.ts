import { Fault } from "#kit/base/fault";
import { engineCodeOf, errorReplyOf } from "../../../ports/resp/engine-client.ts";
import type { Arg } from "../../../ports/resp/encode.ts";
import type { Reply } from "../../../ports/resp/reply.ts";
import { byteStringOf, listOf, numberOf, textOf } from "../../../ports/resp/reply.ts";
import type { EngineControl } from "./engines.ts";
import type { Pace } from "./pace.ts";

/** What a key takes, as an engine estimates it without a walk over its elements. */
export interface KeySize {
  /** As `TYPE` says; "none" for a key that is gone. */
  readonly type: string;
  /** Elements of a collection; 1 for what is none. */
  readonly elements: number;
  readonly bytes: number;
}

/** The sizes of these keys of the selected database, in their order. Each question is of constant cost, or of that of a few elements. */
export async function sizesOf(
  side: EngineControl,
  keys: readonly Uint8Array[],
  pace: Pace,
): Promise<readonly KeySize[]> {
  const types = (await askAll(side, pace, keys, (key) => ["TYPE", key])).map((reply) => textOf(reply));
  const counts = await askAll(side, pace, keys, (key, i) => [countCommandOf(types[i] ?? ""), key]);
  const known = await streamBytes(
    side,
    pace,
    keys.filter((_, i) => types[i] === "stream"),
  );
  const estimated = keys.filter((key) => !known.has(key));
  const estimates = await askInParts(side, pace, estimated, ESTIMATES_AT_ONCE, (key) => [
    "MEMORY",
    "USAGE",
    key,
    "SAMPLES",
    SAMPLES,
  ]);
  const bytes = new Map([...known, ...estimated.map((key, i): [Uint8Array, number] => [key, amountOf(estimates[i])])]);
  return keys.map((key, i) => {
    const [type = "none", count = 0] = [types[i], amountOf(counts[i])];
    return type === "string"
      ? { type, elements: 1, bytes: count }
      : { type, elements: count, bytes: bytes.get(key) ?? 0 };
  });
}

/** The bytes of those of these streams that have so many groups and consumers that an engine would walk over them for its own estimate. */
async function streamBytes(
  side: EngineControl,
  pace: Pace,
  streams: readonly Uint8Array[],
): Promise<ReadonlyMap<Uint8Array, number>> {
  const found = (await askInParts(side, pace, streams, STREAMS_AT_ONCE, (key) => ["XINFO", "STREAM", key])).map(
    fieldsOf,
  );
  const bytes = new Map(streams.map((key, i) => [key, bytesByEnds(found[i])]));
  const asked = streams.filter((_, i) => amountOf(found[i]?.get("groups")) <= MOST_GROUPS);
  const groups = await askInParts(side, pace, asked, STREAMS_AT_ONCE, (key) => ["XINFO", "GROUPS", key]);
  for (const [i, key] of asked.entries()) if (consumersOf(groups[i]) <= MOST_CONSUMERS) bytes.delete(key);
  return bytes;
}

/** As if each entry were as large as the larger one of the first and the last. */
function bytesByEnds(stream: ReadonlyMap<string, Reply> | undefined): number {
  const ends = ["first-entry", "last-entry"].map((name) => bytesOf(stream?.get(name)));
  return amountOf(stream?.get("length")) * (ENTRY_BYTES + Math.max(...ends));
}

/** The bytes of all texts in a reply. */
function bytesOf(reply: Reply | undefined): number {
  if (Array.isArray(reply)) return listOf(reply).reduce((sum: number, each) => sum + bytesOf(each), 0);
  return reply instanceof Uint8Array ? reply.length : 0;
}

function consumersOf(groups: Reply | undefined): number {
  return listOf(groups ?? []).reduce((sum: number, group) => sum + amountOf(fieldsOf(group).get("consumers")), 0);
}

/** The fields that a reply lists with their values; none of a key that is another one by now. */
function fieldsOf(reply: Reply): ReadonlyMap<string, Reply> {
  const [items, fields] = [listOf(reply ?? []), new Map<string, Reply>()];
  for (let at = 0; at + 1 < items.length; at += 2) fields.set(byteStringOf(items[at] ?? ""), items[at + 1] ?? null);
  return fields;
}

/** The command that says how many elements, or bytes of a string, a key of this type has, at constant cost. */
export function countCommandOf(type: string): string {
  return COUNTS.get(type) ?? "EXISTS";
}

const COUNTS: ReadonlyMap<string, string> = new Map([
  ["string", "STRLEN"],
  ["list", "LLEN"],
  ["hash", "HLEN"],
  ["set", "SCARD"],
  ["zset", "ZCARD"],
  ["stream", "XLEN"],
  ["vectorset", "VCARD"],
]);

/** Elements from which an engine estimates what a key takes. */
const SAMPLES = 20;
const ESTIMATES_AT_ONCE = 100;
/** The answer has the first and the last entry of each. */
const STREAMS_AT_ONCE = 20;
/** Of a stream whose size an engine is asked for: it walks over all of them, up to 0.2 µs for each. */
const MOST_GROUPS = 20;
const MOST_CONSUMERS = 200;
/** What a stream keeps for each entry beside its fields. */
const ENTRY_BYTES = 16;
/** What `XINFO` says of a key that is gone. */
const NO_KEY = /^ERR no such key/i;

/** A key that changed its type meanwhile has no size: it is read again. */
function amountOf(reply: Reply | undefined): number {
  return reply === undefined || reply === null ? 0 : numberOf(reply);
}

/** The answers for all keys, of which so many are asked for at once. */
async function askInParts(
  side: EngineControl,
  pace: Pace,
  keys: readonly Uint8Array[],
  atOnce: number,
  command: (key: Uint8Array) => readonly Arg[],
): Promise<readonly Reply[]> {
  const parts: (readonly Reply[])[] = [];
  for (let start = 0; start < keys.length; start += atOnce)
    parts.push(await askAll(side, pace, keys.slice(start, start + atOnce), command));
  return parts.flat();
}

async function askAll(
  { client }: EngineControl,
  pace: Pace,
  keys: readonly Uint8Array[],
  command: (key: Uint8Array, i: number) => readonly Arg[],
): Promise<readonly Reply[]> {
  if (keys.length === 0) return [];
  const outcomes = await pace.ask(() => client.callAll(keys.map(command), "utf8"));
  return outcomes.map((outcome) => {
    if (!(outcome instanceof Fault)) return outcome;
    if (engineCodeOf(outcome) === "WRONGTYPE" || NO_KEY.test(errorReplyOf(outcome) ?? "")) return null;
    throw outcome;
  });
}
