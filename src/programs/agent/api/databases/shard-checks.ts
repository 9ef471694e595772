import { askedShards } from "../../../../core/api/every-shard.ts";
import type { DatabaseRecord } from "../../../../core/api/records.ts";
import { askedTable, hasAskedTable } from "../../../../core/planner/database/replaced-shards.ts";
import { planReshape, type ReshapePlan } from "../../../../core/planner/database/reshape-plan.ts";
import { placedInstances } from "../../../../core/records/placed-instances.ts";
import { gatherNodes, type NodeFactsContext } from "../../observation/node-facts.ts";
import { DATABASE_SETTINGS } from "../../../../core/api/settings/database-settings.ts";
import {
  type AskedShards,
  leastShare,
  memoryForShare,
  shardCountObjection,
  siteShardsObjection,
  shardMemoryObjection,
} from "../../../../core/planner/admission/shard-count.ts";
import { instancesText } from "../../../../core/planner/license/instances-text.ts";
import type { BdbCreate } from "../../../../ports/management/records.ts";
import { slotShare, slotsText, type SizedShard } from "../../../../core/slots/shard-slots.ts";
import { dividedSlice, numberOfSlices } from "../../../../core/slots/site-slices.ts";
import { needText, unitOf } from "#kit/base/sizes";
import { licenseOf } from "../cluster/license.ts";
import { refusals, refuse } from "../http/refusals.ts";
import { asksSame } from "./asked-shards.ts";
import { type CheckContext, nodesWithout, nodeWithRelease } from "./checks.ts";

/** What the checks of another number of shards read. */
export type ShardChangeContext = CheckContext & NodeFactsContext;

/** Refuses a request that says of its number of shards what is not so. */
export function requireSharding({ sharding }: Pick<BdbCreate, "sharding">, count: number): void {
  if (sharding === undefined || sharding === count > 1) return;
  const shards = count === 1 ? "one shard" : `${count} shards`;
  throw refuse(refusals.invalidSharding, `sharding is ${String(sharding)}, and the database has ${shards}`);
}

/** Refuses several shards where there can be one, and while a node of an older release is a member, also one that is away: it would not run the database. */
export function requireShardCount(
  context: Pick<CheckContext, "members">,
  asked: AskedShards,
  isOther = (asked.has ?? 1) !== asked.count,
): void {
  const objection = shardCountObjection(asked) ?? siteShardsObjection(asked, isOther);
  if (objection !== undefined) throw refuse(refusals.invalidSharding, objection);
  const isMerged = asked.has === undefined && (asked.slices ?? 1) > 1;
  if (!isOther && !isMerged) return;
  const older = nodesWithout(context, asked.has === undefined ? "several-shards" : "new-shards").map(nodeWithRelease);
  if (older.length === 0) return;
  const what = asked.has === undefined ? "runs a database of several shards" : "makes new shards of a database";
  throw refuse(refusals.olderNode, `no node of an older release ${what}: ${older.join(", ")}`);
}

/** Refuses slots that are named for the shards of a new site, where a range that is merged as a whole would be at two of them. */
export function requireWholeSlices(named: readonly SizedShard[], slices: number): void {
  for (const { slots } of named) {
    const divided = dividedSlice(slots, slices);
    if (divided === undefined) continue;
    const why = `the slots ${slotsText([divided])} are merged together with those of other sites, and would be at two shards`;
    throw refuse(refusals.invalidSharding, why, { field: "shard_slots" });
  }
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

/** Refuses what the licence does not allow, and less memory than the shards need: those that the database has, and those that it shall have. */
export function requireShardsOf(context: CheckContext, seen: DatabaseRecord, next: DatabaseRecord): void {
  const [had, count] = [Math.max(seen.shards.length, askedShards(seen)), askedShards(next)];
  const primaries = Math.max(0, count - had);
  const added = seen.replication ? primaries : Math.max(had, count);
  const replicas = next.replication ? added : 0;
  if (primaries + replicas > 0) requireShards(context, { primaries, replicas });
  requireShardMemory({ count: Math.max(seen.shards.length, count), memoryBytes: next.memoryBytes });
  requireShareMemory(next);
}

/** The share of a shard with few slots is not that of all others. */
function requireShareMemory({ shards, memoryBytes }: DatabaseRecord): void {
  const least = Math.min(...shards.map(slotShare));
  const needed = memoryForShare(least);
  if (shards.length === 1 || least >= leastShare(memoryBytes)) return;
  const field = DATABASE_SETTINGS.memoryBytes.wireName;
  const unit = unitOf(memoryBytes);
  throw refuse(
    refusals.badRequest,
    `the smallest of ${shards.length} shards needs at least ${needText(needed, unit)} of the whole database, which may use ${needText(memoryBytes, unit)}`,
    { field },
  );
}

/** How the database gets the shards that are asked for, beside those that it has; undefined when it has them. Refused where the nodes have no room for both. */
export async function planOfChange(
  context: ShardChangeContext,
  seen: DatabaseRecord,
  next: DatabaseRecord,
): Promise<ReshapePlan | undefined> {
  if (hasAskedTable(next) || asksSame(next, seen)) return undefined;
  const to = askedTable(next);
  // what has begun for another number goes first
  const { reshape: _withdrawn, ...record } = next;
  const databases = context.records.databases().map((one) => (one.uid === record.uid ? record : one));
  const nodes = await gatherNodes(context);
  const plan = planReshape({ record, to, nodes, everything: placedInstances(databases) });
  if ("id" in plan) throw refuse(refusals.insufficientResources, plan.evidence);
  return plan;
}

/** The plan of other shards alone, after all checks of such a change; undefined when the database has them, or they are asked for already. */
export async function requireChangeOfShards(
  context: ShardChangeContext,
  seen: DatabaseRecord,
  next: DatabaseRecord,
): Promise<ReshapePlan | undefined> {
  const { activeActive, modules = [] } = seen;
  const asked = {
    count: askedShards(next),
    has: askedShards(seen),
    slices: numberOfSlices(activeActive),
  };
  requireShardCount(context, { ...asked, modules: modules.map(({ name }) => name) }, !asksSame(next, seen));
  requireShardsOf(context, seen, next);
  return planOfChange(context, seen, next);
}
