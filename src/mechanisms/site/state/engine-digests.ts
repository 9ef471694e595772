import type { EngineClient } from "../../../ports/resp/engine-client.ts";
import { byteStringOf, listOf, type Reply } from "../../../ports/resp/reply.ts";
import { askEngine } from "./ask-engine.ts";
import { largeDigest, type LargeKey, type Questions } from "./large-digests.ts";
import type { Pacing } from "./pacing.ts";

/**
 * A digest of what the engine holds of each key, in their order, the same in every engine: of all elements, and of whether the key expires. Of a large key it says only the
 * type and the size. The keys count as not used by it. `pace` is asked to pause behind each question.
 */
export async function engineDigests(
  client: EngineClient,
  keys: readonly string[],
  pace: Pacing,
): Promise<readonly string[]> {
  return digestsOf(client, keys, await shapesOf(client, keys, pace), pace);
}

/**
 * As `engineDigests`, with the times of expiry and what large keys hold, as far as the number of `questions` goes. Two engines with the same keys, which
 * are asked for the same names, come as far with it.
 */
export async function closeDigests(
  client: EngineClient,
  keys: readonly string[],
  pace: Pacing,
  questions: Questions,
): Promise<readonly string[]> {
  const times = listOf(await pace(() => askEngine(client, "EVAL_RO", TIMES, String(keys.length), ...keys)));
  const shapes = await shapesOf(client, keys, pace);
  const digests: string[] = [];
  for (const [at, digest] of (await digestsOf(client, keys, shapes, pace)).entries()) {
    const [shape, key = ""] = [shapes[at], keys[at]];
    const more = typeof shape === "object" ? await largeDigest(client, key, shape, { pace, questions }) : "";
    digests.push(`${digest} ${more} ${textOf(times[at] ?? null)}`);
  }
  return digests;
}

/** Those of the keys that are not large. */
export async function smallOf(client: EngineClient, keys: readonly string[], pace: Pacing): Promise<readonly string[]> {
  const shapes = await shapesOf(client, keys, pace);
  return keys.filter((_, at) => typeof shapes[at] === "number");
}

/** Bytes of a small key, or what there is of a large one. */
type Shape = number | LargeKey;

async function shapesOf(client: EngineClient, keys: readonly string[], pace: Pacing): Promise<readonly Shape[]> {
  const shapes = listOf(await pace(() => askEngine(client, "EVAL_RO", SHAPES, String(keys.length), ...keys)));
  return shapes.map((shape) => (typeof shape === "number" ? shape : largeKey(byteStringOf(shape))));
}

function largeKey(text: string): LargeKey {
  const [type = "", size = "", bytes = ""] = text.split(" ");
  return { type, size: Number(size), bytes: Number(bytes) };
}

async function digestsOf(
  client: EngineClient,
  keys: readonly string[],
  shapes: readonly Shape[],
  pace: Pacing,
): Promise<readonly string[]> {
  const digests = shapes.map((shape) => (typeof shape === "number" ? "" : `${shape.type} ${shape.size}`));
  for (const group of groupsOf(shapes)) {
    const names = group.map((at) => keys[at] ?? "");
    const found = listOf(await pace(() => askEngine(client, "DEBUG", "DIGEST-VALUE", ...names)));
    for (const [index, at] of group.entries()) digests[at] = textOf(found[index] ?? null);
  }
  return digests;
}

/** Bytes of small keys of which the engine makes digests at once: a list may have an element for each few of them. */
const BYTES_AT_ONCE = 16_384;
/** A key of more bytes is looked at more closely; one of so many, or of more elements, is large. */
const [CLOSE_BYTES, LARGE_BYTES, LARGE_SIZE] = [4_096, 65_536, 500];

/** Bytes of a key in the memory of the engine, or its type, size and bytes where it is large. */
const SHAPES = `local sizes = {list="LLEN", hash="HLEN", set="SCARD", zset="ZCARD"}
local shapes = {}
for i, key in ipairs(KEYS) do
  local bytes = redis.call("MEMORY", "USAGE", key, "SAMPLES", "5") or 0
  shapes[i] = bytes
  if bytes > ${CLOSE_BYTES} then
    local of = redis.call("TYPE", key).ok
    local size = sizes[of] and redis.call(sizes[of], key) or 0
    if of == "string" then size = redis.call("STRLEN", key) end
    if bytes > ${LARGE_BYTES} or (sizes[of] and size > ${LARGE_SIZE}) then
      shapes[i] = of .. " " .. size .. " " .. bytes
    end
  end
end
return shapes`;

/** When each key expires. */
const TIMES = `local times = {}
for i, key in ipairs(KEYS) do times[i] = string.format("%.0f", redis.call("PEXPIRETIME", key)) end
return times`;

/** Places of the small keys, in groups. */
function* groupsOf(shapes: readonly Shape[]): Generator<readonly number[]> {
  let [group, bytes]: [number[], number] = [[], 0];
  for (const [at, shape] of shapes.entries()) {
    if (typeof shape !== "number") continue;
    if (group.length > 0 && bytes + shape > BYTES_AT_ONCE) {
      yield group;
      [group, bytes] = [[], 0];
    }
    group.push(at);
    bytes += shape;
  }
  if (group.length > 0) yield group;
}

function textOf(reply: Reply): string {
  return reply instanceof Uint8Array ? byteStringOf(reply) : String(reply);
}
