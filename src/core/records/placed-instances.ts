import type { DatabaseRecord } from "../api/records.ts";
import { placedOf } from "../planner/database/placed.ts";
import type { PlacedInstance } from "../planner/database/facts.ts";

/** For records that have not changed: every pass over a database asks for all of them. */
const known = new WeakMap<readonly DatabaseRecord[], readonly PlacedInstance[]>();

/** The instances of all databases with what each takes of its node. */
export function placedInstances(records: readonly DatabaseRecord[]): readonly PlacedInstance[] {
  const placed = known.get(records) ?? placedAnew(records);
  known.set(records, placed);
  return placed;
}

function placedAnew(records: readonly DatabaseRecord[]): readonly PlacedInstance[] {
  return records.flatMap((record) => record.shards.flatMap((shard) => placedOf(record, shard)));
}
