import { leastShare } from "../admission/shard-count.ts";
import { countSlots, slotShare, type SizedShard } from "../../slots/shard-slots.ts";
import { sharesOf } from "../../slots/shares.ts";

/** Shards that may use so much of a database together, in slots, with what each may use; undefined when it is too little for so many. `memoryBytes`: of the database. */
export function sizedShards(
  memoryBytes: number,
  asked: readonly SizedShard[],
  whole: number,
): readonly SizedShard[] | undefined {
  // a shard that comes alone in the place of others has at least what one of them had
  const least = asked.length === 1 ? 0 : leastShare(memoryBytes);
  const shares = sharesOf(asked.map(slotShare), { whole, least });
  return shares?.map((share, at) => {
    const { slots = [] } = asked[at] ?? {};
    return { slots, ...(share === countSlots(slots) ? {} : { share }) };
  });
}
