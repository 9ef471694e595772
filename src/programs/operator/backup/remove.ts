import { reasonOfSeen, type BackupReason } from "../../../core/backup/decide.ts";
import { deleteBackup } from "../../../core/api/kubectl.ts";
import { isOwnPath } from "../../../core/backup/layout.ts";
import type { GivenDeps } from "../secrets/given.ts";
import { storeOf } from "./begin.ts";
import { databaseOf, reasonOfFailure, type FindDatabaseDeps } from "./database-of.ts";
import type { StoredBackup } from "./report.ts";

/** Removes what an object has saved, by the cluster that has saved it; the reason when it does not go. One that was never begun has saved nothing. */
export async function removeSaved(
  deps: GivenDeps & FindDatabaseDeps,
  { metadata, spec, status = {} }: StoredBackup,
): Promise<BackupReason | undefined> {
  const { name, uid: objectUid, namespace = "default" } = metadata;
  // an operator that was killed right after it had let it begin has not written that down
  if (status.startTime === undefined && status.phase !== "Completed") return undefined;
  const own = { name, uid: objectUid, namespace, database: spec.databaseName };
  if (!isOwnPath(status.path ?? "", own)) return pathForeign(name, status.path);
  const path = (status.path ?? "").replace(/\/$/, "");
  const at = path.lastIndexOf("/");
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

function pathForeign(name: string, path = ""): BackupReason {
  const message = `its status.path is not one of its own: ${path || "none"}; remedy: ${deleteBackup(name)}  # what it has saved stays`;
  return { reason: "BackupPathForeign", message };
}

/** A store may be slow: it is asked a few times, one after the other. */
const REMOVAL_MS = 60_000;
