import type { Handlers } from "./http/handler-call.ts";
import { withRights } from "./users/acting-user.ts";
import { accessHandlers } from "./users/access.ts";
import { type ClusterApiContext, clusterHandlers, nodeHandlers } from "./cluster/cluster-handlers.ts";
import type { BackupContext } from "./databases/backup-bdb.ts";
import type { DataRestoreContext } from "./databases/restore-bdb.ts";
import { backupHandlers } from "./databases/backup-handlers.ts";
import { databaseHandlers, type DatabaseHandlersContext, moduleHandlers } from "./databases/database-handlers.ts";
import { databaseWrites } from "./databases/database-writes.ts";
import { databaseReads, type DatabasesContext } from "./databases/databases.ts";
import { documentHandlers } from "./http/documents.ts";
import { endpointHandlers, type EndpointsContext } from "./databases/endpoints.ts";
import type { EventsContext } from "./cluster/events.ts";
import type { ModulesContext } from "./modules/module-upload.ts";
import type { LinkHealthContext } from "./databases/link-health.ts";
import { withinLimit } from "./cluster/record-limit.ts";
import { oneAtATime } from "#kit/base/in-turn";
import { statsHandlers } from "./stats/handlers.ts";
import type { StatsContext } from "./stats/measure.ts";
import { nodeMetrics } from "./stats/node-metrics.ts";
import { userHandlers } from "./users/user-handlers.ts";
import type { UsersContext } from "./users/users.ts";
import type { WriteContext } from "./databases/write-context.ts";
import { type LocalContext, localHandlers } from "./cluster/local-handlers.ts";

/** What all operations together work on. */
export type ApiContext = ClusterApiContext &
  DatabasesContext &
  WriteContext &
  ModulesContext &
  UsersContext &
  EndpointsContext &
  StatsContext &
  EventsContext &
  LocalContext &
  LinkHealthContext & {
    readonly config: BackupContext["config"];
    readonly backups: BackupContext["backups"] & DataRestoreContext["backups"];
    readonly foundEngines: DataRestoreContext["foundEngines"];
    readonly engineMemory: BackupContext["engineMemory"];
    readonly modulesOf: BackupContext["modulesOf"];
    readonly clientParameters: DatabaseHandlersContext["clientParameters"];
    /** Name of the cluster's own administrator, as its Secret has it now. */
    readonly adminName: () => string;
  };

/** Every operation of the management API: reads from what this node knows, writes on the leader. */
export function apiHandlers(context: ApiContext): Handlers {
  const reads = databaseReads(context);
  const guarded = { ...context, records: withRights(context.records) };
  const limited = { ...guarded, records: withinLimit(guarded.records) };
  const inTurn = oneAtATime();
  return {
    ...clusterHandlers(guarded, limited.records),
    ...nodeHandlers(guarded),
    ...databaseHandlers(limited, reads, databaseWrites(limited, inTurn)),
    ...backupHandlers(context, reads),
    ...endpointHandlers(context, reads),
    ...moduleHandlers(limited, inTurn),
    ...accessHandlers(context),
    ...statsHandlers(context),
    metrics: () => nodeMetrics(context),
    ...documentHandlers(context),
    ...userHandlers(limited, context.adminName),
    ...localHandlers(context),
  };
}
