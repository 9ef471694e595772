import type { NamedMembers } from "../../../core/merge/operations/captured.ts";
import type { EngineCommand } from "../../../core/merge/state/engine-writes.ts";
import type { Effect, KeyType } from "../../../core/merge/operations/operation.ts";
import { byteStringOf, ReplyError, type Reply } from "../../../ports/resp/reply.ts";

/** What reads a key of any type, and when it expires: of the reads of a type all but one are answered with an error. */
export function readsOf(key: string): readonly EngineCommand[] {
  return [
    ["GET", key],
    ["LRANGE", key, "0", "-1"],
    ["HGETALL", key],
    ["SMEMBERS", key],
    ["ZRANGE", key, "0", "-1", "WITHSCORES"],
    ["PEXPIRETIME", key],
  ];
}

/** Replies to what reads one key. */
export const READS_OF_A_KEY = 6;

/** The effects that make the key elsewhere what it is here, by the replies of `readsOf`. */
export function effectsOfReads(key: string, replies: readonly Reply[]): readonly Effect[] {
  const [text, list, hash, set, zset, until] = replies.map((reply) =>
    reply instanceof ReplyError ? undefined : reply,
  );
  const expiry: readonly Effect[] = typeof until === "number" && until > 0 ? [{ kind: "expire", key, at: until }] : [];
  const put = (type: KeyType, element: string, value: string | readonly string[]): Effect => ({
    kind: "put",
    type,
    key,
    element,
    value,
  });
  const clear: Effect = { kind: "clear", key };
  if (text instanceof Uint8Array) return [clear, put("string", "", byteStringOf(text)), ...expiry];
  const elements = [list, hash, set, zset].map((reply) => (Array.isArray(reply) ? reply.map(byteStringOf) : []));
  const [ofList = [], ofHash = [], ofSet = [], ofZset = []] = elements;
  return [
    clear,
    ...(ofList.length > 0 ? [put("list", "", ofList)] : []),
    ...pairs(ofHash).map(([field, value]) => put("hash", field, value)),
    ...ofSet.map((element) => put("set", element, "")),
    ...pairs(ofZset).map(([element, score]) => put("zset", element, score)),
    ...expiry,
  ];
}

/** The effects that make members of a sorted set elsewhere what they are here, by ZMSCORE; none for a key that has another type by now. */
export function effectsOfScores({ key, members }: NamedMembers, [scores]: readonly Reply[]): readonly Effect[] {
  if (!Array.isArray(scores)) return [];
  const replies: readonly Reply[] = scores;
  return members.map((element, at): Effect => {
    const score = replies[at] ?? null;
    if (score === null) return { kind: "remove", type: "zset", key, element };
    return { kind: "put", type: "zset", key, element, value: byteStringOf(score) };
  });
}

function pairs(flat: readonly string[]): readonly (readonly [string, string])[] {
  return Array.from({ length: flat.length / 2 }, (_, index) => [flat[2 * index] ?? "", flat[2 * index + 1] ?? ""]);
}
