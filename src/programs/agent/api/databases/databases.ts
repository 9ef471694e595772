import type { DatabaseRecord } from "../../../../core/api/records.ts";
import { primaryOf } from "../../../../core/planner/database/facts.ts";
import { maintenanceOf } from "../../../../core/records/maintenance.ts";
import type { Clock } from "#kit/base/clock";
import type { BdbRecord, LocalInstance, ShardInstanceRecord } from "../../../../ports/management/records.ts";
import { nodeAddress } from "../../members/addresses.ts";
import type { Members } from "../../members/members.ts";
import { askAgent } from "../../observation/agent-report.ts";
import type { AgentReportContext } from "../../observation/agent-report.ts";
import { observeEngines } from "../../observation/engine-answers.ts";
import type { EngineAnswers, EnginesContext } from "../../observation/engine-answers.ts";
import type { EngineAnswer } from "../../observation/engine-watch.ts";
import type { CountersContext } from "../../observation/measurements.ts";
import { keepsInSync } from "../../observation/node-facts.ts";
import { runningScript } from "../../observation/running-script.ts";
import type { Records } from "../../records/records.ts";
import type { AgentConfig } from "../../runtime/config.ts";
import { bdbView, type ShownScript } from "./bdb-view.ts";
import { acceptsClients } from "../cluster/nodes.ts";
import { refusals, refuse } from "../http/refusals.ts";
import { shardViews } from "./shard-view.ts";

/** What databases are read from. */
export type DatabasesContext = EnginesContext &
  AgentReportContext &
  CountersContext & {
    readonly config: Pick<AgentConfig, "namespace" | "node">;
    readonly records: Pick<Records, "databases" | "database" | "reload" | "state">;
    readonly members: Pick<Members, "list">;
    readonly clock: Clock;
  };

/** Databases as `GET /v1/bdbs` shows them, and their shards. */
export interface DatabaseReads {
  list(): Promise<readonly BdbRecord[]>;
  get(record: DatabaseRecord): Promise<BdbRecord>;
  /** As `get`, with answers asked for anew: a change that was just made shows. */
  fresh(record: DatabaseRecord): Promise<BdbRecord>;
  /** Of every database. */
  allShards(): Promise<readonly ShardInstanceRecord[]>;
  shardsOf(record: DatabaseRecord): Promise<readonly ShardInstanceRecord[]>;
  /** The record that a path names; AGENT_NO_SUCH_DATABASE when there is none. */
  record(uid: string | undefined): Promise<DatabaseRecord>;
}

/** For how long reads use the answers of engines, in milliseconds, unless the record changes before. */
const ANSWERS_MS = 300;

const UID = /^[1-9]\d{0,14}$/;

/** A database and its shards, of one moment. */
interface DatabaseView {
  readonly bdb: BdbRecord;
  readonly shards: readonly ShardInstanceRecord[];
}

/** Reads of databases, with the answers of their engines kept for a moment. */
export function databaseReads(context: DatabasesContext): DatabaseReads {
  const { records } = context;
  const { get, fresh } = cachedViews(context);
  const shardsOf = async (record: DatabaseRecord) => (await get(record)).shards;
  return {
    get: async (record) => (await get(record)).bdb,
    fresh: async (record) => (await fresh(record)).bdb,
    list: async () => (await Promise.all(records.databases().map(get))).map(({ bdb }) => bdb),
    shardsOf,
    allShards: async () => (await Promise.all(records.databases().map(shardsOf))).flat(),
    record: (uid) => knownRecord(records, uid ?? ""),
  };
}

/** Another node may have created the database a moment ago: the API server is asked before it is called unknown. */
export async function knownRecord(
  records: Pick<Records, "database" | "reload">,
  asked: string,
): Promise<DatabaseRecord> {
  const uid = UID.test(asked) ? Number(asked) : undefined;
  if (uid !== undefined && records.database(uid) === undefined) await records.reload(uid);
  const found = uid === undefined ? undefined : records.database(uid);
  if (found === undefined) throw refuse(refusals.noSuchDatabase, `there is no database ${asked}`);
  return found;
}

