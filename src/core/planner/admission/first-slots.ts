import { MOST_SHARDS } from "../../api/database-spec.ts";
import { annotate } from "../../api/kubectl.ts";
import { AWAITS_SLOTS_ANNOTATION } from "../../api/names.ts";
import { namedShards } from "../../slots/named-slots.ts";
import { moduleItemsOf } from "./modules.ts";
import { invalidValue, type Objection } from "./objection.ts";
import type { ReviewedDatabase } from "./reviewed-database.ts";
import { shardCountObjection } from "./shard-count.ts";

/** The slots of the shards in which a new database gets its data; they count for one that is there no more. */
export function firstSlotsFit({ name, spec, existing, firstSlots }: ReviewedDatabase): readonly Objection[] {
  if (firstSlots === undefined || existing !== undefined) return [];
  const why = firstSlotsObjection(firstSlots, moduleItemsOf(spec));
  if (why === undefined) return [];
  const field = `metadata.annotations[${AWAITS_SLOTS_ANNOTATION}]`;
  const without = annotate("redb", name, `${AWAITS_SLOTS_ANNOTATION}-`);
  const remedy = `name each slot from 0 to 16383 once, as the files of the backup have them, for instance 0-865;866-16383; or leave it out: ${without}`;
  return [invalidValue(field, firstSlots.join(";"), why, remedy)];
}

function firstSlotsObjection(
  slots: readonly string[],
  modules: readonly { readonly name: string }[],
): string | undefined {
  const { length: count } = slots;
  if (count > MOST_SHARDS) return `it has ${count} shards, and a database has ${MOST_SHARDS} at most`;
  const named = namedShards(slots);
  if ("why" in named) return named.why;
  return shardCountObjection({ count, has: undefined, slices: undefined, modules: modules.map(({ name }) => name) });
}
