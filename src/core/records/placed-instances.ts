import { everyShard } from "../api/every-shard.ts";
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
  return records.flatMap((record) => [
    ...everyShard(record).flatMap((shard) => placedOf(record, shard)),
    ...ofMover(record.reshape),
  ]);
}

/** A mover has ports of the room of engines; what it keeps for an engine that loads takes the room of an engine that holds nothing. */
function ofMover(reshape: DatabaseRecord["reshape"]): readonly PlacedInstance[] {
  if (reshape === undefined || reshape.phase === "retire") return [];
  const { node, ports } = reshape.mover;
  return ports.map((port) => ({ node, port, memoryBytes: 0, diskBytes: 0, primary: false }));
}
