import { keyOf } from "#kit/kube/ref";
import type { Stored } from "#kit/kube/kube";
import type { StoreEnterpriseRestore } from "../../../core/api/kinds.ts";
import { AWAITS_DATA_ANNOTATION } from "../../../core/api/names.ts";
import type { RestoreSpec } from "../../../core/api/restore-spec.ts";
import type { Finding } from "../../../core/api/parts.ts";
import type { SeenBackup } from "../../../core/backup/decide.ts";
import type { RestoredDatabase } from "../../../core/backup/decide-restore.ts";
import {
  forGood,
  restoreSource,
  type RestoreRefusal,
  type RestoreSource,
} from "../../../core/backup/restore-source.ts";
import { block, partsOf, pause } from "../../../core/planner/findings/finding.ts";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import { backupSpec } from "../../../core/api/backup-spec.ts";
import type { ManagementClient } from "../../../ports/management/client.ts";
import { faults } from "../../../ports/management/faults.ts";
import type { RestoreRecord } from "../../../ports/management/records/backups.ts";
import type { BdbRecord } from "../../../ports/management/records.ts";
import { isFault } from "#kit/base/fault";
import { databaseOf, findingOfFailure, type FindDatabaseDeps } from "../backup/database-of.ts";
import { clusterOf, type Redb } from "../database/cluster.ts";

/** An object that asks for a restore, as it is stored. */
export type StoredRestore = Stored<StoreEnterpriseRestore>;

/** With what a pass over a restore finds what it works on. */
export interface FindRestoreDeps extends FindDatabaseDeps {
  readonly cache: FindDatabaseDeps["cache"] & Pick<InformerCache, "backups">;
}

/** Where the backup of a restore is, in its namespace alone; or why it cannot be taken. */
export function sourceOfRestore(
  { cache }: Pick<FindRestoreDeps, "cache">,
  spec: RestoreSpec,
  namespace: string,
): RestoreSource | RestoreRefusal {
  const named = spec.backupName === undefined ? undefined : cache.backups.get({ name: spec.backupName, namespace });
  if (named === undefined) return restoreSource(spec, namespace, undefined);
  const { metadata, status = {} } = named;
  const read = backupSpec.safeParse(named.spec);
  if (!read.success)
    return forGood(
      block(
        "BackupInvalid",
        `the backup "${metadata.name}" has an invalid spec`,
        "name another one by another restore",
      ),
    );
  return restoreSource(spec, namespace, { name: metadata.name, uid: metadata.uid, spec: read.data, status });
}

/** The database of a restore, and what its cluster says of the last restore of it. */
export interface FoundDatabase {
  readonly database: RestoredDatabase;
  readonly seen: (SeenBackup & RestoreRecord) | undefined;
  /** Its cluster, once it has the database. */
  readonly at: { readonly client: ManagementClient; readonly uid: string } | undefined;
}

/** What is known of the database of a restore besides its name. */
interface RestoredIn {
  readonly namespace: string;
  /** The restore has made its object before. */
  readonly wasMade: boolean;
  /** One that has lost its data is to be filled, too. */
  readonly replacesLost: boolean;
}

/** How the database stands that a restore is to fill. */
export async function findRestored(
  deps: FindRestoreDeps,
  name: string,
  { namespace, wasMade, replacesLost }: RestoredIn,
): Promise<FoundDatabase> {
  const without = (database: RestoredDatabase): FoundDatabase => ({ database, seen: undefined, at: undefined });
  const redb = deps.cache.databases.get({ name, namespace });
  if (redb === undefined || redb.metadata.deletionTimestamp !== undefined)
    return without(redb === undefined ? { kind: "none", wasMade } : { kind: "other" });
  const isMadeForData = redb.metadata.annotations?.[AWAITS_DATA_ANNOTATION] !== undefined;
  if (!isMadeForData && !replacesLost) return without({ kind: "other" });
  const at = databaseOf(deps, { name, namespace });
  if ("id" in at) return without({ kind: "unready", finding: unreadyFinding(at, redb) });
  try {
    const bdb = await at.client.call("bdb", { params: { uid: at.uid } });
    const { awaits_data: awaitsData = false, needs_consent: asks = false } = bdb.recovery ?? {};
    const database = {
      kind: "there",
      awaits: awaitsData || (replacesLost && asks),
      mayAwait: replacesLost,
      isServing: isServing(bdb),
      trouble: troubleOf(bdb),
    } as const;
    return { database, seen: await lastRestore(at), at };
  } catch (error) {
    return without({ kind: "unready", finding: findingOfFailure(error) });
  }
}

/** A cluster that can be asked. */
export interface NamedCluster {
  readonly client: ManagementClient;
  readonly cluster: string;
}

/** The cluster in which a database of that spec is made; why it cannot be asked. */
export function clusterForNew(
  { cache, contexts }: FindRestoreDeps,
  {
    name,
    namespace,
    cluster,
  }: { readonly name: string; readonly namespace: string; readonly cluster: string | undefined },
): NamedCluster | Finding {
  const spec = cluster === undefined ? {} : { storeEnterpriseCluster: { name: cluster } };
  const found = clusterOf(cache, {
    apiVersion: "",
    kind: "",
    metadata: { name, namespace, uid: "", resourceVersion: "" },
    spec,
  });
  if ("id" in found) return found;
  const client = contexts.of(keyOf(found))?.connection?.client;
  const evidence = `the management API of the cluster ${found.name} cannot be reached`;
  return client === undefined ? pause("ClusterNotReady", evidence) : { client, cluster: found.name };
}

async function lastRestore({ client, uid }: { readonly client: ManagementClient; readonly uid: string }) {
  try {
    return await client.call("restore", { params: { uid } });
  } catch (error) {
    if (isFault(error, faults.notFound)) return undefined; // this leader has begun none
    throw error;
  }
}

/** All its data serve, those of each shard: nothing of it is changed, or its shards are, which goes on while it serves. */
function isServing({ status, version, shards_count_asked: count, shard_slots_asked: slots }: BdbRecord): boolean {
  if (version === "") return false; // a primary is away, and its data may be gone too
  return status === "active" || (status === "active-change-pending" && (count ?? slots) !== undefined);
}

function troubleOf({ waiting_for, recovery }: BdbRecord): string {
  return waiting_for === "" ? (recovery?.lacks ?? "") : waiting_for;
}

/** Why it is not there yet, with what the object of the database says itself. */
function unreadyFinding(finding: Finding, { status }: Redb): Finding {
  const conditionOf = (wanted: string) => status?.conditions?.find(({ type }) => type === wanted);
  const ready = conditionOf("Ready");
  if (ready === undefined || ready.status === "True") return finding;
  const { evidence: why, remedy } = partsOf(ready.message);
  const evidence = `${finding.evidence}: ${why}`;
  const isRefused = conditionOf("Stalled")?.status === "True";
  return isRefused
    ? block("DatabaseRefused", evidence, remedy === "" ? finding.remedy : remedy)
    : { ...finding, evidence, remedy: remedy === "" ? finding.remedy : remedy };
}