interface CachedRead {
  readonly of: DatabaseRecord;
  readonly at: number;
  readonly view: Promise<DatabaseView>;
}

function cachedViews(
  context: DatabasesContext,
): Record<"get" | "fresh", (record: DatabaseRecord) => Promise<DatabaseView>> {
  const { clock } = context;
  const cached = new Map<number, CachedRead>();
  const fresh = (record: DatabaseRecord): Promise<DatabaseView> => {
    if (!cached.has(record.uid)) forgetGone(cached, context);
    const view = readDatabase(context, record);
    cached.set(record.uid, { of: record, at: clock.uptimeMs(), view });
    view.catch(() => cached.delete(record.uid)); // the caller gets the failure
    return view;
  };
  const get = (record: DatabaseRecord): Promise<DatabaseView> => {
    const known = cached.get(record.uid);
    const isNew = known?.of === record && clock.uptimeMs() - known.at < ANSWERS_MS;
    return isNew ? known.view : fresh(record);
  };
  return { get, fresh };
}

/** Databases come and go while a node runs. */
function forgetGone(cached: Map<number, CachedRead>, { records }: DatabasesContext): void {
  for (const uid of cached.keys()) if (records.database(uid) === undefined) cached.delete(uid);
}

async function readDatabase(context: DatabasesContext, record: DatabaseRecord): Promise<DatabaseView> {
  const { records, members, config } = context;
  const answers = await observeEngines(context, record);
  // a switchover may have ended while the engines were asked
  const newest = records.database(record.uid) ?? record;
  const script = await scriptOfPrimary(context, record, answers);
  const endpoints = members
    .list()
    .filter(acceptsClients)
    .map(({ uid, report }) => ({
      uid,
      address: report.address,
      isLeaving: maintenanceOf(records.state(), uid) !== undefined,
    }));
  return {
    bdb: bdbView(newest, { answers, endpoints, namespace: config.namespace, script }),
    shards: shardViews(newest, {
      answers,
      addressOf: (node) => nodeAddress(context, node),
      nodes: members.list().map(({ uid, report }) => ({ uid, keepsInSync: keepsInSync(report) })),
      reports: await reportsOf(context, newest, answers),
    }),
  };
}

/** The script that keeps a primary from its clients, that of the first shard which has one. */
async function scriptOfPrimary(
  context: DatabasesContext,
  record: DatabaseRecord,
  answers: EngineAnswers,
): Promise<ShownScript | undefined> {
  const busy = record.shards.map(primaryOf).find(({ id }) => answers.get(id)?.state === "busy");
  const script = busy && (await runningScript(context, record.uid, answers.get(busy.id)));
  return script && { ...script, node: busy.node };
}

/** An engine that has served for longer has had no crash that still counts. */
const YOUNG_SECONDS = 300;

/** The reports of engines at whose port nothing listens, or that began lately: their agents know why. A silent engine is not asked. */
async function reportsOf(
  context: AgentReportContext,
  { uid: bdb, shards }: DatabaseRecord,
  answers: EngineAnswers,
): Promise<ReadonlyMap<number, LocalInstance>> {
  const unsteady = shards.flatMap(({ instances }) => instances.filter(({ id }) => isUnsteady(answers.get(id))));
  const asked = unsteady.map(async ({ id, node }) => {
    const report = await askAgent(context, node, { bdb, instance: id });
    return report.kind === "reported" && report.instance !== undefined ? ([[id, report.instance]] as const) : [];
  });
  return new Map((await Promise.all(asked)).flat());
}

function isUnsteady(answer: EngineAnswer | undefined): boolean {
  if (answer?.state === "serving") return Number(answer.info.get("uptime_in_seconds") ?? YOUNG_SECONDS) < YOUNG_SECONDS;
  return answer?.state === "refused" || answer?.state === "loading";
}
