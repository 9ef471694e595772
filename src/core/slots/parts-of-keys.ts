import { slotsOf, type SlotHolder } from "./shard-slots.ts";

/** Of fewer keys nothing follows about the others. */
const LEAST_KEYS = 50;

/**
 * The part of their keys that each of some shards would have, 0 to 1, by the slots of keys that were drawn by chance; undefined of too few keys. Keys of other
 * shards do not count.
 */
export function partsOfKeys(
  slotByKey: ReadonlyMap<string, number>,
  shards: readonly SlotHolder[],
): readonly number[] | undefined {
  const drawn = [...slotByKey.values()];
  const counts = shards.map(
    (shard) => drawn.filter((slot) => slotsOf(shard).some(({ from, to }) => from <= slot && slot <= to)).length,
  );
  const all = counts.reduce((sum, count) => sum + count, 0);
  return all < LEAST_KEYS ? undefined : counts.map((count) => count / all);
}
