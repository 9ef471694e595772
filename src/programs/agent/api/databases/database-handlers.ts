import { askedIn } from "../../../../core/api/settings/client-parameters.ts";
import { usableRecords } from "../../../../core/planner/active-active/record.ts";
import type { MeasuringContext } from "../../observation/measurements.ts";
import { observeEngines } from "../../observation/engine-answers.ts";
import { moduleNodes } from "../modules/module-nodes.ts";
import type { ModuleRecord } from "../../../../ports/management/records.ts";
import { type ActionsContext, databaseActions, getDatabaseAction } from "../cluster/actions.ts";
import { putActiveActive } from "./active-active.ts";
import type { ClientParameterWrites } from "./client-parameters.ts";
import { crdbTask, crdbTasks } from "./crdb-tasks.ts";
import { requireClientParameters, requireKnownTo } from "./checks.ts";
import { type Handlers, uidParam } from "../http/handler-call.ts";
import type { DatabaseReads, DatabasesContext } from "./databases.ts";
import { activeActiveOf, linkHealth, type LinkHealthContext } from "./link-health.ts";
import { deleteModule, installModule, localModule, type ModulesContext } from "../modules/module-upload.ts";
import { moduleRecords } from "../modules/modules.ts";
import type { InTurn } from "#kit/base/in-turn";
import { planShards } from "./plan-shards.ts";
import { passwordHandlers, type PasswordRoutes } from "./password-handlers.ts";
import { refusals, refuse } from "../http/refusals.ts";
import { type LeaderContext, runOnLeader } from "../http/run-on-leader.ts";
import type { WriteContext } from "./write-context.ts";
import type { DatabaseWrites } from "./database-writes.ts";

type DatabaseRoutes = "bdbs" | "bdb" | "createBdb" | "deleteBdb" | "upgradeBdb" | "recoverBdb" | FurtherDatabaseRoutes;
type FurtherDatabaseRoutes = RecordRoutes | ActiveActiveRoutes;
type RecordRoutes = "restoreRecord" | "localRecord" | "setClientParameters";
type ActiveActiveRoutes = "crdbs" | "crdb" | "crdbHealth" | "crdbTasks" | "crdbTask" | "putCrdb";
type ShardRoutes = "shards" | "shard" | "bdbShards" | "shardsPlan" | "bdbAction" | "bdbActions";
type ModuleRoutes = "modules" | "module" | "uploadModule" | "deleteModule" | "localModule";

/** What they work on. */
export type DatabaseHandlersContext = WriteContext &
  LeaderContext &
  ActionsContext &
  MeasuringContext &
  LinkHealthContext & { readonly clientParameters: Pick<ClientParameterWrites, "set"> };

/** Databases and their shards, Active-Active databases included. */
export function databaseHandlers(
  context: DatabaseHandlersContext,
  reads: DatabaseReads,
  writes: DatabaseWrites,
): Pick<Handlers, DatabaseRoutes | PasswordRoutes | ShardRoutes> {
  return {
    bdbs: () => reads.list(),
    bdb: async ({ params }) => reads.get(await reads.record(params.uid)),
    createBdb: async ({ body, forwardedBy }) => {
      if (!context.election.isLeader()) requireKnownTo(context, body);
      return runOnLeader(context, "createBdb", { body }, forwardedBy, async () =>
        reads.fresh(await writes.create(body)),
      );
    },
    deleteBdb: ({ params, forwardedBy }) =>
      runOnLeader(context, "deleteBdb", { params: uidParam(params) }, forwardedBy, async () =>
        writes.remove(await reads.record(params.uid)),
      ),
    upgradeBdb: ({ params, body, forwardedBy }) =>
      runOnLeader(context, "upgradeBdb", { params: uidParam(params), body }, forwardedBy, async () =>
        reads.fresh(await writes.upgrade(await reads.record(params.uid), body)),
      ),
    recoverBdb: ({ params, body, forwardedBy }) =>
      runOnLeader(context, "recoverBdb", { params: uidParam(params), body }, forwardedBy, async () =>
        reads.fresh(await writes.recover(await reads.record(params.uid), body)),
      ),
    ...recordHandlers(context, reads, writes),
    ...passwordHandlers(context, reads, writes),
    ...shardHandlers(context, reads),
    crdbs: async () => usableRecords(context.records.state()?.activeActives ?? []),
    crdb: async ({ params }) => activeActiveOf(context, params.guid ?? ""),
    crdbHealth: ({ params }) => linkHealth(context, params.guid ?? ""),
    crdbTasks: () => crdbTasks(context),
    crdbTask: ({ params }) => crdbTask(context, params.id ?? ""),
    putCrdb: ({ params, body, forwardedBy }) =>
      runOnLeader(context, "putCrdb", { params: { guid: params.guid ?? "" }, body }, forwardedBy, () =>
        putActiveActive(context.records, params.guid ?? "", body),
      ),
  };
}

