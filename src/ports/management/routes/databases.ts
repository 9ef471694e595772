import { z } from "zod";
import type { ActiveActiveRecord } from "../../../core/api/records.ts";
import { ACTION } from "../records/actions.ts";
import { ACTIVE_ACTIVE, CRDB_TASK, LINK_HEALTH } from "../records/active-active.ts";
import { CLIENT_PARAMETERS } from "../records/client-parameters.ts";
import type { ClientParametersChange } from "../records/client-parameters.ts";
import { BACKUP, BACKUP_LOOK, BACKUP_REMOVAL, RESTORE } from "../records/backups.ts";
import type { BackupInspection, BackupStart, RestoreStart } from "../records/backups.ts";
import { BDB } from "../records/databases.ts";
import type { BdbChange, BdbCreate, BdbPassword, BdbRecover, BdbUpgrade } from "../records/databases.ts";
import { SHARD } from "../records/shards.ts";
import { SHARDS_PLAN } from "../records/shards-plan.ts";
import { json, route, withQuery } from "../route.ts";

const FIELDS = { fields: "only these members, their names with commas between them" };

/** Databases and their shards, Active-Active databases included. */
export const databaseRoutes = {
  bdbs: withQuery(route("GET", "/v1/bdbs", "view_all_bdbs_info", "every database", z.array(BDB)), FIELDS),
  bdb: withQuery(route("GET", "/v1/bdbs/:uid", "view_all_bdbs_info", "one database", BDB), FIELDS),
  createBdb: route("POST", "/v1/bdbs", "create_bdb", "creates a database", BDB, json<BdbCreate>()),
  updateBdb: route("PUT", "/v1/bdbs/:uid", "update_bdb", "changes a database", BDB, json<BdbChange>()),
  deleteBdb: route("DELETE", "/v1/bdbs/:uid", "delete_bdb", "removes a database and its data", ACTION),
  upgradeBdb: route(
    "POST",
    "/v1/bdbs/:uid/upgrade",
    "update_bdb_with_action",
    "moves a database to another version",
    BDB,
    json<BdbUpgrade>(),
  ),
  addPassword: route(
    "POST",
    "/v1/bdbs/:uid/passwords",
    "update_bdb",
    "adds a password that clients may use besides the others, until it is removed or all are replaced",
    BDB,
    json<BdbPassword>(),
  ),
  replacePasswords: route(
    "PUT",
    "/v1/bdbs/:uid/passwords",
    "update_bdb",
    "makes a password the only one; the former ones are accepted for `password_overlap_seconds` more",
    BDB,
    json<BdbPassword>(),
  ),
  removePassword: route(
    "DELETE",
    "/v1/bdbs/:uid/passwords",
    "update_bdb",
    "ends a password at once, also a former one; the last one stays, and connections that are open stay",
    BDB,
    json<BdbPassword>(),
  ),
  setClientParameters: route(
    "POST",
    "/v1/bdbs/:uid/client_parameters",
    "update_bdb",
    "sets parameters of the engines as `CONFIG SET` of a client does; one that gets its default is forgotten",
    CLIENT_PARAMETERS,
    json<ClientParametersChange>(),
  ),
  bdbAction: route(
    "GET",
    "/v1/bdbs/:uid/actions/:action",
    "view_status_of_cluster_action",
    "progress of the last action of this name on a database, for instance `upgrade_bdb`",
    ACTION,
  ),
  bdbActions: route(
    "GET",
    "/v1/actions/bdb/:uid",
    "view_status_of_cluster_action",
    "the actions of a database",
    z.array(ACTION),
  ),
  recoverBdb: route(
    "POST",
    "/v1/bdbs/:uid/actions/recover",
    "start_bdb_recovery",
    "lets a database in recovery come back without what is gone",
    BDB,
    json<BdbRecover>(),
  ),
  startBackup: route(
    "POST",
    "/v1/bdbs/:uid/actions/backup",
    "start_bdb_export",
    "takes a backup of a database into an object store, under a name that is used once; one that runs or is there already is no failure",
    BACKUP,
    json<BackupStart>(),
  ),
  removeBackup: route(
    "POST",
    "/v1/bdbs/:uid/actions/remove_backup",
    "start_bdb_export",
    "removes a backup of a database from its object store, or what an earlier removal has left of it; one that is not there is no failure",
    BACKUP_REMOVAL,
    json<BackupInspection>(),
  ),
  startRestore: route(
    "POST",
    "/v1/bdbs/:uid/actions/restore",
    "update_bdb_with_action",
    "brings the data of a database in recovery back from a backup; one that runs is no failure",
    RESTORE,
    json<RestoreStart>(),
  ),
  inspectBackup: route(
    "POST",
    "/v1/actions/inspect_backup",
    "update_bdb_with_action",
    "what a backup is, and which versions of this cluster read it, or why it cannot be read; nothing is changed",
    BACKUP_LOOK,
    json<BackupInspection>(),
  ),
  restore: route("GET", "/v1/bdbs/:uid/restore", "view_bdb_info", "how the last restore of a database stands", RESTORE),
  backup: route("GET", "/v1/bdbs/:uid/backup", "view_bdb_info", "how the last backup of a database stands", BACKUP),
  backups: route(
    "GET",
    "/v1/bdbs/:uid/backups",
    "view_bdb_info",
    "the last backups of a database that the leader has taken, the newest one last",
    z.array(BACKUP),
  ),
  restoreRecord: route(
    "POST",
    "/v1/bdbs/:uid/actions/restore_record",
    "start_bdb_recovery",
    "puts the record of a database back that has vanished, as most nodes keep it; the data that is set aside is used again",
    BDB,
  ),
  shards: route("GET", "/v1/shards", "view_all_shards_info", "every shard of every database", z.array(SHARD)),
  shard: route("GET", "/v1/shards/:uid", "view_all_shards_info", "one shard", SHARD),
  bdbShards: route("GET", "/v1/bdbs/:uid/shards", "view_all_shards_info", "the shards of a database", z.array(SHARD)),
  shardsPlan: route(
    "GET",
    "/v1/bdbs/:uid/shards_plan/:count",
    "view_all_bdbs_info",
    "how a database would get another number of shards; refused with the reason where it cannot",
    SHARDS_PLAN,
  ),
  crdbs: route(
    "GET",
    "/v1/crdbs",
    "view_crdb",
    "Active-Active databases as this participant knows them, deleted ones marked; the other participants read it",
    z.array(ACTIVE_ACTIVE),
  ),
  crdb: route("GET", "/v1/crdbs/:guid", "view_crdb", "one Active-Active database", ACTIVE_ACTIVE),
  crdbHealth: route(
    "GET",
    "/v1/crdbs/:guid/health",
    "view_crdb",
    "whether each other site of an Active-Active database is up, since when, and how far behind",
    LINK_HEALTH,
  ),
  crdbTasks: route(
    "GET",
    "/v1/crdb_tasks",
    "view_crdb",
    "how far this participant is with the last edit, the version, the joining or the deletion of each Active-Active database",
    z.array(CRDB_TASK),
  ),
  crdbTask: route("GET", "/v1/crdb_tasks/:id", "view_crdb", "one of these tasks", CRDB_TASK),
  putCrdb: route(
    "PUT",
    "/v1/crdbs/:guid",
    "update_crdb",
    "merges a record with that of this participant for an Active-Active database, which all participants follow; the operator sends it; idempotent",
    ACTIVE_ACTIVE,
    json<ActiveActiveRecord>(),
  ),
} as const;
