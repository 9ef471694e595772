import type { DatabaseRecord } from "../../../../core/api/records.ts";
import { askedTable } from "../../../../core/planner/database/replaced-shards.ts";
import { sizedShards } from "../../../../core/planner/database/sized-shards.ts";
import { isSameTable, namedShards } from "../../../../core/slots/named-slots.ts";
import { evenSlots, type SizedShard } from "../../../../core/slots/shard-slots.ts";
import { numberOfSlices, slotsOfSite } from "../../../../core/slots/site-slices.ts";
import { SLOTS } from "../../../../core/slots/slot.ts";
import type { BdbChange, BdbCreate } from "../../../../ports/management/records.ts";
import { refusals, refuse } from "../http/refusals.ts";

/** What a request says of shards. */
export type AskedOfShards = Pick<BdbChange, "shards_count" | "shard_slots">;

type Shards = Pick<DatabaseRecord, "shards" | "shardCount" | "shardSlots">;

/** The shards that a request names, in order; undefined when it names none. Refused unless each slot has one shard, and the number is that which is said. */
export function shardsNamed({
  shard_slots: texts,
  shards_count: count,
}: AskedOfShards): readonly SizedShard[] | undefined {
  if (texts === undefined) return undefined;
  const field = "shard_slots";
  const named = namedShards(texts);
  if ("why" in named)
    throw refuse(refusals.badRequest, `${field}: ${named.why}; each slot from 0 to 16383 is named once`, { field });
  if (count === undefined || count === named.length) return named;
  throw refuse(refusals.badRequest, `${field}: it has ${named.length} entries, and shards_count is ${count}`, {
    field,
  });
}

/** How many shards a new database is asked to have. */
export function countOfNew(asked: AskedOfShards): number {
  return shardsNamed(asked)?.length ?? asked.shards_count ?? 1;
}

/** The shards of a new database that may use so much, in bytes: those that are named, and otherwise even ones, of whole slices at a site. */
export function shardsOfNew(
  body: AskedOfShards & Pick<BdbCreate, "active_active">,
  { memoryBytes }: Pick<DatabaseRecord, "memoryBytes">,
): readonly SizedShard[] {
  const [count, slices] = [countOfNew(body), numberOfSlices(body.active_active)];
  const slots = slices === undefined ? evenSlots(count) : slotsOfSite(count, slices);
  const asked = shardsNamed(body) ?? slots.map((own) => ({ slots: own }));
  return sizedShards(memoryBytes, asked, SLOTS) ?? asked;
}

/** The record with the shards that a request asks for: slots that it names; by a number alone those that serve, when they are so many, and even ones otherwise. */
export function withAskedShards<Asked extends Shards>(record: Asked, asked: AskedOfShards): Asked {
  const named = shardsNamed(asked);
  if (named !== undefined) return { ...record, shardCount: named.length, shardSlots: named };
  const { shards_count: shardCount } = asked;
  if (shardCount === undefined) return record;
  const { shardSlots: _named, ...others } = record;
  return { ...(others as Asked), shardCount };
}

/** What a text asks for: a number of shards, or the slots of each, as `0-865;866-16383`; those of one shard are a range. Refused when it is neither. */
export function shardsAskedIn(text: string): AskedOfShards {
  if (/^[1-9]\d{0,3}$/.test(text)) return { shards_count: Number(text) };
  if (/[;,-]/.test(text)) return { shard_slots: text.split(";") };
  throw refuse(refusals.invalidSharding, `"${text}" is no number of shards`);
}

/** True when both ask for the same slots of each shard. */
export function asksSame(one: Shards, other: Shards): boolean {
  return isSameTable(askedTable(one), askedTable(other));
}
