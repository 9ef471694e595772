import { everyShard } from "../../api/every-shard.ts";
import type { DatabaseRecord, ShardRecord } from "../../api/records.ts";

/** The volume of a node at one moment, in bytes. */
export interface VolumeRoom {
  readonly total: number;
  readonly free: number;
}

/** What a database takes of the volume of a node, in bytes, and what it may take there. */
export interface VolumeUse {
  readonly bdb: number;
  readonly bytes: number;
  readonly budget: number;
}

/** What was decided at the look before. */
export interface RefusedBefore {
  readonly bdbs: readonly number[];
  readonly free: number;
}

const MEBIBYTE = 1024 * 1024;
/** Room is back when so much more than the reserve is free. */
const BACK = 1.25;

/**
 * What stays free for the other databases and for the node itself: 5 % of the volume, at least 64 MiB (of a small one a fifth) and
 * at most 1 GiB, since a volume may be a part of a large disk that others fill.
 */
export function reserveOf(total: number): number {
  return Math.min(total / 5, 1024 * MEBIBYTE, Math.max(64 * MEBIBYTE, total / 20));
}

/**
 * The databases whose writes are refused because a volume is nearly full: the one that takes the most for what it may
 * take there, and a further one each time that the room shrinks on. None once room is back.
 */
export function refusedForRoom(
  { total, free }: VolumeRoom,
  held: readonly VolumeUse[],
  before: RefusedBefore,
): readonly number[] {
  const reserve = reserveOf(total);
  if (free >= (before.bdbs.length === 0 ? reserve : reserve * BACK)) return [];
  const here = before.bdbs.filter((bdb) => held.some((one) => one.bdb === bdb));
  const shrinks = free < reserve && free <= before.free - MEBIBYTE;
  if (here.length > 0 && !shrinks) return here;
  const share = ({ bytes, budget }: VolumeUse): number => bytes / budget;
  const next = held.filter(({ bdb }) => !here.includes(bdb)).toSorted((one, other) => share(other) - share(one))[0];
  return next === undefined ? here : [...here, next.bdb];
}

/** A shard has a copy on one of the nodes whose volumes are nearly full; all that is there of a database is of its only shard. */
export function refusesWrites(
  record: Pick<DatabaseRecord, "shards" | "reshape">,
  { instances }: Pick<ShardRecord, "instances">,
  fullNodes: readonly number[],
): boolean {
  if (everyShard(record).length === 1) return fullNodes.length > 0;
  return instances.some(({ node }) => fullNodes.includes(node));
}

/** Directives that refuse what needs memory and permit what frees it; nothing is evicted. */
export const REFUSING_WRITES = { "maxmemory-policy": "noeviction", maxmemory: "1" } as const;
