import { shardUid } from "../../core/api/shard-uid.ts";
import { isFault } from "#kit/base/fault";
import type { ManagementClient } from "./client.ts";
import { faults } from "./faults.ts";
import type { BdbRecord, ShardInstanceRecord } from "./records.ts";

/** Databases with their shards: of each database that is listed, the shards it had then or has now. */
export interface DatabasesAnswer {
  readonly bdbs: readonly BdbRecord[];
  readonly shards: readonly ShardInstanceRecord[];
}

/** How often databases are read until one node answers both questions. */
const ATTEMPTS = 3;

/** Reads databases and shards; of nodes of release 0.1.0 too, which give the shards inside of the databases. */
export async function readDatabases(client: Pick<ManagementClient, "call">): Promise<DatabasesAnswer> {
  for (let attempt = 1; ; attempt += 1) {
    const bdbs = await client.call("bdbs");
    const inside = shardsInside(bdbs);
    if (inside !== undefined) return { bdbs, shards: inside };
    try {
      return { bdbs, shards: await client.call("shards") };
    } catch (error) {
      // the first question was answered by a node of today and this one by an older node, or the other way round
      if (!isFault(error, faults.notFound) || attempt === ATTEMPTS) throw error;
    }
  }
}

/** A shard as a node of release 0.1.0 gives it; its uid is unique in its database alone. */
interface OldShard extends Pick<
  ShardInstanceRecord,
  "port" | "redis_version" | "engine" | "offset" | "lag_bytes" | "in_sync"
> {
  readonly uid: number;
  readonly node_uid: number;
  readonly role: "primary" | "replica";
  readonly status: "active" | "down" | "starting" | "syncing";
}

/** Undefined when the databases list uids, and the shards have to be asked for. */
function shardsInside(bdbs: readonly BdbRecord[]): readonly ShardInstanceRecord[] | undefined {
  const listed = bdbs.flatMap(({ uid, shard_list }) => shard_list.map((shard: number | OldShard) => ({ uid, shard })));
  const inside = listed.flatMap(({ uid, shard }) => (typeof shard === "number" ? [] : [ofToday(uid, shard)]));
  return inside.length === listed.length ? inside : undefined;
}

function ofToday(bdb: number, { uid, node_uid, role, status, ...rest }: OldShard): ShardInstanceRecord {
  return {
    ...rest,
    uid: String(shardUid(bdb, uid)),
    bdb_uid: bdb,
    node_uid: String(node_uid),
    role: role === "primary" ? "master" : "slave",
    status: status === "active" || status === "syncing" ? "active" : "inactive",
    detailed_status: status === "starting" ? "loading" : status === "down" ? "down" : "ok",
    loading: { status: status === "starting" ? "in_progress" : "idle" },
    sync: { status: status === "syncing" ? "link_down" : "idle" },
    assigned_slots: "0-16383", // databases of that release have one shard
  };
}
