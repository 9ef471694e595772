import type { DatabaseRecord, FinishedAction, InstalledModule } from "../../../core/api/records.ts";
import type {
  ActionRecord,
  BdbRecord,
  ClusterRecord,
  LicenseRecord,
  ModuleRecord,
  NodeRecord,
} from "../../../ports/management/records.ts";
import { bdbView } from "./bdb-view.ts";
import { addressOf, dnsNameOf, lookAt } from "../records/cluster-view.ts";
import type { ClusterView } from "../records/cluster-view.ts";
import type { Leadership } from "../leader/leadership.ts";
import { licenseOf } from "./license.ts";
import { maintenanceOf } from "../records/maintenance.ts";
import type { Member } from "../records/members.ts";
import { moduleRecords, nodePlatforms } from "./modules.ts";
import { refusals, refuse } from "./refusals.ts";

/** What any node answers about the cluster. */
export interface ApiReads {
  cluster(): ClusterRecord;
  license(): LicenseRecord;
  nodes(): readonly NodeRecord[];
  node(uid: string | undefined): NodeRecord;
  bdbs(): Promise<readonly BdbRecord[]>;
  bdb(record: DatabaseRecord): Promise<BdbRecord>;
  /** As `bdb`, with a look of its own: what was just changed shows. */
  fresh(record: DatabaseRecord): Promise<BdbRecord>;
  /** The record that a path names; a refusal when there is none. */
  record(uid: string | undefined): DatabaseRecord;
  modules(): Promise<readonly ModuleRecord[]>;
  actions(): readonly ActionRecord[];
  action(uid: string | undefined): ActionRecord;
  nodeAction(uid: string | undefined, action: string | undefined): ActionRecord;
}

/** A look at the engines is used for this long by reads, in milliseconds, unless the record changes before. */
const LOOK_MS = 300;

export function apiReads(view: ClusterView, leadership: Leadership): ApiReads {
  const looks = new Map<
    number,
    { readonly of: DatabaseRecord; readonly at: number; readonly seen: Promise<BdbRecord> }
  >();

  const look = async (record: DatabaseRecord): Promise<BdbRecord> => {
    const answers = await lookAt(view, record);
    // a switchover may have ended while the engines were asked
    const newest = view.records.database(record.uid) ?? record;
    return bdbView(newest, {
      answers,
      addressOf: (node) => addressOf(view, node),
      endpoints: view.members
        .list()
        .filter(takesClients)
        .map(({ report }) => report.address),
      namespace: view.config.namespace,
    });
  };
  const fresh = (record: DatabaseRecord): Promise<BdbRecord> => {
    const seen = look(record);
    looks.set(record.uid, { of: record, at: view.clock.now().getTime(), seen });
    seen.catch(() => looks.delete(record.uid)); // whoever asked is told
    return seen;
  };
  const bdb = (record: DatabaseRecord): Promise<BdbRecord> => {
    const known = looks.get(record.uid);
    const isNew = known?.of === record && view.clock.now().getTime() - known.at < LOOK_MS;
    return isNew ? known.seen : fresh(record);
  };
  const nodes = (): readonly NodeRecord[] => view.members.list().map((member) => nodeRecord(view, leadership, member));
  const actions = (): readonly ActionRecord[] => actionsOf(view);

  return {
    cluster: () => clusterRecord(view, leadership),
    license: () => licenseOf(view),
    nodes,
    node: (uid) => {
      const found = nodes().find((node) => String(node.uid) === uid);
      if (found === undefined) throw refuse(refusals.noSuchNode, `there is no node ${uid ?? ""}`);
      return found;
    },
    bdb,
    fresh,
    bdbs: () => Promise.all(view.records.databases().map(bdb)),
    record: (uid) => {
      const found = view.records.databases().find((record) => String(record.uid) === uid);
      if (found === undefined) throw refuse(refusals.noSuchDatabase, `there is no database ${uid ?? ""}`);
      return found;
    },
    modules: async () => {
      const looks = await Promise.all(view.records.databases().map((record) => lookAt(view, record)));
      return moduleRecords(looks, view.records.state()?.modules ?? [], nodePlatforms(view.config.release));
    },
    actions,
    action: (uid) => {
      const found = actions().find(({ action_uid }) => action_uid === uid);
      if (found === undefined) throw refuse(refusals.noSuchAction, `there is no action ${uid ?? ""}`);
      return found;
    },
    nodeAction: (uid, action) => {
      const found = actions().findLast(
        ({ name, object_name }) => name === action && object_name === `node:${uid ?? ""}`,
      );
      if (found === undefined) throw refuse(refusals.noSuchAction, `node ${uid ?? ""} has no action ${action ?? ""}`);
      return found;
    },
  };
}

