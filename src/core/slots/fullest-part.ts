import type { SlotRange } from "../base/slot-range.ts";

/** Of fewer keys nothing follows about the others. */
const LEAST_KEYS = 50;

/** The part of the keys that the fullest of some shards would have, 0 to 1, by the slots of keys that were drawn by chance; undefined of too few keys. */
export function fullestPart(
  slotByKey: ReadonlyMap<string, number>,
  shards: readonly (readonly SlotRange[])[],
): number | undefined {
  if (slotByKey.size < LEAST_KEYS) return undefined;
  const drawn = [...slotByKey.values()];
  const counts = shards.map(
    (slots) => drawn.filter((slot) => slots.some(({ from, to }) => from <= slot && slot <= to)).length,
  );
  return Math.max(...counts) / drawn.length;
}
