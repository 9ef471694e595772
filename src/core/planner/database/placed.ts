import type { DatabaseRecord, ShardRecord } from "../../api/records.ts";
import { instanceSize } from "../node/instance-size.ts";
import type { PlacedInstance } from "./facts.ts";

type Placeable = Pick<DatabaseRecord, "memoryBytes" | "persistence" | "shards" | "reshape">;

/** The instances of one shard with what each takes of its node. */
export function placedOf(record: Omit<Placeable, "shards" | "reshape">, shard: ShardRecord): readonly PlacedInstance[] {
  const size = instanceSize(record, shard);
  return shard.instances.map(({ id, node, port }) => ({ node, port, ...size, primary: id === shard.primary }));
}

/** The instances of all other shards of a database. */
export function placedInOthers(record: Placeable, shard: Pick<ShardRecord, "id">): readonly PlacedInstance[] {
  return record.shards.filter(({ id }) => id !== shard.id).flatMap((other) => placedOf(record, other));
}
