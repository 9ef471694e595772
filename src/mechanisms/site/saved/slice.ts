import { holdsAny } from "../../../core/merge/operations/captured-slice.ts";
import type { SliceOfEngine, SlotRange } from "../../../core/base/slot-range.ts";
import type { EngineCommand } from "../../../core/merge/state/engine-writes.ts";
import { slotsText } from "../../../core/slots/shard-slots.ts";
import { slicesWithin } from "../../../core/slots/site-slices.ts";
import { slotOf } from "../../../core/slots/slot.ts";
import { LINK_KEYS } from "./marks.ts";

/** What the link writes in its database: its marks, which those of no other slice may be taken for, and where it keeps its state. */
export type KeptKeys = Readonly<Record<"mark" | "checkpoint" | "log" | "transfer", string>>;

/** The keys of an engine that one site merges: all of them, or those of a slice of the database. */
export interface SiteSlice {
  /** Of a slice, each of them has one of its slots. */
  readonly kept: KeptKeys;
  /** Behind the name of the link's connections, so that links of other slices leave them alone. */
  readonly suffix: string;
  /** True of a key that is merged there; each character of it is a byte. */
  readonly holds: (key: string) => boolean;
  /** How many slices the engine has. */
  readonly ofEngine: number;
  /** What the engine is given for a command of the merge: where other slices share the engine, the removal of all keys is that of its own. */
  readonly written: (command: EngineCommand) => EngineCommand;
}

/** All keys of an engine. */
export const ALL_KEYS: SiteSlice = {
  kept: LINK_KEYS,
  suffix: "",
  holds: holdsAny,
  ofEngine: 1,
  written: (command) => command,
};

/** A slice of an engine; undefined: all of its keys. */
export function sliceOf(linked: SliceOfEngine | undefined): SiteSlice {
  if (linked === undefined) return ALL_KEYS;
  const { slots, ofEngine } = linked;
  const holds = (key: string): boolean => {
    const slot = slotOf(Buffer.from(key, "latin1"));
    return slots.from <= slot && slot <= slots.to;
  };
  let tag = 0;
  while (!holds(String(tag))) tag += 1;
  const suffix = suffixOf(slots);
  const named = (key: string): string => `${key}${suffix}:{${tag}}`;
  const { mark, checkpoint, log, transfer } = LINK_KEYS;
  return {
    kept: { mark: named(mark), checkpoint: named(checkpoint), log: named(log), transfer: named(transfer) },
    suffix,
    holds,
    ofEngine,
    written: (command) => (ofEngine > 1 && command[0] === "FLUSHDB" ? removalOf(slots) : command),
  };
}

/** What tells the slices of an engine with these slots from each other: one that is empty, where the database is not divided. */
export function sliceSuffixes(slots: readonly SlotRange[], slices: number): readonly string[] {
  return slices === 1 ? [ALL_KEYS.suffix] : slicesWithin(slots, slices).map(suffixOf);
}

function suffixOf(slots: SlotRange): string {
  return `:${slotsText([slots])}`;
}

/** Removes the keys of these slots, and leaves those of others. */
function removalOf({ from, to }: SlotRange): EngineCommand {
  return ["EVAL", REMOVAL, "0", String(from), String(to)];
}

/** As `slotOf` finds the slot of a key. An engine of before version 7 has to be asked to pass on what a script does. */
const REMOVAL = `if redis.replicate_commands then redis.replicate_commands() end
local from, to = tonumber(ARGV[1]), tonumber(ARGV[2])
local crcs = {}
for byte = 0, 255 do
  local crc = bit.lshift(byte, 8)
  for _ = 1, 8 do
    local twice = bit.lshift(crc, 1)
    crc = bit.band(bit.band(crc, 32768) == 0 and twice or bit.bxor(twice, 4129), 65535)
  end
  crcs[byte] = crc
end
local function slotOf(key)
  local open = string.find(key, "{", 1, true)
  local close = open and string.find(key, "}", open + 1, true)
  if close and close > open + 1 then key = string.sub(key, open + 1, close - 1) end
  local crc = 0
  for at = 1, #key do
    local byte = bit.band(bit.bxor(bit.rshift(crc, 8), string.byte(key, at)), 255)
    crc = bit.band(bit.bxor(bit.lshift(crc, 8), crcs[byte]), 65535)
  end
  return crc % 16384
end
local cursor = "0"
repeat
  local found = redis.call("SCAN", cursor, "COUNT", "1000")
  cursor = found[1]
  local own = {}
  for _, key in ipairs(found[2]) do
    local slot = slotOf(key)
    if from <= slot and slot <= to then own[#own + 1] = key end
  end
  if #own > 0 then redis.call("DEL", unpack(own)) end
until cursor == "0"`;
