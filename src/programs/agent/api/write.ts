import { randomUUID } from "node:crypto";
import { STORE_VERSIONS } from "../../../core/api/records.ts";
import type { DatabaseAction, DatabaseRecord, StoreVersion } from "../../../core/api/records.ts";
import type { SettingValues } from "../../../core/api/settings/types.ts";
import { changesOfWire, settingsOfWire } from "../../../core/api/settings/values.ts";
import type { ActionRecord, BdbCreate, BdbUpgrade } from "../../../ports/management/records.ts";
import { defaultStoreVersion } from "../../../core/releases/catalogue/find.ts";
import {
  endpointPort,
  type InstancePlace,
  placeDatabase,
  requireFreeName,
  requireLicense,
  requireModules,
  requireShards,
  requireUpgradePath,
} from "./checks.ts";
import { actionRecord } from "./actions.ts";
import { observeEngines as lookAt } from "../observation/engine-answers.ts";
import type { WriteContext as ClusterView } from "./write-context.ts";
import { gatherNodes } from "../observation/node-facts.ts";
import { refusals, refuse } from "./refusals.ts";
import { engineText } from "../../../core/releases/engines/engines.ts";

/** What the leader does with a user's wish for a database: checks it and writes it down; the leader's loop does the rest. */
export interface ApiWrites {
  create(body: BdbCreate): Promise<DatabaseRecord>;
  update(record: DatabaseRecord, body: Partial<BdbCreate>): Promise<DatabaseRecord>;
  remove(record: DatabaseRecord): Promise<ActionRecord>;
  upgrade(record: DatabaseRecord, body: BdbUpgrade): Promise<DatabaseRecord>;
}

export function apiWrites(view: ClusterView): ApiWrites {
  const inTurn = oneAtATime();
  return {
    create: (body) => inTurn(() => createDatabase(view, body)),
    update: (record, body) => inTurn(() => updateDatabase(view, record, body)),
    remove: (record) => removeDatabase(view, record),
    upgrade: (record, body) => upgradeDatabase(view, record, body),
  };
}

/** Names, ports, places and the licence are checked against what is there: two requests at once would both find room. */
function oneAtATime(): <T>(act: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (act) => {
    const mine = last.then(act);
    last = mine.catch(() => undefined); // told to whoever asked
    return mine;
  };
}

async function createDatabase(view: ClusterView, body: BdbCreate): Promise<DatabaseRecord> {
  requireLicense(view);
  requireFreeName(view, body.name);
  const settings = settingsOfWire(body);
  requireShards(view, settings.replication ? 2 : 1);
  const storeVersion = body.redis_version ?? defaultStoreVersion(view.config.release);
  const modules = (body.module_list ?? []).map(({ module_name: name, module_args: args = "" }) => ({ name, args }));
  requireModules(view, modules, storeVersion);
  const port = endpointPort(view, body.port);
  const nodes = await gatherNodes(view);
  const places = placeDatabase(view, nodes, { storeVersion, ...settings });
  const record = newRecord(await takeUid(view), places, view.clock.now().toISOString(), {
    ...{ ...settings, name: body.name, port, storeVersion },
    ...(modules.length === 0 ? {} : { modules }),
  });
  await view.passwords.set(record.uid, body.authentication_redis_pass ?? "");
  await view.records.createDatabase(record);
  return record;
}

type AskedDatabase = SettingValues & Pick<DatabaseRecord, "name" | "port" | "storeVersion" | "modules">;

/** The first place is that of the primary. */
function newRecord(uid: number, places: readonly InstancePlace[], now: string, asked: AskedDatabase): DatabaseRecord {
  const instances = places.map((place, index) => ({
    id: index + 1,
    ...place,
    storeVersion: asked.storeVersion,
    launch: index === 0 ? 1 : 0,
  }));
  return {
    uid,
    ...asked,
    status: "pending",
    shards: [{ id: 1, epoch: 1, primary: 1, instances }],
    nextInstance: places.length + 1,
    lastAction: begun("create_bdb"),
    lossReports: [],
    createdTime: now,
    lastChangedTime: now,
  };
}

function begun(name: string, uid: string = randomUUID()): DatabaseAction {
  return { uid, name, status: "running", progress: 0 };
}

async function updateDatabase(
  view: ClusterView,
  seen: DatabaseRecord,
  body: Partial<BdbCreate>,
): Promise<DatabaseRecord> {
  requireLicense(view);
  requireUnchangeable(seen, body);
  if (body.name !== undefined) requireFreeName(view, body.name, seen.uid);
  if (body.replication === true && !seen.replication) requireShards(view, 1);
  const current = await view.passwords.of(seen);
  const password = body.authentication_redis_pass ?? current;
  if (password === current) return updated(view, seen, body, false);
  requireIdle(seen);
  await view.passwords.set(seen.uid, password);
  try {
    return await updated(view, seen, body, true);
  } catch (error) {
    // nobody reads it before the record says so: asked again, it must still be a change
    await view.passwords.set(seen.uid, current);
    throw error;
  }
}

