import type { SlotRange } from "../base/slot-range.ts";
import { SLOTS } from "./slot.ts";

/** Which shard has each slot: at the place of the slot, the place of its shard among the shards of the database. */
export type SlotTable = Uint16Array;

/** The table of shards that have these slots, in their order; undefined unless each slot of the database has exactly one shard. */
export function slotTable(shards: readonly (readonly SlotRange[])[]): SlotTable | undefined {
  const table = new Uint16Array(SLOTS).fill(NO_SHARD);
  for (const [shard, ranges] of shards.entries())
    for (const range of ranges) if (!isRange(range) || !take(table, range, shard)) return undefined;
  return table.includes(NO_SHARD) ? undefined : table;
}

function isRange({ from, to }: SlotRange): boolean {
  return Number.isInteger(from) && Number.isInteger(to) && from >= 0 && from <= to && to < SLOTS;
}

/** False when another shard has one of them. */
function take(table: SlotTable, { from, to }: SlotRange, shard: number): boolean {
  for (let slot = from; slot <= to; slot++) if (table[slot] !== NO_SHARD) return false;
  table.fill(shard, from, to + 1);
  return true;
}

/** More than the shards of any database. */
const NO_SHARD = 0xffff;
