import type { Kube } from "#kit/kube/kube";
import { awaitsDataMarks } from "../../../core/api/awaits-data.ts";
import { editObject } from "../../../core/api/kubectl.ts";
import { RESTORES_FROM_ANNOTATION } from "../../../core/api/names.ts";
import type { RestoreSpec } from "../../../core/api/restore-spec.ts";
import type { Finding } from "../../../core/api/parts.ts";
import { findingOfSeen } from "../../../core/backup/decide.ts";
import { planRestore, type RestorePlan } from "../../../core/backup/plan-restore.ts";
import { foreignBackup, forNow, type RestoreRefusal, type RestoreSource } from "../../../core/backup/restore-source.ts";
import { licenseObjection } from "../../../core/backup/restored-shards.ts";
import { block } from "../../../core/planner/findings/finding.ts";
import { splitNames } from "../../../core/planner/ownership/marks.ts";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import { Databases } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import type { ManagementClient } from "../../../ports/management/client.ts";
import type { BackupContent, BackupStart } from "../../../ports/management/records/backups.ts";
import { answeredWithin } from "../../../ports/management/slow-routes.ts";
import { storeOf } from "../backup/begin.ts";
import { findingOfFailure } from "../backup/database-of.ts";
import { encryptionOf } from "../backup/encryption.ts";
import { readGiven, type GivenDeps } from "../secrets/given.ts";
import type { NamedCluster } from "./find.ts";

/** With what restores are done. */
export interface RestoreActDeps extends GivenDeps {
  readonly kube: Kube;
  readonly cache: Pick<InformerCache, "databases">;
}

/** A backup that may be restored in the namespace, with the object store that it is in and its keys. */
export interface ReadableBackup {
  readonly content: BackupContent;
  readonly access: Pick<BackupStart, "s3" | "encryption">;
}

/** Lets a cluster read what the backup is; why it may not, or cannot. Nothing is changed by it. */
export async function readSource(
  deps: RestoreActDeps,
  client: ManagementClient,
  source: RestoreSource,
  namespace: string,
): Promise<ReadableBackup | RestoreRefusal> {
  const s3 = await storeOf(deps, { databaseName: source.database, s3: source.s3 }, namespace);
  if ("id" in s3) return forNow(s3);
  const use = { databaseName: source.database, namespace, isSaved: true };
  const encryption = await encryptionOf(deps, source.encryption, use);
  if ("id" in encryption) return forNow(encryption);
  const access = { s3, ...encryption };
  try {
    const { folder, name } = source;
    const within = answeredWithin("inspectBackup");
    const { content, failure } = await client.call("inspectBackup", { body: { folder, name, ...access } }, within);
    if (failure !== undefined) return { ...findingOfSeen(failure), isForGood: failure.retry === "never" };
    if (content === undefined)
      return forNow(
        block("BackupNotRead", "the cluster answers nothing when it is asked", "look at its leader: storectl why"),
      );
    const secret = source.s3.awsSecretName;
    const allowed = await namespacesOf(deps, { name: secret, namespace }, source.database);
    return foreignBackup(content.database, { namespace, secret, allowed }) ?? { content, access };
  } catch (error) {
    return forNow(findingOfFailure(error));
  }
}

/** The database to make for a backup; which field of it cannot be. */
export function planFor(
  { cache }: RestoreActDeps,
  spec: RestoreSpec,
  { content }: ReadableBackup,
  namespace: string,
): RestorePlan | Finding {
  const { name, namespace: savedIn } = content.database;
  const now = savedIn === namespace ? cache.databases.get({ name, namespace })?.spec : undefined;
  return planRestore(content, spec.database ?? {}, now);
}

/** Why the licence of a cluster does not allow the database; undefined when it does, for as long as nothing else is made there. */
export async function refusalByLicense(
  { client, cluster }: NamedCluster,
  { spec, shown }: RestorePlan,
): Promise<RestoreRefusal | undefined> {
  const { firstShardCount: first = shown.shardCount, shardCount: next } = shown;
  try {
    const why = licenseObjection({ first, next, replication: spec.replication === true }, await client.call("license"));
    if (why === undefined) return undefined;
    const remedy = `delete a database, or name a larger licence in spec.licenseSecretName: ${editObject(`rec ${cluster}`)}`;
    return forNow(block("LicenseLimit", why, remedy));
  } catch (error) {
    return forNow(findingOfFailure(error));
  }
}

/** Makes the object of the database, which waits for its data from then on; rejects when one has come there meanwhile. */
export async function makeDatabase(
  { kube, cache }: RestoreActDeps,
  ref: { readonly name: string; readonly namespace: string },
  { spec, first }: RestorePlan,
  restore: string,
): Promise<void> {
  const metadata = { ...ref, annotations: awaitsDataMarks(restore, first) };
  cache.databases.learn(await kube.create(Databases, { metadata, spec }));
}

/** Asks the cluster to bring the data; why it does not. */
export async function beginRestore(
  { client, uid }: { readonly client: ManagementClient; readonly uid: string },
  source: RestoreSource,
  { access }: ReadableBackup,
  { bytesPerSecond: rate, replaceLostData: replacesLost = false }: RestoreSpec,
): Promise<RestoreRefusal | undefined> {
  const { folder, name } = source;
  const asked = {
    ...(rate === undefined ? {} : { bytes_per_second: rate }),
    ...(replacesLost ? { replaces_lost_data: true } : {}),
  };
  const body = { folder, name, ...access, ...asked };
  try {
    await client.call("startRestore", { params: { uid }, body });
    return undefined;
  } catch (error) {
    return forNow(findingOfFailure(error));
  }
}

/** The other namespaces whose backups the owner of a Secret lets be restored with it. */
async function namespacesOf(
  deps: RestoreActDeps,
  ref: { readonly name: string; readonly namespace: string },
  database: string,
): Promise<readonly string[]> {
  const { secret, objection } = await readGiven(deps, ref, { kind: "object-store", database });
  return objection === undefined ? splitNames(secret?.metadata.annotations?.[RESTORES_FROM_ANNOTATION]) : [];
}
