import { DATABASE_SETTINGS } from "../../../../core/api/settings/database-settings.ts";
import {
  type AskedShards,
  shardCountObjection,
  shardMemoryObjection,
} from "../../../../core/planner/admission/shard-count.ts";
import { instancesText } from "../../../../core/planner/license/instances-text.ts";
import type { BdbCreate } from "../../../../ports/management/records.ts";
import { licenseOf } from "../cluster/license.ts";
import { refusals, refuse } from "../http/refusals.ts";
import { type CheckContext, nodesWithout, nodeWithRelease } from "./checks.ts";

/** Refuses a request that says of its number of shards what is not so. */
export function requireSharding({ sharding }: Pick<BdbCreate, "sharding">, count: number): void {
  if (sharding === undefined || sharding === count > 1) return;
  const shards = count === 1 ? "one shard" : `${count} shards`;
  throw refuse(refusals.invalidSharding, `sharding is ${String(sharding)}, and the database has ${shards}`);
}

/** Refuses several shards where there can be one, and while a node of an older release is a member, also one that is away: it would not run the database. */
export function requireShardCount(context: Pick<CheckContext, "members">, asked: AskedShards): void {
  const objection = shardCountObjection(asked);
  if (objection !== undefined) throw refuse(refusals.invalidSharding, objection);
  if (asked.count === 1 || asked.count === asked.has) return;
  const older = nodesWithout(context, "several-shards").map(nodeWithRelease);
  if (older.length === 0) return;
  throw refuse(
    refusals.olderNode,
    `no node of an older release runs a database of several shards: ${older.join(", ")}`,
  );
}

/** Refuses when these primaries and replicas more exceed the licence. */
export function requireShards(
  context: CheckContext,
  { primaries, replicas }: { readonly primaries: number; readonly replicas: number },
): void {
  const { shards_limit, shards_usage, type } = licenseOf(context);
  const more = primaries + replicas;
  if (shards_usage + more <= shards_limit) return;
  throw refuse(
    refusals.licenseLimit,
    `the ${type} licence allows ${shards_limit} shards, primaries and replicas together; ${shards_usage} are in use and this needs ${more} more: ${instancesText(primaries, replicas)}`,
  );
}

/** Refuses less memory than the shards of the database need. */
export function requireShardMemory(asked: Parameters<typeof shardMemoryObjection>[0]): void {
  const objection = shardMemoryObjection(asked);
  if (objection !== undefined)
    throw refuse(refusals.badRequest, objection, { field: DATABASE_SETTINGS.memoryBytes.wireName });
}
