import type { SliceOfEngine, SlotRange } from "../base/slot-range.ts";
import { evenSlots, slotsText } from "./shard-slots.ts";

/** The slots of the slices of an Active-Active database: so many, of as many slots each as can be. Each one is merged on its own. */
export function siteSlices(slices: number): readonly SlotRange[] {
  return evenSlots(slices).flat();
}

/** How many slices the Active-Active database of a site has; undefined where there is no site. */
export function numberOfSlices(site: { readonly slices?: number } | undefined): number | undefined {
  return site && (site.slices ?? 1);
}

/** The slots of so many shards of a site: each has whole slices, and as many as can be. */
export function slotsOfSite(shards: number, slices: number): readonly (readonly SlotRange[])[] {
  const startOf = (shard: number): number => Math.ceil((shard * slices) / shards);
  const all = siteSlices(slices);
  return Array.from({ length: shards }, (_, shard) => {
    const own = all.slice(startOf(shard), startOf(shard + 1));
    return [{ from: own[0]?.from ?? 0, to: own.at(-1)?.to ?? 0 }];
  });
}

/** Those of the slices of a database that have slots of these ranges. */
export function slicesWithin(slots: readonly SlotRange[], slices: number): readonly SlotRange[] {
  return siteSlices(slices).filter((slice) => slots.some(({ from, to }) => slice.from <= to && from <= slice.to));
}

/** The first of the slices that has some of its slots in these ranges, and not all; undefined when each has all or none. */
export function dividedSlice(slots: readonly SlotRange[], slices: number): SlotRange | undefined {
  return slicesWithin(slots, slices).find(
    (slice) => !slots.some(({ from, to }) => from <= slice.from && slice.to <= to),
  );
}

/** A slice as links name it, and how many slices the engine has that has this one; the only slice of a database has its name. */
export interface NamedSlice {
  readonly guid: string;
  readonly slice?: SliceOfEngine;
}

/** What links serve of a database that has so many slices, at the engine with these slots. */
export function namedSlices(guid: string, slots: readonly SlotRange[], slices: number): readonly NamedSlice[] {
  if (slices === 1) return [{ guid }];
  const own = slicesWithin(slots, slices);
  return own.map((range) => ({
    guid: `${guid}:${slotsText([range])}`,
    slice: { slots: range, ofEngine: own.length },
  }));
}
