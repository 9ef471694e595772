import type { DatabaseRecord } from "../../../core/api/records.ts";
import { diskBytes } from "../../../core/planner/database/disk-budget.ts";
import type { PlacedInstance } from "../../../core/planner/database/facts.ts";

/** The instances of all databases with what each takes of its node. */
export function placedInstances(records: readonly DatabaseRecord[]): readonly PlacedInstance[] {
  return records.flatMap((record) =>
    record.shards.flatMap((shard) =>
      shard.instances.map(({ id, node, port }) => ({
        node,
        port,
        memoryBytes: record.memoryBytes,
        diskBytes: diskBytes(record),
        primary: id === shard.primary,
      })),
    ),
  );
}