function recordHandlers(
  context: DatabaseHandlersContext,
  reads: DatabaseReads,
  writes: DatabaseWrites,
): Pick<Handlers, RecordRoutes> {
  return {
    restoreRecord: ({ params, forwardedBy }) =>
      runOnLeader(context, "restoreRecord", { params: uidParam(params) }, forwardedBy, async () =>
        reads.fresh(await writes.restore(uidParam(params).uid)),
      ),
    localRecord: async ({ params }) => writes.keptRecord(uidParam(params).uid),
    setClientParameters: async ({ params, body, forwardedBy }) => {
      if (!context.election.isLeader()) requireClientParameters(context); // an older leader does not know the request
      return runOnLeader(context, "setClientParameters", { params: uidParam(params), body }, forwardedBy, async () =>
        context.clientParameters.set((await reads.record(params.uid)).uid, askedIn(body.parameters)),
      );
    },
  };
}

/** What belongs to a database. */
function shardHandlers(context: DatabaseHandlersContext, reads: DatabaseReads): Pick<Handlers, ShardRoutes> {
  return {
    bdbAction: async ({ params }) =>
      getDatabaseAction(context, (await reads.record(params.uid)).uid, params.action ?? ""),
    bdbActions: async ({ params }) => databaseActions(context, (await reads.record(params.uid)).uid),
    shards: () => reads.allShards(),
    shard: async ({ params }) => {
      const found = (await reads.allShards()).find(({ uid }) => uid === params.uid);
      if (found === undefined) throw refuse(refusals.noSuchShard, `there is no shard ${params.uid ?? ""}`);
      return found;
    },
    bdbShards: async ({ params }) => reads.shardsOf(await reads.record(params.uid)),
    shardsPlan: async ({ params }) => planShards(context, await reads.record(params.uid), params.count ?? ""),
  };
}

/** Modules of the cluster, and the shared objects that this node has. */
export function moduleHandlers(
  context: ModulesContext & DatabasesContext & LeaderContext,
  inTurn: InTurn,
): Pick<Handlers, ModuleRoutes> {
  const { records } = context;
  const list = async (): Promise<readonly ModuleRecord[]> => {
    const observed = await Promise.all(records.databases().map((record) => observeEngines(context, record)));
    return moduleRecords(moduleNodes(context.members), observed, records.state()?.modules ?? []);
  };
  return {
    modules: list,
    module: async ({ params }) => {
      const found = (await list()).find(({ uid }) => uid === params.uid);
      if (found === undefined) throw refuse(refusals.noSuchModule, `there is no module ${params.uid ?? ""}`);
      return found;
    },
    uploadModule: ({ body }) => installModule(context, body.module),
    // the leader knows of every database that was just made, and makes none meanwhile
    deleteModule: ({ params, forwardedBy }) =>
      runOnLeader(context, "deleteModule", { params: uidParam(params) }, forwardedBy, () =>
        inTurn(() => deleteModule(context, params.uid ?? "")),
      ),
    localModule: ({ params }) => localModule(context, params.uid ?? ""),
  };
}
