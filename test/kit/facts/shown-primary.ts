import type { ShardInstanceRecord } from "../../../src/ports/management/records.ts";

/** The primary of the first of two shards of database 1, on node 1, as `GET /v1/shards` shows it: at rest, with two changes of primary behind it. */
export const SHOWN_PRIMARY: ShardInstanceRecord = {
  uid: "1",
  bdb_uid: 1,
  node_uid: "1",
  role: "master",
  status: "active",
  detailed_status: "ok",
  loading: { status: "idle" },
  sync: { status: "idle" },
  shard: 1,
  epoch: 3,
  assigned_slots: "0-8191",
  port: 20_000,
  redis_version: "8.0",
  engine: "redis 8.0.2",
  offset: 0,
  lag_bytes: 0,
  in_sync: true,
};
