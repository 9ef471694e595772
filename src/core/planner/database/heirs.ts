import type { DatabaseRecord, InstanceRecord, ShardRecord } from "../../api/records.ts";
import { primaryOf } from "./facts.ts";

/**
 * Orders what may succeed the primary of a shard, all else equal: first where the fewest primaries of the other shards are; of a dense database
 * where the most are. One shard has no others, and the order stays.
 */
export function compareHeirs(
  { shards, shardsPlacement }: Pick<DatabaseRecord, "shards" | "shardsPlacement">,
  shard: Pick<ShardRecord, "id">,
  one: InstanceRecord,
  other: InstanceRecord,
): number {
  const nodes = shards.filter(({ id }) => id !== shard.id).map((each) => primaryOf(each).node);
  const primaries = ({ node }: InstanceRecord): number => nodes.filter((each) => each === node).length;
  const fewest = primaries(one) - primaries(other);
  return shardsPlacement === "dense" ? -fewest : fewest;
}
