import { Fault, isFault } from "#kit/base/fault";
import { engineLogins } from "../../../../core/api/engine-login.ts";
import type { DatabaseRecord, ShardRecord } from "../../../../core/api/records.ts";
import type { BackupManifest } from "../../../../core/backup/manifest.ts";
import { primaryOf } from "../../../../core/planner/database/facts.ts";
import { presentMembers } from "../../../../core/planner/database/in-sync.ts";
import { slotsOf } from "../../../../core/slots/shard-slots.ts";
import type { BackupSource } from "../../../../ports/management/backup-control.ts";
import type {
  BackupInspection,
  BackupRecord,
  BackupRemovalRecord,
  BackupStart,
} from "../../../../ports/management/records/backups.ts";
import type { EngineTls } from "../../../../ports/resp/engine-tls.ts";
import type { DatabasePasswords } from "../../credentials/database-passwords.ts";
import { nodeAddress, type AddressContext } from "../../members/addresses.ts";
import type { Members } from "../../members/members.ts";
import type { NodeBackups } from "../../node/backups.ts";
import type { Records } from "../../records/records.ts";
import type { AgentConfig } from "../../runtime/config.ts";
import { refusals, refuse } from "../http/refusals.ts";
import { accessIn, backupKeysOf } from "./object-store-access.ts";
import { proofMeans, type ProofRoomContext } from "./backup-room.ts";
import { backupRecord } from "./backup-view.ts";

/** What taking backups works on. */
export interface BackupContext extends AddressContext, ProofRoomContext {
  readonly config: Pick<AgentConfig, "address" | "cluster" | "namespace"> & ProofRoomContext["config"];
  readonly records: Pick<Records, "database" | "databases">;
  readonly members: Pick<Members, "get" | "list">;
  readonly passwords: Pick<DatabasePasswords, "of">;
  readonly engineTls: Pick<EngineTls, "certificate">;
  readonly backups: Pick<NodeBackups, "begin" | "of" | "remove">;
}

/** Begins a backup, on the leader; one of that name that runs goes on. Refused while the database cannot give one. */
export async function backupBdb(
  context: BackupContext,
  record: DatabaseRecord,
  { name, folder, s3, verify, bytes_per_second: rate, ...asked }: BackupStart,
): Promise<BackupRecord> {
  requireBackup(record);
  const { certificate } = context.engineTls;
  const { access } = await context.passwords.of(record);
  const backup = context.backups.begin(
    {
      name,
      folder,
      database: identityOf(context, record),
      sources: record.shards.map((shard) => sourceOf(context, shard)),
      logins: engineLogins(access),
      ...(certificate === undefined ? {} : { engineCertificate: certificate }),
      store: accessIn(s3),
      ...backupKeysOf(asked),
      proof: verify ? proofMeans(context, record) : undefined,
      ...(rate === undefined ? {} : { bytesPerSecond: rate }),
    },
    (bdb) => context.records.database(bdb) !== undefined,
  );
  if ("busyWith" in backup) throw refuse(refusals.backupRuns, backup.busyWith);
  return backupRecord(record, backup);
}

/** Removes a backup of a database, on the leader, which knows whether it is being taken. The database need not serve. */
export async function removeBackupOf(
  context: BackupContext,
  record: DatabaseRecord,
  { name, folder, s3 }: BackupInspection,
): Promise<BackupRemovalRecord> {
  try {
    const store = accessIn(s3);
    const gone = await context.backups.remove({ name, folder, store, database: identityOf(context, record) });
    if (typeof gone !== "number") throw refuse(refusals.backupRuns, gone.busyWith);
    return { removed_files: gone };
  } catch (error) {
    if (!(error instanceof Fault) || isFault(error, refusals.backupRuns)) throw error;
    const { code, message, remedy, retry } = error;
    return { failure: { error_code: code, description: message, remedy, retry } };
  }
}

/** The last one that this leader has begun; AGENT_NO_SUCH_BACKUP when it has begun none. */
export function lastBackup({ backups }: Pick<BackupContext, "backups">, record: DatabaseRecord): BackupRecord {
  const backup = backups.of(record.uid).at(-1);
  if (backup !== undefined) return backupRecord(record, backup);
  throw refuse(refusals.noSuchBackup, `this leader has begun no backup of "${record.name}"`);
}

/** Those that this leader has begun last, the newest one last. */
export function lastBackups(
  { backups }: Pick<BackupContext, "backups">,
  record: DatabaseRecord,
): readonly BackupRecord[] {
  return backups.of(record.uid).map((backup) => backupRecord(record, backup));
}

function requireBackup({ name, status, reshape, activeActive }: DatabaseRecord): void {
  if (activeActive !== undefined)
    throw refuse(
      refusals.notOffered,
      `"${name}" is a site of an Active-Active database, and its backups are not offered yet`,
    );
  if (status !== "active" && status !== "active-change-pending")
    throw refuse(refusals.busy, `"${name}" is ${status}; a backup is taken of one that serves`);
  if (reshape !== undefined) throw refuse(refusals.busy, `"${name}" gets another number of shards`);
}

function identityOf({ config }: BackupContext, record: DatabaseRecord): BackupManifest["database"] {
  const { uid, name, createdTime, storeVersion } = record;
  return { cluster: config.cluster, namespace: config.namespace, uid, name, createdTime, storeVersion };
}

/** A replica in sync, on a node that is there; the primary where there is none. */
function sourceOf(context: BackupContext, shard: ShardRecord): BackupSource {
  const fresh = context.members.list().filter((member) => member.fresh);
  const isThere = (node: number): boolean => node === context.config.node || fresh.some(({ uid }) => uid === node);
  const inSync = presentMembers(shard) ?? [];
  const replica = shard.instances.find(({ id, node }) => inSync.includes(id) && isThere(node));
  const { node, port, tls } = replica ?? primaryOf(shard);
  const host = nodeAddress(context, node);
  if (host === undefined) throw refuse(refusals.unavailable, `node ${node} with shard ${shard.id} has never reported`);
  return {
    shard: shard.id,
    slots: slotsOf(shard),
    engine: { host, port, ...(tls === undefined ? {} : { tls }) },
    role: replica === undefined ? "primary" : "replica",
  };
}
