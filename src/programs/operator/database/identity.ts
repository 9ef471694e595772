import { annotate } from "../../../core/api/kubectl.ts";
import { clusterNames, MADE_FOR_ANNOTATION, TAKE_OVER_ANNOTATION } from "../../../core/api/names.ts";
import { isFault } from "#kit/base/fault";
import { resolveIdentity } from "../../../core/planner/database/identity.ts";
import { block } from "../../../core/planner/findings/finding.ts";
import { missingRecords } from "../../../core/planner/node/missing-record.ts";
import { missingRecordFinding } from "../../../core/planner/node/missing-record-finding.ts";
import { keptRecordOf, type ClusterRecords } from "../../../mechanisms/observe/management/cluster-records.ts";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import { faults } from "#kit/kube/faults";
import type { Kube } from "#kit/kube/kube";
import type { BdbRecord } from "../../../ports/management/records.ts";
import { notReady, type Unready } from "../context/cluster-context.ts";
import { hasRecord } from "../objects/has-record.ts";
import { annotateOwn } from "../secrets/write.ts";
import type { Redb } from "./cluster.ts";
import type { DatabaseFailure } from "./failure.ts";

type Marks = Pick<InformerCache, "secrets" | "records">;

/** The database that an object stands for, as its cluster has it; or why it has none there. */
export interface OwnDatabase {
  /** Undefined when the cluster does not have it. */
  readonly bdb?: BdbRecord;
  /** The one of that name is not its own. */
  readonly failure?: DatabaseFailure;
  /** Whether the cluster has it cannot be known now. */
  readonly unready?: Unready;
}

/** Finds it by uid, and by the mark that the Secret of each database has; by name alone nothing is taken. */
export async function ownDatabase(
  { kube, cache }: { readonly kube: Pick<Kube, "list">; readonly cache: Marks & Pick<InformerCache, "clusters"> },
  cluster: string,
  { bdbs, nodes }: ClusterRecords,
  redb: Redb,
): Promise<OwnDatabase> {
  const { name, namespace = "default", annotations } = redb.metadata;
  const { databaseUID, creating } = redb.status ?? {};
  const known = databaseUID === undefined ? undefined : Number(databaseUID);
  const isListed = known === undefined || bdbs.some(({ uid }) => uid === known);
  const isRecorded =
    !isListed && (await hasRecord({ kube, cache }, { name: clusterNames.databaseRecord(cluster, known), namespace }));
  const identity = resolveIdentity({
    name,
    known,
    isCreating: creating === true,
    consented: annotations?.[TAKE_OVER_ANNOTATION],
    listed: bdbs,
    madeFor: (uid) => markOf(cache, cluster, namespace, uid),
    isRecorded,
  });
  switch (identity.kind) {
    case "own": {
      const bdb = bdbs.find(({ uid }) => uid === identity.uid);
      return bdb === undefined ? {} : { bdb };
    }
    case "taken":
      return { failure: nameTaken(cluster, redb, identity.uid) };
    case "unlisted":
      return { unready: notReady(cluster, unlistedText(cluster, identity.uid)) };
    case "none":
      return recordMissing(cluster, nodes, {
        known,
        asked: cache.clusters.get({ name: cluster, namespace })?.spec.nodes ?? 0,
      });
  }
}

/** Writes down for whom a database was made, where it outlives the object; KUBE_… when that cannot be written. */
export async function keepMark(
  { kube, cache }: { readonly kube: Kube; readonly cache: Marks },
  cluster: string,
  { metadata }: Redb,
  { uid }: BdbRecord,
  isNew: boolean,
): Promise<void> {
  const { name, namespace = "default" } = metadata;
  const secret = { name: clusterNames.databaseSecret(cluster, uid), namespace };
  const isThere = isNew || cache.secrets.get(secret) !== undefined;
  if (!isThere || markOf(cache, cluster, namespace, uid) === name) return;
  try {
    cache.secrets.learn(await annotateOwn(kube, secret, { [MADE_FOR_ANNOTATION]: name }));
  } catch (error) {
    if (!isFault(error, faults.notFound)) throw error; // the database is gone with it
  }
}

function markOf({ secrets }: Marks, cluster: string, namespace: string, uid: number): string | undefined {
  const secret = secrets.get({ name: clusterNames.databaseSecret(cluster, uid), namespace });
  return secret?.metadata.annotations?.[MADE_FOR_ANNOTATION];
}

/** The database that the object has had is there as data alone: it is not made again, and comes back by its uid. */
function recordMissing(
  cluster: string,
  nodes: ClusterRecords["nodes"],
  { known, asked }: { readonly known: number | undefined; readonly asked: number },
): OwnDatabase {
  const keeping = nodes.map(({ uid, set_aside = [], missing_records = [] }) => ({
    uid,
    setAside: set_aside.map(({ bdb }) => bdb),
    kept: missing_records.map(keptRecordOf),
  }));
  const missing = missingRecords(keeping, asked).find(({ bdb }) => bdb === known);
  return missing === undefined ? {} : { failure: missingRecordFinding(cluster, [missing]) };
}

function nameTaken(cluster: string, { metadata: { name }, status }: Redb, uid: number): DatabaseFailure {
  const has = status?.databaseUID;
  const before = has === undefined ? "" : `; its own, ${has}, is not there any more`;
  const evidence = `cluster ${cluster} has a database "${name}" with the uid ${uid}, which was not made for this object${before}`;
  const remedy = `choose another name, or take it over with its data: ${annotate("redb", name, `${TAKE_OVER_ANNOTATION}=${uid}`)}`;
  return block("NameTaken", evidence, remedy);
}

function unlistedText(cluster: string, uid: number): string {
  const record = clusterNames.databaseRecord(cluster, uid);
  return `the cluster does not list database ${uid}, and its record is there: ConfigMap ${record} cannot be read, or was just changed`;
}
