import { everyShard } from "../../../../core/api/every-shard.ts";
import { clusterNames } from "../../../../core/api/names.ts";
import type { DatabaseRecord } from "../../../../core/api/records.ts";
import { endpointPortsOf } from "../../../../core/records/endpoint-ports.ts";
import { newPlaces, sharedPlace } from "../../../../core/records/shared-place.ts";
import { missingRecords, type MissingRecord } from "../../../../core/planner/node/missing-record.ts";
import { messageOf } from "#kit/base/fault";
import type { ReplyOf } from "../../../../ports/management/routes.ts";
import type { Members } from "../../members/members.ts";
import { digestOf } from "../../node/kept-records.ts";
import { parseDatabaseRecord } from "../../records/schema.ts";
import { refusals, refuse } from "../http/refusals.ts";
import { requireFreeName } from "./checks.ts";
import type { WriteContext } from "./write-context.ts";

/** What putting a record back works on. */
export type RestoreContext = Pick<
  WriteContext,
  "config" | "records" | "members" | "peers" | "keptRecords" | "log" | "authorities" | "clock"
>;

/**
 * Puts the record of a database back that has vanished: exactly what most nodes keep of it, by uid. Refused while it is not certain that this was
 * its last record, for a database that was deleted, and when another one has its name or a place since. Idempotent.
 */
export async function putRecordBack(context: RestoreContext, uid: number): Promise<DatabaseRecord> {
  const { records, log } = context;
  await Promise.all([records.reload(uid), records.reload("cluster")]);
  const present = records.database(uid);
  if (present !== undefined) return present;
  const keeping = context.members.list().map(keepingNode);
  const missing = missingRecords(keeping, highestNode(context)).find(({ bdb }) => bdb === uid);
  if (missing === undefined || wasDeleted(context, missing))
    throw refuse(refusals.noSuchRecord, `no node keeps a record of a database ${uid} that has vanished`);
  if (missing.doubt !== undefined)
    throw refuse(refusals.recordUncertain, `the last record of "${missing.name}" is not certain: ${missing.doubt}`);
  const record = await fetchRecord(context, missing);
  requireFreeName(context, record.name);
  requireFreePlaces(records.databases(), record);
  await records.createDatabase(record);
  log.warn("the record of a database that had vanished is put back", { bdb: uid, nodes: missing.nodes });
  return record;
}

/** What this node keeps of a record, for the leader. */
export function keptRecord({ keptRecords }: Pick<RestoreContext, "keptRecords">, uid: number): ReplyOf<"localRecord"> {
  const record = keptRecords.textOf(uid);
  if (record === undefined) throw refuse(refusals.noSuchRecord, `this node keeps no record of a database ${uid}`);
  return { record };
}

type Member = ReturnType<Members["list"]>[number];

function keepingNode({ uid, report }: Member) {
  return { uid, setAside: report.setAside.map(({ bdb }) => bdb), kept: report.missingRecords ?? [] };
}

/** A node may be away and have lost its Lease: records and other nodes name it still. */
function highestNode({ members, records }: RestoreContext): number {
  const voters = members.list().flatMap(({ report }) => report.voters ?? []);
  const places = records.databases().flatMap((record) => everyShard(record).flatMap(({ instances }) => instances));
  const left = records.state()?.maintenance ?? [];
  return Math.max(0, ...voters, ...[...places, ...left].map(({ node }) => node));
}

function wasDeleted({ records }: RestoreContext, { bdb, created }: MissingRecord): boolean {
  return (records.state()?.deleted ?? []).some(({ uid, createdTime }) => uid === bdb && createdTime === created);
}

/** The record of the digest that most nodes reported, from the first that gives it. */
async function fetchRecord(context: RestoreContext, missing: MissingRecord): Promise<DatabaseRecord> {
  const { config, log } = context;
  for (const node of missing.nodes) {
    try {
      const text = await textFrom(context, node, missing.bdb);
      // the record of another database is refused by the name of the ConfigMap
      if (text !== undefined && digestOf(text) === missing.digest)
        return parseDatabaseRecord(text, clusterNames.databaseRecord(config.cluster, missing.bdb));
      log.warn("a node keeps another record than it has reported", { node, bdb: missing.bdb });
    } catch (error) {
      log.warn("a node does not give the record that it keeps", { node, bdb: missing.bdb, error: messageOf(error) });
    }
  }
  throw refuse(refusals.recordUncertain, `no node gives the record of "${missing.name}" that it has reported`);
}

async function textFrom(context: RestoreContext, node: number, uid: number): Promise<string | undefined> {
  const { config, peers, keptRecords } = context;
  if (node === config.node) return keptRecords.textOf(uid);
  return (await peers.forward(node, "localRecord", { params: { uid } }, undefined)).record;
}

/** Another database may have got its endpoint port, or a port of one of its engines, since. */
function requireFreePlaces(databases: readonly DatabaseRecord[], record: DatabaseRecord): void {
  const by = sharedPlace(record.uid, newPlaces(undefined, record), databases)?.by;
  const own = endpointPortsOf(record);
  const hasOne = (other: DatabaseRecord): boolean => endpointPortsOf(other).some((port) => own.includes(port));
  const other = databases.find((one) => hasOne(one) || one.uid === by);
  if (other === undefined) return;
  const what = `database ${other.uid} ("${other.name}") has got a port of "${record.name}" since`;
  throw refuse(refusals.portUnavailable, what);
}