/** With `isNewPassword` the record says that something has changed, so that each node reads the password anew. */
function updated(
  view: ClusterView,
  seen: DatabaseRecord,
  body: Partial<BdbCreate>,
  isNewPassword: boolean,
): Promise<DatabaseRecord> {
  const now = view.clock.now().toISOString();
  return changed(view, seen, (record) => {
    requireIdle(record);
    const next: DatabaseRecord = {
      ...record,
      name: body.name ?? record.name,
      ...changesOfWire(body),
    };
    if (!isNewPassword && JSON.stringify(next) === JSON.stringify(record)) return record;
    return {
      ...next,
      status: "active-change-pending",
      lastChangedTime: now,
      lastAction: begun("update_bdb"),
    };
  });
}

async function removeDatabase(view: ClusterView, seen: DatabaseRecord): Promise<ActionRecord> {
  const now = view.clock.now().toISOString();
  const record = await changed(view, seen, (old) =>
    old.status === "delete-pending"
      ? old
      : {
          ...old,
          status: "delete-pending",
          lastChangedTime: now,
          lastAction: begun("delete_bdb"),
        },
  );
  return actionRecord({ ...lastActionOf(record), object: `bdb:${record.uid}` });
}

async function upgradeDatabase(view: ClusterView, seen: DatabaseRecord, body: BdbUpgrade): Promise<DatabaseRecord> {
  requireLicense(view);
  const target = storeVersionOf(body.store_version) ?? defaultStoreVersion(view.config.release);
  if (seen.upgrade?.target === target || (seen.upgrade === undefined && seen.storeVersion === target)) return seen;
  requireModules(view, seen.modules ?? [], target);
  requireUpgradePath(view, seen, target, await servingEngine(view, seen));
  const now = view.clock.now().toISOString();
  const uid = randomUUID();
  return changed(view, seen, (record) => {
    requireIdle(record);
    return {
      ...record,
      status: "active-change-pending",
      lastChangedTime: now,
      lastAction: begun("upgrade_bdb", uid),
      upgrade: {
        target,
        actionUid: uid,
        startedAt: now,
        mayDiscardData: body.may_discard_data ?? false,
        waitingFor: "",
      },
    };
  });
}

async function servingEngine(view: ClusterView, record: DatabaseRecord): Promise<string> {
  const answer = (await lookAt(view, record)).get(record.shards[0]?.primary ?? -1);
  return answer?.state === "serving" ? engineText(answer.engine) : "";
}

async function changed(
  view: ClusterView,
  { uid }: DatabaseRecord,
  change: (record: DatabaseRecord) => DatabaseRecord,
): Promise<DatabaseRecord> {
  const record = await view.records.changeDatabase(uid, change);
  if (record === undefined) throw refuse(refusals.noSuchDatabase, `database ${uid} was deleted meanwhile`);
  return record;
}

/** One change at a time: a database that is on its way somewhere is not sent elsewhere. */
function requireIdle(record: DatabaseRecord): void {
  if (record.status === "active") return;
  const doing = record.lastAction?.status === "running" ? ` (${record.lastAction.name} runs)` : "";
  throw refuse(refusals.busy, `"${record.name}" is ${record.status}${doing}; changes are taken while it is active`);
}

function requireUnchangeable(record: DatabaseRecord, body: Partial<BdbCreate>): void {
  if (body.port !== undefined && body.port !== record.port) {
    throw refuse(refusals.unchangeable, `the port of "${record.name}" is ${record.port} and cannot be changed`);
  }
  if (body.redis_version !== undefined && body.redis_version !== record.storeVersion) {
    throw refuse(
      refusals.unchangeable,
      `"${record.name}" is at ${record.storeVersion}; another version is asked for with POST /v1/bdbs/${record.uid}/upgrade`,
    );
  }
}

function storeVersionOf(text: string | undefined): StoreVersion | undefined {
  return STORE_VERSIONS.find((version) => version === text);
}

function lastActionOf({ uid, lastAction }: DatabaseRecord): DatabaseAction {
  return lastAction ?? begun("delete_bdb", `bdb-${uid}`);
}

/** uids are never used twice, also not when what follows fails. */
async function takeUid(view: ClusterView): Promise<number> {
  let uid = 0;
  await view.records.changeState((state) => {
    uid = state.nextDatabase;
    return { ...state, nextDatabase: uid + 1 };
  });
  return uid;
}
