import type { DatabaseRecord } from "../api/records.ts";
import { slotsOf } from "../slots/shard-slots.ts";
import { slotTable } from "../slots/slot-table.ts";

/** What a record says of shards and slots. */
type Shards = Pick<DatabaseRecord, "shards" | "tableEpoch" | "activeActive">;

/** True when the record says which shard has which slot: programs of releases before 0.6.0 must not read it. */
export function hasSlots({ shards, tableEpoch }: Shards): boolean {
  return tableEpoch !== undefined || shards.length > 1 || shards.some(({ slots }) => slots !== undefined);
}

/** Why a record cannot have these shards; undefined when each slot has exactly one of them. */
export function whyNotServable({ shards, activeActive }: Shards): string | undefined {
  if (shards.length === 0) return undefined;
  if (slotTable(shards.map(slotsOf)) === undefined) return "not each slot has exactly one shard";
  return shards.length > 1 && activeActive !== undefined
    ? "a site of an Active-Active database has one shard"
    : undefined;
}

/** Why the shards of a record cannot become these; undefined when they can: the epoch of the table rises with each change of it, and with nothing else. */
export function whyNoSuccessor(before: Shards, after: Shards): string | undefined {
  const objection = whyNotServable(after);
  if (objection !== undefined) return objection;
  const [known, next] = [before.tableEpoch ?? 0, after.tableEpoch ?? 0];
  if (tableOf(before) === tableOf(after))
    return next === known ? undefined : `its slots stay where they are, and their epoch goes from ${known} to ${next}`;
  return next > known ? undefined : `slots go to another shard, and their epoch stays ${known}`;
}

/** Which shard has which slots, as text that is the same for the same table. */
function tableOf({ shards }: Shards): string {
  const ranges = shards.flatMap((shard) => slotsOf(shard).map(({ from, to }) => [from, to, shard.id] as const));
  return JSON.stringify(ranges.toSorted(([one], [other]) => one - other));
}
