import { reasonOfSeen, type BackupReason } from "../../../core/backup/decide.ts";
import type { GivenDeps } from "../secrets/given.ts";
import { storeOf } from "./begin.ts";
import { databaseOf, reasonOfFailure, type FindDatabaseDeps } from "./database-of.ts";
import type { StoredBackup } from "./report.ts";

/** Removes what an object has saved, by the cluster that has saved it; the reason when it does not go. One that was never begun has saved nothing. */
export async function removeSaved(
  deps: GivenDeps & FindDatabaseDeps,
  { metadata, spec, status = {} }: StoredBackup,
): Promise<BackupReason | undefined> {
  const { namespace = "default" } = metadata;
  const path = (status.path ?? "").replace(/\/$/, "");
  const at = path.lastIndexOf("/");
  if (status.startTime === undefined || at < 0) return undefined;
  const database = databaseOf(deps, { name: spec.databaseName, namespace });
  if ("reason" in database) return database;
  const s3 = await storeOf(deps, spec, namespace);
  if ("reason" in s3) return s3;
  const { client, uid } = database;
  try {
    const body = { folder: path.slice(0, at), name: path.slice(at + 1), s3 };
    const { failure } = await client.call("removeBackup", { params: { uid }, body }, { withinMs: REMOVAL_MS });
    return failure === undefined ? undefined : reasonOfSeen(failure);
  } catch (error) {
    return reasonOfFailure(error);
  }
}

/** A store may be slow: it is asked a few times, one after the other. */
const REMOVAL_MS = 60_000;
