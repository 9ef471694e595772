import { Fault } from "#kit/base/fault";
import { engineCodeOf } from "../../../ports/resp/engine-client.ts";
import type { Arg } from "../../../ports/resp/encode.ts";
import type { Reply } from "../../../ports/resp/reply.ts";
import { numberOf, textOf } from "../../../ports/resp/reply.ts";
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
  const bytes: Reply[] = [];
  for (let start = 0; start < keys.length; start += ESTIMATES_AT_ONCE) {
    const some = keys.slice(start, start + ESTIMATES_AT_ONCE);
    for (const each of await askAll(side, pace, some, (key) => ["MEMORY", "USAGE", key, "SAMPLES", SAMPLES]))
      bytes.push(each);
  }
  return keys.map((_, i) => {
    const [type = "none", count = 0] = [types[i], amountOf(counts[i])];
    return type === "string"
      ? { type, elements: 1, bytes: count }
      : { type, elements: count, bytes: amountOf(bytes[i]) };
  });
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
]);

/** Elements from which an engine estimates what a key takes. */
const SAMPLES = 20;
const ESTIMATES_AT_ONCE = 100;

/** A key that changed its type meanwhile has no size: it is read again. */
function amountOf(reply: Reply | undefined): number {
  return reply === undefined || reply === null ? 0 : numberOf(reply);
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
    if (engineCodeOf(outcome) === "WRONGTYPE") return null;
    throw outcome;
  });
}
