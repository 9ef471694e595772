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
