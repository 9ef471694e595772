import { everyShard, nextShardOf } from "../api/every-shard.ts";
import type { DatabaseRecord, ReshapeIntent, ReshapePhase, ShardRecord } from "../api/records.ts";
import { slotsOf } from "../slots/shard-slots.ts";
import { dividedSlice } from "../slots/site-slices.ts";
import { slotTable } from "../slots/slot-table.ts";
import { nextTable, replacedShards } from "../planner/database/replaced-shards.ts";

/** What a record says of shards and slots. */
type Shards = Pick<DatabaseRecord, "shards" | "tableEpoch" | "activeActive" | "reshape" | "nextShard">;

/** True when the record says which shard has which slot, or how slots are merged: programs of releases before 0.6.0 must not read it. */
export function hasSlots({ shards, tableEpoch, reshape, activeActive }: Shards): boolean {
  return (
    tableEpoch !== undefined ||
    reshape !== undefined ||
    activeActive?.slices !== undefined ||
    shards.length > 1 ||
    shards.some(({ slots }) => slots !== undefined)
  );
}

/** Why a record cannot have these shards; undefined when each slot has exactly one of them, and each slot has one of those that are to be. */
export function whyNotServable(record: Shards): string | undefined {
  const { shards, activeActive, reshape } = record;
  if (shards.length === 0) return undefined;
  if (slotTable(shards.map(slotsOf)) === undefined) return "not each slot has exactly one shard";
  if (activeActive !== undefined) return whyNotSite(shards, activeActive.slices ?? 1, reshape);
  return reshape === undefined ? undefined : whyNoReshape(record, reshape);
}

/** Why the shards of a record cannot become these; undefined when they can: the epoch of the table rises with each change of it, and with nothing else. */
export function whyNoSuccessor(before: Shards, after: Shards): string | undefined {
  return whyNotServable(after) ?? whyNoStep(before, after) ?? whyNoTable(before, after);
}

/** Each slice of an Active-Active database is merged at one engine of a site. */
function whyNotSite(
  shards: readonly ShardRecord[],
  slices: number,
  reshape: ReshapeIntent | undefined,
): string | undefined {
  if (reshape !== undefined) return "the shards of a site of an Active-Active database do not change";
  const isDivided = shards.some((shard) => dividedSlice(slotsOf(shard), slices) !== undefined);
  return isDivided ? "a slice of an Active-Active database has slots of two shards" : undefined;
}

function whyNoReshape(record: Shards, { shards, mover, phase, tableEpoch }: ReshapeIntent): string | undefined {
  if (shards.length === 0) return "it has no further shard";
  if (slotTable(nextTable(record).map(slotsOf)) === undefined)
    return "not each slot has exactly one of the further shards, or of those that are kept";
  const all = everyShard(record);
  if (!areUnique(all.map(({ id }) => id))) return "a further shard has the id of one that serves";
  if (!areUnique(all.flatMap(({ instances }) => instances.map(({ id }) => id))))
    return "an instance of a further shard has the id of one that serves";
  const serves = record.tableEpoch ?? 0;
  if (phase === "retire")
    return tableEpoch === serves ? undefined : `its slots are at epoch ${serves}, and not at ${tableEpoch}`;
  if (mover.ports.length !== shards.length) return "the mover has not one port for each further shard";
  return tableEpoch > serves ? undefined : `its slots are at epoch ${serves}, and would go to ${tableEpoch}`;
}

type Standing = ReshapePhase | "none";

/** What may follow each phase of another number of shards, besides itself. Once the next table serves, there is no way back. */
const FOLLOWS: Readonly<Record<Standing, readonly Standing[]>> = {
  none: ["copy"],
  copy: ["hold", "none"],
  hold: ["return", "retire"],
  return: ["copy"],
  retire: ["none"],
};

function whyNoStep(before: Shards, after: Shards): string | undefined {
  const [from, to] = [standingOf(before), standingOf(after)];
  if (from === to) return undefined;
  const step = `another number of shards goes from ${from} to ${to}`;
  if (!FOLLOWS[from].includes(to)) return step;
  const [meant = 0, next = 0] = [before.reshape?.tableEpoch, after.reshape?.tableEpoch];
  if ((to === "copy" || to === "return") && next <= meant) return `${step} and its epoch stays ${meant}`;
  return from === "none" ? whyNotNew(before, after) : undefined;
}

function standingOf({ reshape }: Shards): Standing {
  return reshape?.phase ?? "none";
}

function whyNotNew(before: Shards, { reshape }: Shards): string | undefined {
  const first = nextShardOf(before);
  return reshape?.shards.some(({ id }) => id < first) === true
    ? `the id of a further shard is below ${first}`
    : undefined;
}

function whyNoTable(before: Shards, after: Shards): string | undefined {
  const [known, next] = [before.tableEpoch ?? 0, after.tableEpoch ?? 0];
  if (tableOf(before.shards) === tableOf(after.shards))
    return next === known || isReturn(before, after)
      ? undefined
      : `its slots stay where they are, and their epoch goes from ${known} to ${next}`;
  if (before.reshape !== undefined) return whyNoHandOver(before.reshape, before, after);
  return next > known ? undefined : `slots go to another shard, and their epoch stays ${known}`;
}

/** The former shards go on in an epoch of their own. */
function isReturn({ reshape }: Shards, after: Shards): boolean {
  return reshape?.phase === "return" && after.reshape?.phase === "copy" && after.tableEpoch === reshape.tableEpoch;
}

/** The shards that were to be serve, all of them, beside those that are kept; the others that served retire. */
function whyNoHandOver({ phase, tableEpoch }: ReshapeIntent, before: Shards, after: Shards): string | undefined {
  const isWhole =
    phase === "hold" &&
    after.tableEpoch === tableEpoch &&
    tableOf(after.shards) === tableOf(nextTable(before)) &&
    after.reshape !== undefined &&
    tableOf(after.reshape.shards) === tableOf(replacedShards(before));
  return isWhole ? undefined : "slots go to others than the shards that are to be";
}

/** Which shard has which slots, as text that is the same for the same table. */
function tableOf(shards: readonly ShardRecord[]): string {
  const ranges = shards.flatMap((shard) => slotsOf(shard).map(({ from, to }) => [from, to, shard.id] as const));
  return JSON.stringify(ranges.toSorted(([one], [other]) => one - other));
}

function areUnique(ids: readonly number[]): boolean {
  return new Set(ids).size === ids.length;
}
