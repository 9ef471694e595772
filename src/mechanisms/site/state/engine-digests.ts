import { Fault } from "#kit/base/fault";
import type { EngineClient } from "../../../ports/resp/engine-client.ts";
import type { Pacing } from "./pacing.ts";
import { byteStringOf, listOf, type Reply } from "../../../ports/resp/reply.ts";

/**
 * A digest of what the engine holds of each key, in their order, the same in every engine: of all elements, and of whether the key expires. Of a large key it says only the
 * type and the size. The keys count as not used by it. `pace` is asked to pause behind each question.
 */
export async function engineDigests(
  client: EngineClient,
  keys: readonly string[],
  pace: Pacing,
): Promise<readonly string[]> {
  const shapes = listOf(await pace(() => ask(client, "EVAL_RO", SHAPES, String(keys.length), ...keys)));
  const digests = shapes.map((shape) => (typeof shape === "number" ? "" : byteStringOf(shape)));
  for (const group of groupsOf(shapes)) {
    const found = listOf(await pace(() => ask(client, "DEBUG", "DIGEST-VALUE", ...group.map((at) => keys[at] ?? ""))));
    for (const [index, at] of group.entries()) digests[at] = textOf(found[index] ?? null);
  }
  return digests;
}

/** Bytes of small keys of which the engine makes digests at once: a list may have an element for each few of them. */
const BYTES_AT_ONCE = 16_384;
/** A key of more bytes is looked at more closely; one of so many, or of more elements, is large. */
const [CLOSE_BYTES, LARGE_BYTES, LARGE_SIZE] = [4_096, 65_536, 500];

/** Bytes of a key in the memory of the engine, or its type and size where it is large. */
const SHAPES = `local sizes = {list="LLEN", hash="HLEN", set="SCARD", zset="ZCARD"}
local shapes = {}
for i, key in ipairs(KEYS) do
  local bytes = redis.call("MEMORY", "USAGE", key, "SAMPLES", "5") or 0
  shapes[i] = bytes
  if bytes > ${CLOSE_BYTES} then
    local of = redis.call("TYPE", key).ok
    local size = sizes[of] and redis.call(sizes[of], key) or 0
    if of == "string" then size = redis.call("STRLEN", key) end
    if bytes > ${LARGE_BYTES} or (sizes[of] and size > ${LARGE_SIZE}) then shapes[i] = of .. " " .. size end
  end
end
return shapes`;

/** Places of the small keys, in groups. */
function* groupsOf(shapes: readonly Reply[]): Generator<readonly number[]> {
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

async function ask(client: EngineClient, ...command: readonly string[]): Promise<Reply> {
  const [outcome = null] = await client.callAll([command], "latin1");
  if (outcome instanceof Fault) throw outcome;
  return outcome;
}
