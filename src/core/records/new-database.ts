import type { DatabaseAction, DatabaseRecord, ShardRecord } from "../api/records.ts";
import type { SettingValues } from "../api/settings/types.ts";
import { portMode } from "../planner/database/facts.ts";
import type { InstancePlace } from "../planner/database/place-shards.ts";
import type { SizedShard } from "../slots/shard-slots.ts";

/** What is asked of a new database, checked. */
export type RequestedDatabase = SettingValues &
  Pick<DatabaseRecord, "name" | "port" | "clusterPort" | "storeVersion" | "modules" | "passwords" | "certificate"> &
  Pick<DatabaseRecord, "activeActive" | "awaitsSites">;

/** What the cluster gives a new database. */
export interface GivenToDatabase {
  readonly uid: number;
  /** In the order of their slots. */
  readonly sizes: readonly SizedShard[];
  /** For each shard, the place of its primary and then those of its replicas. */
  readonly places: readonly (readonly InstancePlace[])[];
  /** An ISO instant. */
  readonly now: string;
  /** The action that makes it. */
  readonly action: DatabaseAction;
  /** Its data are to be restored: no engine of it starts before. */
  readonly awaitsData: boolean;
}

/** The record of a new database, which the leader then starts. */
export function newDatabase(requested: RequestedDatabase, given: GivenToDatabase): DatabaseRecord {
  const { uid, now, action } = given;
  const { places } = given;
  const shards = newShards(requested, given);
  return {
    uid,
    ...requested,
    status: given.awaitsData ? "recovery" : "pending",
    shards,
    nextInstance: places.flat().length + 1,
    lastAction: action,
    lossReports: [],
    createdTime: now,
    lastChangedTime: now,
  };
}

/** What a database lacks that was made for a backup. */
const AWAITS_DATA = "its data are to be restored from a backup, and it does not start without them";

function newShards(
  requested: RequestedDatabase,
  { places, sizes, awaitsData }: GivenToDatabase,
): readonly ShardRecord[] {
  let last = 0;
  return places.map((ofShard, at) => {
    const primary = last + 1;
    const instances = ofShard.map((place) => ({
      id: (last += 1),
      ...place,
      storeVersion: requested.storeVersion,
      ...portMode(requested),
      launch: last === primary && !awaitsData ? 1 : 0,
    }));
    // one shard has all slots without a word: older releases read its record
    const own = places.length === 1 ? {} : sizes[at];
    const recovery = awaitsData ? { recovery: { lacks: AWAITS_DATA, awaited: true as const } } : {};
    return { id: at + 1, epoch: 1, primary, instances, ...own, ...recovery };
  });
}
