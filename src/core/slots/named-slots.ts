import type { SlotRange } from "../base/slot-range.ts";
import { slotsOf, slotsText, type SizedShard, type SlotHolder } from "./shard-slots.ts";
import { SLOTS } from "./slot.ts";

/**
 * The shards that texts name, in order: the slots of each, as `0-4095,8192`, and behind `=` its part of what the database may use, as `25%`, where that is not by
 * its slots. Or why these are no shards, as a sentence that names the text or the slot.
 */
export function namedShards(texts: readonly string[]): readonly SizedShard[] | { readonly why: string } {
  const owners = new Int32Array(SLOTS).fill(NONE);
  const shares: (number | undefined)[] = [];
  for (const [shard, text] of texts.entries()) {
    const named = shardIn(text);
    if (named === undefined) return { why: `"${text}" is no list of slots` };
    shares.push(named.share);
    for (const range of named.slots) {
      const twice = take(owners, range, shard);
      if (twice !== undefined) return { why: `slot ${twice} is named twice` };
    }
  }
  const missing = owners.indexOf(NONE);
  if (missing !== NONE) return { why: `no shard has slot ${missing}` };
  return inOrder(
    shares.map((share, shard) => ({ slots: rangesOf(owners, shard), ...(share === undefined ? {} : { share }) })),
  );
}

/** The slots of shards as texts, in order; the same for the same slots, whatever they may use. */
export function slotTexts(shards: readonly SlotHolder[]): readonly string[] {
  return inOrder(shards).map((shard) => slotsText(slotsOf(shard)));
}

/** Shards as the texts that name them. */
export function shardNames(shards: readonly SizedShard[]): readonly string[] {
  return inOrder(shards).map(({ slots, share }) => `${slotsText(slots)}${share === undefined ? "" : shareText(share)}`);
}

/** True when each shard has the same slots as one of the others, in any order. */
export function isSameTable(one: readonly SlotHolder[], other: readonly SlotHolder[]): boolean {
  return one.length === other.length && slotTexts(one).join(" ") === slotTexts(other).join(" ");
}

/** By their lowest slots. */
export function inOrder<Shard extends SlotHolder>(shards: readonly Shard[]): readonly Shard[] {
  return shards.toSorted((one, other) => lowestOf(one) - lowestOf(other));
}

const NONE = -1;
const PERCENT = 100;

function lowestOf(shard: SlotHolder): number {
  return Math.min(...slotsOf(shard).map(({ from }) => from));
}

function shareText(share: number): string {
  return `=${Number(((PERCENT * share) / SLOTS).toFixed(3))}%`;
}

function shardIn(text: string): SizedShard | undefined {
  const [, slots = "", percent] = /^([\d, -]+)(?:=(\d{1,3}(?:\.\d{1,3})?)%)?$/.exec(text) ?? [];
  const ranges = slots.split(",").map((part): SlotRange | undefined => {
    const [, first = "", last = first] = /^ *(\d{1,5})(?:-(\d{1,5}))? *$/.exec(part) ?? [];
    const [from, to] = [Number(first), Number(last)];
    return first === "" || from > to || to >= SLOTS ? undefined : { from, to };
  });
  const known = ranges.filter((range) => range !== undefined);
  const share = Math.round((Number(percent) * SLOTS) / PERCENT);
  if (known.length < ranges.length || share === 0 || share > SLOTS) return undefined;
  return { slots: known, ...(percent === undefined ? {} : { share }) };
}

/** The first slot of the range that another has; undefined when it has none of another's. */
function take(owners: Int32Array, { from, to }: SlotRange, shard: number): number | undefined {
  for (let slot = from; slot <= to; slot++) if (owners[slot] !== NONE) return slot;
  owners.fill(shard, from, to + 1);
  return undefined;
}

/** As few ranges as can be. */
function rangesOf(owners: Int32Array, shard: number): readonly SlotRange[] {
  const ranges: SlotRange[] = [];
  for (let from = owners.indexOf(shard); from !== NONE; from = owners.indexOf(shard, (ranges.at(-1)?.to ?? 0) + 1)) {
    let to = from;
    while (owners[to + 1] === shard) to++;
    ranges.push({ from, to });
  }
  return ranges;
}
