import type { DatabaseRecord } from "../../api/records.ts";
import { isAsAsked, shardName } from "./facts.ts";

/** So many reasons, and so many shards of one reason, are named: a database may have hundreds of shards, and its record has one sentence for all. */
const MOST_NAMED = 3;

/** What a shard waits for. */
export interface ShardWait {
  readonly shard: number;
  readonly reason: string;
}

/**
 * What the shards of a database wait for, each thing once, in one sentence of bounded length; empty when they wait for nothing. Of several shards
 * those are named that a reason is about, unless it names its shard itself.
 */
export function waitsText(record: Pick<DatabaseRecord, "name" | "shards">, waits: readonly ShardWait[]): string {
  const distinct = [...Map.groupBy(waits, ({ reason }) => reason)].map(([reason, same]) => {
    const shards = same.map(({ shard }) => shard);
    const isNamed = record.shards.length === 1 || shards.some((shard) => reason.includes(shardName(record, shard)));
    return isNamed ? reason : `${shardsText(shards)}: ${reason}`;
  });
  const more = distinct.length - MOST_NAMED;
  const last = more > 0 ? [`and ${more} more ${more === 1 ? "reason" : "reasons"} of other shards`] : [];
  return [...distinct.slice(0, MOST_NAMED), ...last].join("; ");
}

function shardsText(shards: readonly number[]): string {
  const [first = 0, ...others] = shards;
  if (others.length === 0) return `shard ${first}`;
  if (shards.length > MOST_NAMED)
    return `shards ${shards.slice(0, MOST_NAMED).join(", ")} and ${shards.length - MOST_NAMED} more`;
  return `shards ${shards.slice(0, -1).join(", ")} and ${shards.at(-1) ?? ""}`;
}

/** How far an upgrade of several shards is; undefined without an upgrade, and for one shard. */
export function upgradedShards(record: DatabaseRecord): string | undefined {
  const { shards, upgrade } = record;
  if (upgrade === undefined || shards.length === 1) return undefined;
  const done = shards.filter(({ instances }) => instances.every((instance) => isAsAsked(record, instance)));
  return `${done.length} of ${shards.length} shards are at ${upgrade.target}`;
}
