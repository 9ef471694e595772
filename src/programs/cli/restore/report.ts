import type { Stored } from "#kit/kube/kube";
import { visibleLine } from "#kit/base/visible";
import type { StoreEnterpriseRestore } from "../../../core/api/kinds.ts";
import { namedValues } from "../console/output.ts";
import { bytesText } from "../console/units.ts";

/** An object that asks for a restore, as it is stored. */
export type RestoreObject = Stored<StoreEnterpriseRestore>;

/** How a restore stands, in one line. */
export function restoreText({ status = {} }: RestoreObject): string {
  const { phase = "Pending", bytes, source, conditions = [] } = status;
  const message = conditions.find(({ type }) => type === "Complete")?.message;
  const done = bytes === undefined || source === undefined ? "" : `, ${bytesText(bytes)} of ${bytesText(source.bytes)}`;
  return visibleLine(`${phase}${phase === "Running" ? done : ""}${message === undefined ? "" : `: ${message}`}`);
}

/** What would be made from what. */
export function restorePlanText({ spec, status = {} }: RestoreObject): string {
  const { source, database } = status;
  if (source === undefined || database === undefined) return "";
  const { storeVersion, shardCount, shardSlots, firstShardCount, firstShardSlots, memorySize } = database;
  const rows: readonly (readonly [string, string])[] = [
    ["BACKUP", source.path],
    ["OF", `${source.database} at ${source.storeVersion}, ${source.time}`],
    ["DATA", `${source.files} files, ${bytesText(source.bytes)}, ${source.keys ?? "unknown"} keys`],
    ["INTO", spec.databaseName],
    ["VERSION", storeVersion],
    ["SHARDS", shardsText(firstShardCount ?? shardCount, firstShardCount === undefined ? shardSlots : firstShardSlots)],
    ...(firstShardCount === undefined ? [] : [["THEN", shardsText(shardCount, shardSlots)] as const]),
    ["MEMORY", memorySize],
  ];
  return namedValues(rows, 10);
}

function shardsText(count: number, slots: readonly string[] | undefined): string {
  return slots === undefined ? `${count}` : `${count} with the slots ${slots.join(" ")}`;
}
