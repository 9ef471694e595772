import type { SlotRange } from "../base/slot-range.ts";
import { SLOTS } from "./slot.ts";

/** A shard with the slots that it has; absent: all, as the only shard of its database. */
export interface SlotHolder {
  readonly slots?: readonly SlotRange[];
  /** Its part of what the database may use, in slots; absent: as many as it has. */
  readonly share?: number;
}

/** A shard that names its slots, also where it has all. */
export type SizedShard = SlotHolder & Required<Pick<SlotHolder, "slots">>;

/** The slots of a shard, in ranges. */
export function slotsOf({ slots }: SlotHolder): readonly SlotRange[] {
  return slots ?? [{ from: 0, to: SLOTS - 1 }];
}

/** Ranges of slots for people: `0-4095,8192`. */
export function slotsText(ranges: readonly SlotRange[]): string {
  return ranges.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`)).join(",");
}

/** The slots of so many shards, which have as many each as can be. */
export function evenSlots(shards: number): readonly (readonly SlotRange[])[] {
  const startOf = (shard: number): number => Math.ceil((shard * SLOTS) / shards);
  return Array.from({ length: shards }, (_, shard) => [{ from: startOf(shard), to: startOf(shard + 1) - 1 }]);
}

/** How many slots these are. */
export function countSlots(ranges: readonly SlotRange[]): number {
  return ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0);
}

/** True when both have a slot. */
export function shareSlot(one: readonly SlotRange[], other: readonly SlotRange[]): boolean {
  return one.some(({ from, to }) => other.some((range) => range.from <= to && from <= range.to));
}

/** The part of what a database may use that is a shard's, in slots. */
export function slotShare(shard: SlotHolder): number {
  return shard.share ?? countSlots(slotsOf(shard));
}

/** The part of what a database has, in bytes, that is a shard's: at least that of one slot. */
export function shareOf(bytes: number, shard: SlotHolder): number {
  return Math.ceil((bytes * Math.max(1, slotShare(shard))) / SLOTS);
}
