import { compareVersionText } from "#kit/base/version";
import { engineText, type EngineIdentity } from "../releases/engines/engines.ts";
import { slotsText } from "../slots/shard-slots.ts";
import type { SlotRange } from "../base/slot-range.ts";
import type { BackupFile, BackupManifest } from "./manifest.ts";

/** A shard that data are to be restored into. */
export interface RestoredShard {
  readonly id: number;
  readonly slots: readonly SlotRange[];
  /** What its data may take of the memory, in bytes. */
  readonly memory: number;
}

/** The file for each of these shards; or why the backup cannot be restored into them. */
export function filesFor(
  { files, readableFrom }: Pick<BackupManifest, "files" | "readableFrom">,
  shards: readonly RestoredShard[],
  engine: EngineIdentity,
): ReadonlyMap<number, BackupFile> | { readonly refusal: string } {
  if (!canReadFiles(engine, { files, readableFrom }))
    return { refusal: `${engineText(engine)} does not read its files: ${readersText(readableFrom)}` };
  const found = shards.map((shard) => ({ shard, file: files.find(({ slots }) => isSame(slots, shard.slots)) }));
  if (files.length !== shards.length || found.some(({ file }) => file === undefined)) {
    const tables = [files, shards].map((all) => all.map(({ slots }) => slotsText(slots)).join(" "));
    return {
      refusal: `its files have the slots ${tables[0] ?? ""}, and the shards of the database ${tables[1] ?? ""}`,
    };
  }
  const full = found.find(({ shard, file }) => (file?.memory ?? 0) > shard.memory);
  if (full !== undefined)
    return {
      refusal: `the data of shard ${full.file?.shard ?? 0} took ${full.file?.memory ?? 0} bytes, and it has ${full.shard.memory} here`,
    };
  return new Map(found.flatMap(({ shard, file }) => (file === undefined ? [] : [[shard.id, file]])));
}

/** One that wrote a file reads it, and a later one of its family; else the version of the format says it. */
export function canReadFiles(
  engine: EngineIdentity,
  { files, readableFrom: readers }: Pick<BackupManifest, "files" | "readableFrom">,
): boolean {
  const isAtLeast = (lowest: string): boolean => (compareVersionText(engine.version, lowest) ?? -1) >= 0;
  const hasWritten = files.every(({ engine: wrote }) => wrote.family === engine.family && isAtLeast(wrote.version));
  return hasWritten || readers.some(({ family, version }) => family === engine.family && isAtLeast(`${version}.0`));
}

function readersText(readers: BackupManifest["readableFrom"]): string {
  const all = readers.map(({ family, version }) => `${family} ${version}`).join(" or ");
  return all === "" ? "which one does is not known" : `it takes ${all}, or a later one`;
}

function isSame(one: readonly SlotRange[], other: readonly SlotRange[]): boolean {
  return slotsText(one) === slotsText(other);
}
