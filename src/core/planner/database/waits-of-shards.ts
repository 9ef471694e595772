import type { DatabaseRecord } from "../../api/records.ts";
import { isAsAsked } from "./facts.ts";

/** So many reasons are named: a database may have hundreds of shards, and its record has one sentence for all. */
const MOST_NAMED = 3;

/** What the shards of a database wait for, each thing once, in one sentence of bounded length; empty when they wait for nothing. */
export function waitsText(reasons: readonly string[]): string {
  const distinct = [...new Set(reasons)];
  const more = distinct.length - MOST_NAMED;
  const last = more > 0 ? [`and ${more} more ${more === 1 ? "reason" : "reasons"} of other shards`] : [];
  return [...distinct.slice(0, MOST_NAMED), ...last].join("; ");
}

/** How far an upgrade of several shards is; undefined without an upgrade, and for one shard. */
export function upgradedShards(record: DatabaseRecord): string | undefined {
  const { shards, upgrade } = record;
  if (upgrade === undefined || shards.length === 1) return undefined;
  const done = shards.filter(({ instances }) => instances.every((instance) => isAsAsked(record, instance)));
  return `${done.length} of ${shards.length} shards are at ${upgrade.target}`;
}
