import { namedShards } from "../../../src/core/slots/named-slots.ts";
import { evenSlots, type SizedShard } from "../../../src/core/slots/shard-slots.ts";

/** So many shards with even slots, or those of these texts. */
export function wantedShards(wanted: number | readonly string[]): readonly SizedShard[] {
  if (typeof wanted === "number") return evenSlots(wanted).map((slots) => ({ slots }));
  const named = namedShards(wanted);
  if ("why" in named) throw new Error(named.why);
  return named;
}
