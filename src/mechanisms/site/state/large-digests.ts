import type { EngineClient } from "../../../ports/resp/engine-client.ts";
import { listOf, textOf } from "../../../ports/resp/reply.ts";
import { askEngine } from "./ask-engine.ts";
import type { Pacing } from "./pacing.ts";

/** A key with many bytes or elements. */
export interface LargeKey {
  readonly type: string;
  /** Its elements, or the bytes of a string. */
  readonly size: number;
  /** In the memory of the engine. */
  readonly bytes: number;
}

/** How many parts of large keys may still be read. */
export interface Questions {
  left: number;
}

/**
 * A digest of what the engine holds of a large key, read in parts, the same in every engine; empty of one with more elements or bytes than are read, and
 * when no `questions` are left.
 */
export async function largeDigest(
  client: EngineClient,
  key: string,
  { type, size, bytes }: LargeKey,
  { pace, questions }: { readonly pace: Pacing; readonly questions: Questions },
): Promise<string> {
  const script = PARTS.get(type);
  const most = type === "string" ? PART_BYTES : PART_SIZE;
  // by the size alone, which is the same in every engine
  const parts = Math.ceil(size / most);
  if (script === undefined || parts > Math.min(questions.left, MOST_PARTS)) return "";
  // an engine may take more memory for a string than that has bytes
  if (type !== "string" && bytes > MOST_PARTS * PART_BYTES) return "";
  questions.left -= parts;
  // large elements are read in more parts
  const each = type === "string" ? most : Math.max(1, Math.min(most, Math.floor((PART_BYTES * size) / bytes)));
  let digest = "";
  for (let from = "0"; ;) {
    const asked = () => askEngine(client, "EVAL_RO", script, "1", key, from, String(each), digest);
    const [next = null, found = null] = listOf(await pace(asked));
    digest = textOf(found);
    from = textOf(next);
    if (from === "0") return digest;
  }
}

/** What is read at once, by elements and by bytes. */
const [PART_SIZE, PART_BYTES] = [500, 262_144];
/** Parts of one key. */
const MOST_PARTS = 64;

/** Where the next part begins, "0" behind the last one. */
const NEXT = `local from, each, digest = ARGV[1], tonumber(ARGV[2]), ARGV[3]
local function next(size)
  local to = tonumber(from) + each
  return to < size and string.format("%.0f", to) or "0"
end
`;
/** Elements in no order: the sum of ten digits of the digest of each. */
const SUM = `local sum = tonumber(digest) or 0
local function add(text) sum = (sum + tonumber(string.sub(redis.sha1hex(text), 1, 10), 16)) % 1099511627776 end
`;
/** Each gives where the next part begins, and the digest of all parts up to there. */
const PARTS: ReadonlyMap<string, string> = new Map([
  [
    "string",
    `${NEXT}local part = redis.call("GETRANGE", KEYS[1], from, from + each - 1)
return {next(redis.call("STRLEN", KEYS[1])), redis.sha1hex(digest .. part)}`,
  ],
  [
    "list",
    `${NEXT}for _, one in ipairs(redis.call("LRANGE", KEYS[1], from, from + each - 1)) do digest = redis.sha1hex(digest .. one) end
return {next(redis.call("LLEN", KEYS[1])), digest}`,
  ],
  [
    "zset",
    `${NEXT}local part = redis.call("ZRANGE", KEYS[1], from, from + each - 1, "WITHSCORES")
for i = 1, #part, 2 do
  digest = redis.sha1hex(digest .. string.format("%.17g", tonumber(part[i + 1])) .. " " .. part[i])
end
return {next(redis.call("ZCARD", KEYS[1])), digest}`,
  ],
  [
    "set",
    `${NEXT}${SUM}local part = redis.call("SSCAN", KEYS[1], from, "COUNT", each)
for _, one in ipairs(part[2]) do add(one) end
return {part[1], string.format("%.0f", sum)}`,
  ],
  [
    "hash",
    `${NEXT}${SUM}local part = redis.call("HSCAN", KEYS[1], from, "COUNT", each)
for i = 1, #part[2], 2 do add(#part[2][i] .. " " .. part[2][i] .. part[2][i + 1]) end
return {part[1], string.format("%.0f", sum)}`,
  ],
]);
