import { assertNever } from "#kit/base/assert-never";
import type { SettingValues } from "../../api/settings/types.ts";
import { reserveOf } from "./full-volume.ts";
import type { VolumeUse, VolumeRoom } from "./full-volume.ts";

const MEBIBYTE = 1024 * 1024;
/** The log of an engine and the beginning of the one before, and small files, in bytes. */
const OF_INSTANCE = 4 * MEBIBYTE;
/** Engines rewrite no append-only file that is shorter than this. */
const REWRITTEN_FROM = 64 * MEBIBYTE;

/**
 * What an instance may take on the volume of its node, in bytes. A copy that the engine receives or writes lies there beside the former one. An
 * append-only file grows to twice its data before it is rewritten, and further during the rewrite.
 */
export function diskBytes({ memoryBytes, persistence }: Pick<SettingValues, "memoryBytes" | "persistence">): number {
  switch (persistence) {
    case "disabled":
      return OF_INSTANCE + memoryBytes;
    case "snapshotEvery1Hour":
    case "snapshotEvery6Hour":
    case "snapshotEvery12Hour":
      return OF_INSTANCE + 2 * memoryBytes;
    case "aofEverySecond":
    case "aofAlways":
      return OF_INSTANCE + Math.max(2 * memoryBytes, REWRITTEN_FROM) + 2 * memoryBytes;
    default:
      return assertNever(persistence);
  }
}

/** What a node says of its volume, in bytes. */
export interface VolumeUsage {
  /** What databases may take, including what they take now; data that is set aside or belongs to others is not part of it. */
  readonly room: number;
  /** Those that take more than they may, at most 100. */
  readonly over: VolumeUse[];
}

/** What databases may take of a volume, and which of them take too much of it. */
export function usageOf({ total, free }: VolumeRoom, held: readonly VolumeUse[]): VolumeUsage {
  const taken = held.reduce((sum, { bytes }) => sum + bytes, 0);
  return {
    room: Math.max(0, Math.floor(free + taken - reserveOf(total))),
    over: held.filter(({ bytes, budget }) => bytes > budget).slice(0, 100),
  };
}
