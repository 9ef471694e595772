import { Fault } from "#kit/base/fault";
import { engineCodeOf, type EngineClient } from "../../../ports/resp/engine-client.ts";
import { byteStringOf, type Reply } from "../../../ports/resp/reply.ts";

/** What an engine says of a key without reading it. */
export interface KeyShape {
  readonly key: string;
  /** As TYPE says; "none" when it is gone. */
  readonly type: string;
  /** Elements of a collection, or bytes of a string. */
  readonly size: number;
  readonly bytes: number;
}

/** The shapes of keys, in their order: a few questions of constant cost for each. */
export async function shapesOf(client: EngineClient, keys: readonly string[]): Promise<readonly KeyShape[]> {
  const types = (await answers(client, keys, (key) => ["TYPE", key])).map(byteStringOf);
  const sizes = await answers(client, keys, (key, i) => [SIZES.get(types[i] ?? "") ?? "EXISTS", key]);
  const bytes = await answers(client, keys, (key) => ["MEMORY", "USAGE", key, "SAMPLES", String(SAMPLES)]);
  return keys.map((key, i) => ({ key, type: types[i] ?? "none", size: Number(sizes[i]), bytes: Number(bytes[i]) }));
}

/** True for a key that is not read at once. */
export function isLarge({ type, size, bytes }: KeyShape): boolean {
  if (!SIZES.has(type)) return false;
  return bytes > LARGE_BYTES || (type !== "string" && size > LARGE_ELEMENTS);
}

/** The keys in groups, each for one transaction: a few small ones, or a large one alone. */
export function* groupsOf(shapes: readonly KeyShape[]): Generator<readonly KeyShape[]> {
  let [group, elements, bytes]: [KeyShape[], number, number] = [[], 0, 0];
  for (const shape of shapes) {
    const own = shape.type === "string" ? 1 : shape.size;
    if (group.length > 0 && (elements + own > LARGE_ELEMENTS || bytes + shape.bytes > LARGE_BYTES)) {
      yield group;
      [group, elements, bytes] = [[], 0, 0];
    }
    group.push(shape);
    [elements, bytes] = [elements + own, bytes + shape.bytes];
  }
  if (group.length > 0) yield group;
}

/** What an engine reads within a millisecond or two. */
const LARGE_ELEMENTS = 1_000;
const LARGE_BYTES = 256 * 1024;
const SAMPLES = 20;
const SIZES: ReadonlyMap<string, string> = new Map([
  ["string", "STRLEN"],
  ["list", "LLEN"],
  ["hash", "HLEN"],
  ["set", "SCARD"],
  ["zset", "ZCARD"],
]);

async function answers(
  client: EngineClient,
  keys: readonly string[],
  question: (key: string, i: number) => readonly string[],
): Promise<readonly Reply[]> {
  if (keys.length === 0) return [];
  const outcomes = await client.callAll(keys.map(question), "latin1");
  return outcomes.map((outcome) => {
    if (!(outcome instanceof Fault)) return outcome;
    // another type by now: it is read as it is
    if (engineCodeOf(outcome) === "WRONGTYPE") return 0;
    throw outcome;
  });
}
