import { needText, unitOf } from "#kit/base/sizes";
import { memoryBytes } from "../api/settings/memory.ts";
import { instancesText } from "../planner/license/instances-text.ts";
import type { RestoreStatus } from "../api/restore-spec.ts";
import { memoryForShards, shardMemoryObjection } from "../planner/admission/shard-count.ts";
import { sizedShards } from "../planner/database/sized-shards.ts";
import { countSlots, shareOf, slotsOf, type SizedShard } from "../slots/shard-slots.ts";
import { SLOTS } from "../slots/slot.ts";

/** The shards of a database that is made for a backup, each time in the order of their slots. */
export interface RestoredTables {
  /** Those of the backup: the data are put there, and served from there first. */
  readonly first: readonly SizedShard[];
  /** Those that are asked for, which come in their place then; undefined where no others are. */
  readonly next: readonly SizedShard[] | undefined;
}

/** What the data of each shard of a backup took, in bytes, in the order of their slots. */
type Memories = readonly number[];

/** Why a database that may use so much cannot have the data, in the shards of the backup or in those after them; undefined when it can. */
export function memoryObjection(size: string, { first, next }: RestoredTables, memories: Memories): string | undefined {
  const bytes = memoryBytes(size) ?? 0;
  const most = Math.max(...memories);
  const each = Math.min(...first.map((shard) => shareOf(bytes, shard)));
  if (each < most) return `${size} gives a shard ${each} bytes, and the data of one took ${most}`;
  const few = [first, next ?? first].map(({ length }) => shardMemoryObjection({ count: length, memoryBytes: bytes }));
  return few.find((one) => one !== undefined) ?? (next && nextObjection(size, next, expectedIn(next, first, memories)));
}

/** As much memory, in bytes, as the data need with a little more of it in either of the tables. */
export function memoryNeeded({ first, next = first }: RestoredTables, memories: Memories): number {
  const most = Math.max(...memories);
  const ofFirst = Math.max(...first.map((shard) => most / fractionOf(shard)));
  const expected = expectedIn(next, first, memories);
  const ofNext = Math.max(...next.map((shard, at) => (expected[at] ?? 0) / fractionOf(shard)));
  const counted = Math.max(memoryForShards(first.length), memoryForShards(next.length));
  const isSingle = first.length === 1 && next.length === 1;
  return Math.max(MARGIN * ofFirst, MARGIN * ofNext, isSingle ? 0 : counted);
}

/** Why a licence does not allow the instances that the database has while it has the more shards of both; undefined when it does. */
export function licenseObjection(
  { first, next, replication }: Readonly<Record<"first" | "next", number>> & { readonly replication: boolean },
  { shards_limit: limit, shards_usage: used }: Readonly<Record<"shards_limit" | "shards_usage", number>>,
): string | undefined {
  const primaries = Math.max(first, next);
  const more = replication ? 2 * primaries : primaries;
  if (used + more <= limit) return undefined;
  const needed = instancesText(primaries, replication ? primaries : 0);
  return `it needs ${more} shards (${needed}), and the licence allows ${limit} of which ${used} are in use`;
}

/** What becomes of the shards of the backup, as the end of a sentence: `, and its 4 shards become 3 now`; empty where they stay. */
export function changeText(shown: RestoreStatus["database"], when: string): string {
  const { firstShardCount: first, shardCount: next } = shown ?? {};
  if (first === undefined) return "";
  const has = first === 1 ? "one shard becomes" : `${first} shards become`;
  return `, and its ${has} ${next === first ? `${next} of other slots` : `${next ?? 0}`} ${when}`;
}

function nextObjection(size: string, next: readonly SizedShard[], expected: Memories): string | undefined {
  const bytes = memoryBytes(size) ?? 0;
  const sized = sizedShards(bytes, next, SLOTS) ?? next;
  const full = sized.findIndex((shard, at) => shareOf(bytes, shard) < (expected[at] ?? 0));
  if (full === -1) return undefined;
  const [share = "", data = ""] = [shareOf(bytes, sized[full] ?? {}), expected[full] ?? 0].map((one) =>
    needText(one, unitOf(bytes)),
  );
  return `${size} gives shard ${full + 1} of the ${next.length} that are asked for ${share}, and the data of its slots took about ${data}`;
}

/** What the data of each of these shards take, where those of the backup are spread evenly over their slots. */
function expectedIn(shards: readonly SizedShard[], first: readonly SizedShard[], memories: Memories): Memories {
  return shards.map((shard) =>
    first.reduce(
      (sum, saved, at) => sum + ((memories[at] ?? 0) * commonSlots(shard, saved)) / countSlots(slotsOf(saved)),
      0,
    ),
  );
}

function commonSlots({ slots }: SizedShard, other: SizedShard): number {
  return slots.reduce(
    (sum, { from, to }) =>
      sum +
      other.slots.reduce((all, range) => all + Math.max(0, Math.min(to, range.to) - Math.max(from, range.from) + 1), 0),
    0,
  );
}

function fractionOf(shard: SizedShard): number {
  return shareOf(SCALE, shard) / SCALE;
}

const SCALE = 1_000_000_000;
/** Data take a little more in another engine. */
const MARGIN = 1.25;
