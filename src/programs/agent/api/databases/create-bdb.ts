import type { DatabaseRecord } from "../../../../core/api/records.ts";
import type { SettingValues } from "../../../../core/api/settings/types.ts";
import { settingsOfWire } from "../../../../core/api/settings/values.ts";
import { defaultStoreVersion } from "../../../../core/releases/catalogue/find.ts";
import type { BdbCreate } from "../../../../ports/management/records.ts";
import { portMode, wantsTls } from "../../../../core/planner/database/facts.ts";
import { gatherNodes } from "../../observation/node-facts.ts";
import { requestedModules } from "./asked-modules.ts";
import {
  endpointPort,
  hasOlderNode,
  type InstancePlace,
  placeDatabase,
  policyFor,
  requireDurability,
  requireEngineTls,
  requireFreeName,
  requireLicense,
  requireModules,
  requireNothingSetAside,
  requireShardCount,
  requireShards,
  requireTls,
} from "./checks.ts";
import { certificateOf, shownOf } from "./change-certificate.ts";
import { refusalOf, refusals } from "../http/refusals.ts";
import type { Counter } from "../../credentials/numbered-secrets.ts";
import { refuseWithoutSecret } from "./when-secret-is-there.ts";
import { awaitsSites, requireSite } from "./require-site.ts";
import { runningAction } from "./record-changes.ts";
import type { WriteContext } from "./write-context.ts";

/** Writes the record of a new database, which the leader then starts; refuses one that the cluster cannot run. */
export async function createBdb(context: WriteContext, body: BdbCreate): Promise<DatabaseRecord> {
  const { config, records, passwords, clock } = context;
  requireLicense(context);
  requireFreeName(context, body.name);
  requireNothingSetAside(context, body.name);
  const settings = settingsOfWire(body);
  requireDurability(context, body.name, settings);
  const certificate = body.tls_certificate && certificateOf(body.tls_certificate, clock.now());
  const shown = certificate && { certificate: shownOf(certificate) };
  requireTls(context, { ...settings, name: body.name, ...shown });
  const link = body.active_active === undefined ? {} : { activeActive: body.active_active };
  requireSite(context, { ...settings, name: body.name, ...link });
  const { shards_count: shardCount = 1 } = body;
  requireShardCount(context, { count: shardCount, isSite: body.active_active !== undefined });
  const gate = awaitsSites(records, { name: body.name, ...link }) ? { awaitsSites: true as const } : {};
  requireShards(context, shardCount * (settings.replication ? 2 : 1));
  const storeVersion =
    body.redis_version ?? defaultStoreVersion(config.release, policyFor(records, settings.upgradePolicy));
  requireEngineTls(context, settings, storeVersion);
  const modules = requestedModules(body.module_list ?? []);
  requireModules(context, modules, storeVersion);
  const port = endpointPort(context, body.port);
  const nodes = await gatherNodes(context);
  const places = placeDatabase(context, nodes, { storeVersion, tls: wantsTls(settings), ...settings });
  const free = (await passwords.free.take(databaseCounter(context))) ?? refuseWithoutSecret("database");
  const record = newRecord(free.number, places, clock.now().toISOString(), {
    ...settings,
    name: body.name,
    port,
    storeVersion,
    ...(modules.length === 0 ? {} : { modules }),
    ...shown,
    ...link,
    ...gate,
    passwords: { revision: 0, engines: hasOlderNode(context, "engine-user") ? "shared" : "closed" },
  });
  if (!(await passwords.set(free, body.authentication_redis_pass ?? "", certificate))) refuseWithoutSecret("database");
  await keepRecord(context, record);
  return record;
}

async function keepRecord({ records, passwords }: WriteContext, record: DatabaseRecord): Promise<void> {
  try {
    await records.createDatabase(record);
  } catch (error) {
    // its uid is never given again: no one else would remove it
    if (refusalOf(error) !== refusals.internal) await passwords.remove(record.uid);
    throw error;
  }
}

type RequestedDatabase = SettingValues &
  Pick<DatabaseRecord, "name" | "port" | "storeVersion" | "modules" | "passwords" | "certificate"> &
  Pick<DatabaseRecord, "activeActive" | "awaitsSites">;

/** The first place is that of the primary. */
function newRecord(
  uid: number,
  places: readonly InstancePlace[],
  now: string,
  requested: RequestedDatabase,
): DatabaseRecord {
  const instances = places.map((place, index) => ({
    id: index + 1,
    ...place,
    storeVersion: requested.storeVersion,
    ...portMode(requested),
    launch: index === 0 ? 1 : 0,
  }));
  return {
    uid,
    ...requested,
    status: "pending",
    shards: [{ id: 1, epoch: 1, primary: 1, instances }],
    nextInstance: places.length + 1,
    lastAction: runningAction("create_bdb"),
    lossReports: [],
    createdTime: now,
    lastChangedTime: now,
  };
}

/** uids are never used twice, also not when the creation fails, or the record of the cluster was restored from an older copy. */
export function databaseCounter({ records, members }: Pick<WriteContext, "records" | "members">): Counter {
  const known = (): readonly number[] => [
    ...records.databases().map((database) => database.uid),
    ...members.list().flatMap(({ report }) => report.setAside.map(({ bdb }) => bdb)),
  ];
  return {
    next: () => Math.max(records.state()?.nextDatabase ?? 1, ...known().map((uid) => uid + 1)),
    async use(uid) {
      let isFree = false;
      await records.changeState((state) => {
        isFree = state.nextDatabase <= uid;
        return isFree ? { ...state, nextDatabase: uid + 1 } : state;
      });
      return isFree;
    },
  };
}
