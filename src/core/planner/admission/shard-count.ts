import { needText, unitOf } from "#kit/base/sizes";
import { SLOTS } from "../../slots/slot.ts";

/** What is asked of the shards of a database. */
export interface AskedShards {
  readonly count: number;
  /** How many shards the database has, or is to have; undefined while it has not been made. */
  readonly has: number | undefined;
  /** How many slices the Active-Active database has that the database is a site of; undefined of any other one. */
  readonly slices: number | undefined;
  /** Names of the modules that are asked for. */
  readonly modules: readonly string[];
}

/** An engine that holds nothing, and what it keeps for its replica, take some 5 MB of what a shard may use, in bytes. */
const LEAST_OF_SHARD = 20_000_000;

/** Why a database cannot have so many shards; undefined when it can. What is asked of objects and of the management API is decided here alone. */
export function shardCountObjection(asked: AskedShards): string | undefined {
  const { count, has, slices = Infinity, modules } = asked;
  if (count > slices) return `the Active-Active database was made with ${shardsText(slices)}, and a site has no more`;
  if (count === has) return undefined;
  const objection = siteShardsObjection(asked, true);
  if (objection !== undefined) return objection;
  if (count === 1 || modules.length === 0) return undefined;
  return `the commands of modules (${modules.join(", ")}) are served from one shard alone`;
}

/** Why a database cannot have other shards, because it is a site; undefined when it can, or is to be made. */
export function siteShardsObjection(
  { has, slices }: Pick<AskedShards, "has" | "slices">,
  isOther: boolean,
): string | undefined {
  return isOther && has !== undefined && slices !== undefined ? NO_OTHER_AT_SITES : undefined;
}

const NO_OTHER_AT_SITES =
  "the shards of a site of an Active-Active database are chosen when the site is added, and their number does not change; a site that is taken out may be added again with another one: storectl active-active add-site <database> <site>/<shards>";

function shardsText(count: number): string {
  return count === 1 ? "one shard" : `${count} shards`;
}

/** What so many shards need at least, in bytes. */
export function memoryForShards(count: number): number {
  return count * LEAST_OF_SHARD;
}

/** The least share of a shard of a database that may use so much, in bytes; in slots. */
export function leastShare(memoryBytes: number): number {
  return Math.floor((LEAST_OF_SHARD * SLOTS) / memoryBytes);
}

/** How much a database may use at least whose smallest shard has this share, in slots; in bytes. */
export function memoryForShare(share: number): number {
  return Math.ceil((LEAST_OF_SHARD * SLOTS) / share);
}

/** How many shards can share so much memory, in bytes. */
export function shardsForMemory(memoryBytes: number): number {
  return Math.max(1, Math.floor(memoryBytes / LEAST_OF_SHARD));
}

/** Why so many shards cannot share what the database may use, in bytes; undefined when they can. */
export function shardMemoryObjection({
  count,
  memoryBytes,
}: Pick<AskedShards, "count"> & { readonly memoryBytes: number }): string | undefined {
  const least = memoryForShards(count);
  if (count === 1 || memoryBytes >= least) return undefined;
  const [needed = "", has = ""] = [least, memoryBytes].map((bytes) => needText(bytes, unitOf(memoryBytes)));
  return `${count} shards need at least ${needed} together, and the database may use ${has}`;
}
