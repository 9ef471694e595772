import type { ClusterStateRecord, DatabaseRecord } from "../api/records.ts";
import { withFinished } from "./maintenance.ts";

const KEPT = 200;

/** The state that says of a database that it was deleted, with the action that asked for it. Idempotent. */
export function withDeleted(state: ClusterStateRecord, database: DatabaseRecord, at: string): ClusterStateRecord {
  const { uid, createdTime, lastAction } = database;
  const deleted = (state.deleted ?? []).filter((one) => one.uid !== uid || one.createdTime !== createdTime);
  const next = { ...state, deleted: [...deleted, { uid, createdTime, at }].slice(-KEPT) };
  if (lastAction === undefined || state.finished.some((one) => one.uid === lastAction.uid)) return next;
  const done = { ...lastAction, status: "completed", progress: 100, object: `bdb:${uid}` } as const;
  return { ...next, finished: withFinished(state, [done]) };
}
