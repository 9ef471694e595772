import type { DatabaseRecord } from "../../../../core/api/records.ts";
import type { SettingValues } from "../../../../core/api/settings/types.ts";
import { settingsOfWire } from "../../../../core/api/settings/values.ts";
import { defaultStoreVersion } from "../../../../core/releases/catalogue/find.ts";
import type { BdbCreate } from "../../../../ports/management/records.ts";
import { numberOfSlices } from "../../../../core/slots/site-slices.ts";
import { countOfNew, shardsNamed, shardsOfNew } from "./asked-shards.ts";
import { newDatabase, type RequestedDatabase } from "../../../../core/records/new-database.ts";
import { wantsTls } from "../../../../core/planner/database/facts.ts";
import { gatherNodes } from "../../observation/node-facts.ts";
import { requestedModules } from "./asked-modules.ts";
import {
  hasOlderNode,
  requireAwaiting,
  placeDatabase,
  policyFor,
  requireCluster,
  requireDurability,
  requireEngineTls,
  requireFreeName,
  requireLicense,
  requireModules,
  requireNothingSetAside,
  requireTls,
} from "./checks.ts";
import { endpointPort, withClusterPort } from "./endpoint-ports.ts";
import {
  requireShardCount,
  requireSharding,
  requireShardMemory,
  requireShards,
  requireWholeSlices,
} from "./shard-checks.ts";
import { certificateOf, shownOf } from "./change-certificate.ts";
import { isFault } from "#kit/base/fault";
import { faults } from "../../faults.ts";
import { refusalOf, refusals } from "../http/refusals.ts";
import type { Counter } from "../../credentials/numbered-secrets.ts";
import { refuseWithoutSecret } from "./when-secret-is-there.ts";
import { awaitsSites, requireSite } from "./require-site.ts";
import { runningAction } from "./record-changes.ts";
import type { WriteContext } from "./write-context.ts";

/** Writes the record of a new database, which the leader then starts; refuses one that the cluster cannot run. */
export async function createBdb(context: WriteContext, body: BdbCreate): Promise<DatabaseRecord> {
  const { passwords, clock } = context;
  const { requested, certificate } = checkedRequest(context, body);
  const { storeVersion } = requested;
  const nodes = await gatherNodes(context);
  const shards = shardsOfNew(body, requested);
  const wanted = { settings: requested, shards, kept: [], storeVersion, tls: wantsTls(requested) };
  const places = placeDatabase(context, nodes, wanted);
  const free = (await passwords.free.take(databaseCounter(context))) ?? refuseWithoutSecret("database");
  const given = {
    uid: free.number,
    sizes: shards,
    places,
    now: clock.now().toISOString(),
    action: runningAction("create_bdb"),
    awaitsData: body.awaits_data === true,
  };
  const record = newDatabase(requested, given);
  if (!(await passwords.set(free, body.authentication_redis_pass ?? "", certificate))) refuseWithoutSecret("database");
  await keepRecord(context, record);
  return record;
}

/** What is asked for, with what follows from it, and the certificate of the endpoints. */
function checkedRequest(context: WriteContext, body: BdbCreate) {
  const { config, records, clock } = context;
  requireLicense(context);
  requireFreeName(context, body.name);
  requireNothingSetAside(context, body.name);
  if (body.awaits_data === true) requireAwaiting(context);
  const settings = settingsOfWire(body);
  requireDurability(context, body.name, settings);
  requireCluster(context, settings);
  const certificate = body.tls_certificate && certificateOf(body.tls_certificate, clock.now());
  const shown = certificate && { certificate: shownOf(certificate) };
  requireTls(context, { ...settings, name: body.name, ...shown });
  const link = body.active_active === undefined ? {} : { activeActive: body.active_active };
  requireSite(context, { ...settings, name: body.name, ...link });
  requireShardsOf(context, body, settings);
  const gate = awaitsSites(records, { name: body.name, ...link }) ? { awaitsSites: true as const } : {};
  const storeVersion =
    body.redis_version ?? defaultStoreVersion(config.release, policyFor(records, settings.upgradePolicy));
  requireEngineTls(context, settings, storeVersion);
  const modules = requestedModules(body.module_list ?? []);
  requireModules(context, modules, storeVersion);
  const requested: RequestedDatabase = withClusterPort(context, {
    ...settings,
    name: body.name,
    port: endpointPort(context, body.port),
    storeVersion,
    ...(modules.length === 0 ? {} : { modules }),
    ...shown,
    ...link,
    ...gate,
    passwords: { revision: 0, engines: hasOlderNode(context, "engine-user") ? "shared" : "closed" },
  });
  return { requested, certificate };
}

function requireShardsOf(
  context: WriteContext,
  body: BdbCreate,
  { memoryBytes, replication }: Pick<SettingValues, "memoryBytes" | "replication">,
): void {
  const count = countOfNew(body);
  const modules = (body.module_list ?? []).map(({ module_name }) => module_name);
  const slices = numberOfSlices(body.active_active);
  requireShardCount(context, { count, has: undefined, slices, modules });
  if (slices !== undefined) requireWholeSlices(shardsNamed(body) ?? [], slices);
  requireSharding(body, count);
  requireShardMemory({ count, memoryBytes });
  requireShards(context, { primaries: count, replicas: replication ? count : 0 });
}

async function keepRecord({ records, passwords }: WriteContext, record: DatabaseRecord): Promise<void> {
  try {
    await records.createDatabase(record);
  } catch (error) {
    // its uid is never given again: no one else would remove it
    if (refusalOf(error) !== refusals.internal || isFault(error, faults.placeTaken)) await passwords.remove(record.uid);
    throw error;
  }
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