function clusterRecord(view: ClusterView, leadership: Leadership): ClusterRecord {
  const versions = new Set(view.members.list().map(({ report }) => report.softwareVersion));
  const operator = view.records.state()?.operator;
  return {
    name: dnsNameOf(view),
    created_time: view.records.state()?.createdTime ?? "",
    leader_uid: leadership.leader() ?? 0,
    upgrade_mode: versions.size > 1,
    ...(operator === undefined ? {} : { operator_version: operator }),
  };
}

function nodeRecord(view: ClusterView, leadership: Leadership, { uid, report, fresh }: Member): NodeRecord {
  const shards = view.records.databases().flatMap((record) => record.shards.flatMap(({ instances }) => instances));
  const here = shards.filter(({ node }) => node === uid);
  const leader = leadership.leader();
  return {
    uid,
    addr: report.address,
    status: fresh ? "active" : "down",
    maintenance: maintenanceOf(view.records.state(), uid) !== undefined,
    software_version: report.softwareVersion,
    role: uid === leader ? "leader" : "member",
    accepts_clients: fresh && report.acceptsClients,
    os_name: report.osName,
    architecture: report.architecture,
    cores: report.cores,
    total_memory: report.memoryBytes,
    shard_count: here.length,
    shard_list: here.map(({ id }) => id),
    uptime: Math.max(0, Math.round((view.clock.now().getTime() - Date.parse(report.startedAt)) / 1000)),
    supported_database_versions: report.engines.map(({ storeVersion, engine, standIn }) => ({
      db_type: "redis",
      redis_version: storeVersion,
      engine,
      stand_in: standIn,
    })),
  };
}

function takesClients({ fresh, report }: Member): boolean {
  return fresh && report.acceptsClients;
}

function actionsOf({ records, members }: ClusterView): readonly ActionRecord[] {
  const state = records.state();
  const finished = (state?.finished ?? []).map(actionRecord);
  const nodes = (state?.maintenance ?? []).map(({ node, action }) =>
    actionRecord({ ...action, object: `node:${node}` }),
  );
  const databases = records
    .databases()
    .flatMap(({ uid, lastAction }) =>
      lastAction === undefined ? [] : [actionRecord({ ...lastAction, object: `bdb:${uid}` })],
    );
  const nodesThere = members.list().filter(({ fresh }) => fresh);
  const modules = (state?.modules ?? []).map((module) => spreading(module, nodesThere));
  const known = new Map([...finished, ...databases, ...nodes, ...modules].map((action) => [action.action_uid, action]));
  return [...known.values()];
}

/** A module is installed when every node that is there has it. */
function spreading(module: InstalledModule, nodes: readonly Member[]): ActionRecord {
  const having = nodes.filter(({ report }) => report.modules.includes(module.uid)).length;
  return {
    action_uid: module.actionUid,
    name: "install_module",
    object_name: `module:${module.uid}`,
    status: having === nodes.length ? "completed" : "running",
    progress: nodes.length === 0 ? 0 : Math.floor((100 * having) / nodes.length),
  };
}

/** An action as the API shows it. */
export function actionRecord({ uid, name, object, status, progress, error }: FinishedAction): ActionRecord {
  return {
    action_uid: uid,
    name,
    object_name: object,
    status,
    progress,
    ...(error === undefined ? {} : { error }),
  };
}
