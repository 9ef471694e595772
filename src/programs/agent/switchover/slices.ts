import { createHash } from "node:crypto";
import { engineCodeOf } from "../../../ports/resp/engine-client.ts";
import type { Arg } from "../../../ports/resp/encode.ts";
import { byteStringOf, listOf, textOf } from "../../../ports/resp/reply.ts";
import type { Reply } from "../../../ports/resp/reply.ts";
import type { EngineControl } from "./engines.ts";
import type { KeySize } from "./key-sizes.ts";
import type { Pace } from "./pace.ts";
import type { ReadItems } from "./settle.ts";

/** A part of a value that one question reads: the arguments that stand behind the key, one list for each item. */
export type Slice = readonly (readonly Arg[])[];

/** A key that is compared in parts. */
export interface SlicedKey extends KeySize {
  readonly key: Uint8Array;
}

/** True for a type whose values can be read in parts; that of a module cannot. */
export function hasSlices(type: string): boolean {
  return TYPES.has(type);
}

/** True for a type whose parts are read by their place in the value: another place has other content once something moved. */
export function isReadByPlace(type: string): boolean {
  return type === "list" || type === "string";
}

/** The parts of a value as one engine has them, in its own order. What changes meanwhile may be left out, or come twice. */
export async function* slicesOf(side: EngineControl, sliced: SlicedKey, pace: Pace): AsyncGenerator<Slice> {
  const { type } = sliced;
  const scan = SCANS.get(type);
  if (scan !== undefined) yield* scanSlices(side, sliced, scan, pace);
  else if (type === "stream") yield* entries(side, sliced, pace);
  else yield* ranges(sliced);
}

/** Reads the items of a slice: members with what belongs to them by name, so that order and place do not matter; else a digest of the part. */
export function readerOf({ key, type }: SlicedKey): ReadItems<readonly Arg[]> {
  return async ({ client }, items) => {
    try {
      switch (type) {
        case "set":
          return listOf(await client.call("SMISMEMBER", key, ...items.flat())).map(String);
        case "hash":
          return listOf(await client.call("HMGET", key, ...items.flat())).map(byteStringOf);
        case "zset":
          return listOf(await client.call("ZMSCORE", key, ...items.flat())).map(scoreOf);
        case "stream":
          return await digestsOf(items, (part) => client.call("XRANGE", key, ...part));
        case "list":
          return await digestsOf(items, (part) => client.call("LRANGE", key, ...part));
        default:
          return await digestsOf(items, (part) => client.call("GETRANGE", key, ...part));
      }
    } catch (error) {
      if (engineCodeOf(error) !== "WRONGTYPE") throw error;
      return items.map(() => "another type");
    }
  };
}

const SCANS: ReadonlyMap<string, { readonly command: string; readonly step: number }> = new Map([
  ["set", { command: "SSCAN", step: 1 }],
  ["hash", { command: "HSCAN", step: 2 }],
  ["zset", { command: "ZSCAN", step: 2 }],
]);
const TYPES: ReadonlySet<string> = new Set([...SCANS.keys(), "stream", "list", "string"]);

/** The most elements of one question: it takes an engine less than a millisecond, and a few more where elements are larger than the estimate says. */
const MOST_ELEMENTS = 500;
const MOST_BYTES = 256 * 1024;

function elementsAtOnce({ elements, bytes }: KeySize): number {
  const average = Math.max(1, bytes / Math.max(1, elements));
  return Math.min(Math.max(1, Math.floor(MOST_BYTES / average)), MOST_ELEMENTS);
}

async function* scanSlices(
  { client }: EngineControl,
  sliced: SlicedKey,
  { command, step }: { readonly command: string; readonly step: number },
  pace: Pace,
): AsyncGenerator<Slice> {
  const count = elementsAtOnce(sliced);
  let cursor = "0";
  do {
    const asked = cursor;
    const reply = await unlessOther(() => pace.ask(() => client.call(command, sliced.key, asked, "COUNT", count)));
    const [next = "0", found = []] = reply === undefined ? [] : listOf(reply);
    const members = listOf(found).filter(
      (value, i): value is Uint8Array => i % step === 0 && value instanceof Uint8Array,
    );
    // a compact collection comes whole
    for (let at = 0; at < members.length; at += count) yield members.slice(at, at + count).map((member) => [member]);
    cursor = textOf(next);
  } while (cursor !== "0");
}

/** Up to the last entry of now: clients may add entries faster than they are read. */
async function* entries({ client }: EngineControl, sliced: SlicedKey, pace: Pace): AsyncGenerator<Slice> {
  const { key } = sliced;
  const ask = async (command: string, ...range: readonly Arg[]): Promise<readonly string[]> => {
    const reply = await unlessOther(() => pace.ask(() => client.call(command, key, ...range)));
    return reply === undefined ? [] : listOf(reply).map((entry) => textOf(listOf(entry)[0] ?? ""));
  };
  const count = elementsAtOnce(sliced);
  const [end] = await ask("XREVRANGE", "+", "-", "COUNT", 1);
  for (let from = "-"; end !== undefined;) {
    const ids = await ask("XRANGE", from, end, "COUNT", count);
    const [first, last] = [ids[0], ids.at(-1)];
    if (first === undefined || last === undefined) return;
    yield [[first, last, "COUNT", 2 * count]];
    if (last === end) return;
    from = `(${last}`;
  }
}

function* ranges(sliced: SlicedKey): Generator<Slice> {
  const isList = sliced.type === "list";
  const [length, count] = isList ? [sliced.elements, elementsAtOnce(sliced)] : [sliced.bytes, MOST_BYTES];
  for (let start = 0; start < length; start += count) yield [[start, start + count - 1]];
}

/** Undefined for a key that has another type by now. */
async function unlessOther(ask: () => Promise<Reply>): Promise<Reply | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (engineCodeOf(error) === "WRONGTYPE") return undefined;
    throw error;
  }
}

/** Engines write the same score in different digits (0.33333333333333331 and 0.3333333333333333). */
function scoreOf(reply: Reply): string {
  if (reply === null) return "absent";
  const score = Number(textOf(reply));
  return Number.isNaN(score) ? textOf(reply) : String(score);
}

async function digestsOf(
  items: readonly (readonly Arg[])[],
  ask: (part: readonly Arg[]) => Promise<Reply>,
): Promise<readonly string[]> {
  const digests: string[] = [];
  for (const part of items) {
    const hash = createHash("sha1");
    for (const text of textsOf(await ask(part))) hash.update(`${text.length}:`).update(text, "latin1");
    digests.push(hash.digest("hex"));
  }
  return digests;
}

/** Every text of a reply, in its order. */
function textsOf(reply: Reply): readonly string[] {
  return Array.isArray(reply) ? listOf(reply).flatMap(textsOf) : [byteStringOf(reply)];
}
