import type { SlotRange } from "../base/slot-range.ts";
import { SLOTS } from "./slot.ts";

/** A shard with the slots that it has; absent: all, as the only shard of its database. */
export interface SlotHolder {
  readonly slots?: readonly SlotRange[];
}

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

/** The part of what a database has, in bytes, that is a shard's: by its slots, at least that of one slot. */
export function shareOf(bytes: number, shard: SlotHolder): number {
  const slots = slotsOf(shard).reduce((sum, { from, to }) => sum + to - from + 1, 0);
  return Math.ceil((bytes * Math.max(1, slots)) / SLOTS);
}
