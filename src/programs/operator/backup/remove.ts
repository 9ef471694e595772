import { Fault, isFault } from "#kit/base/fault";
import { shellWord } from "#kit/base/shell-word";
import { deleteBackup } from "../../../core/api/kubectl.ts";
import type { Finding } from "../../../core/api/parts.ts";
import { findingOfSeen } from "../../../core/backup/decide.ts";
import { savedIn } from "../../../core/backup/layout.ts";
import { storeOfSaved } from "../../../core/backup/saved-place.ts";
import type { ManagementClient } from "../../../ports/management/client.ts";
import { faults as managementFaults } from "../../../ports/management/faults.ts";
import type { BackupInspection } from "../../../ports/management/records/backups.ts";
import { answeredWithin } from "../../../ports/management/slow-routes.ts";
import type { GivenDeps } from "../secrets/given.ts";
import { storeOf } from "./begin.ts";
import { databaseOf, findingOfFailure, type BackedUpDatabase, type FindDatabaseDeps } from "./database-of.ts";
import { pathForeign } from "./path-foreign.ts";
import type { StoredBackup } from "./report.ts";

/** Why what an object has saved does not go. */
export interface RemovalRefusal extends Finding {
  /** Some of it has gone already: it is no backup any more. */
  readonly isHalfGone: boolean;
}

/** Removes what an object has saved, by the cluster that has saved it; why when it does not go. One that was never begun has saved nothing. */
export async function removeSaved(
  deps: GivenDeps & FindDatabaseDeps,
  { metadata, spec, status = {} }: StoredBackup,
): Promise<RemovalRefusal | undefined> {
  const { name, uid, namespace = "default" } = metadata;
  // an operator that was killed right after it had let it begin has not written that down
  if (status.startTime === undefined && status.phase !== "Completed") return undefined;
  const { databaseName } = spec;
  const saved = savedIn(status.path ?? "", { name, uid, namespace, database: databaseName });
  if (saved === undefined) return whole(pathForeign(name, status.path));
  const database = databaseOf(deps, { name: databaseName, namespace });
  if ("id" in database) return whole(database);
  const s3 = await storeOf(deps, { databaseName, s3: storeOfSaved(spec.s3, status) }, namespace);
  if ("id" in s3) return whole(s3);
  return removeFrom(database, { ...saved, s3 }, name);
}

async function removeFrom(
  { client, uid }: BackedUpDatabase,
  body: BackupInspection,
  object: string,
): Promise<RemovalRefusal | undefined> {
  const refused = async (finding: Finding): Promise<RemovalRefusal> => {
    return { ...finding, isHalfGone: await isHalfGone(client, body) };
  };
  try {
    const { failure } = await client.call("removeBackup", { params: { uid }, body }, answeredWithin("removeBackup"));
    if (failure === undefined) return undefined;
    const finding = findingOfSeen(failure);
    return finding.id === "BackupForeign" ? whole(foreignTo(finding, body, object)) : await refused(finding);
  } catch (error) {
    const finding = findingOfFailure(error);
    const hasNotRun = isFault(error, managementFaults.unreachable) && error.details.mayHaveRun !== true;
    return hasNotRun || finding.id !== "ClusterNotReady" ? whole(finding) : refused(finding);
  }
}

function whole(finding: Finding): RemovalRefusal {
  return { ...finding, isHalfGone: false };
}

/** Its manifest goes first. What nobody can say counts as whole: the removal is tried again. */
async function isHalfGone(client: ManagementClient, body: BackupInspection): Promise<boolean> {
  try {
    const { failure } = await client.call("inspectBackup", { body }, answeredWithin("inspectBackup"));
    return failure?.error_code === "BACKUP_NOT_THERE";
  } catch (error) {
    if (error instanceof Fault) return false;
    throw error;
  }
}

/** The database that has saved it may be gone, and no other one may remove it. */
function foreignTo(finding: Finding, { folder, name, s3 }: BackupInspection, object: string): Finding {
  const endpoint = s3.endpoint === undefined ? "" : ` --endpoint-url ${shellWord(s3.endpoint)}`;
  const remove = `aws s3 rm --recursive ${shellWord(`s3://${s3.bucket}/${folder}/${name}/`)}${endpoint}`;
  return { ...finding, remedy: `${remove} && ${deleteBackup(object)}` };
}
