import { Fault } from "#kit/base/fault";
import type { BackupSpec } from "../../../core/api/backup-spec.ts";
import { Backups, Databases } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import type { NamespaceAccess } from "../access/namespace-access.ts";
import { faults } from "../faults.ts";
import { backupsOf } from "./find.ts";

/** Where a backup goes, as options of a command say it. */
export interface BackupPlaceOptions {
  readonly name?: string;
  readonly bucket?: string;
  readonly secret?: string;
  readonly caSecret?: string;
  readonly encryptionSecret?: string;
  readonly endpoint?: string;
  readonly region?: string;
  readonly subdir?: string;
  readonly pathStyle?: boolean;
}

/** Makes the object that asks for a backup, and answers with its name; CLI_BACKUP_PLACE when it is not said where to. */
export async function askForBackup(
  access: Pick<NamespaceAccess, "kube" | "namespace" | "clock">,
  database: string,
  options: BackupPlaceOptions,
): Promise<string> {
  const { kube, namespace, clock } = access;
  if ((await kube.get(Databases, { name: database, namespace })) === undefined)
    throw new Fault(faults.noDatabase, `namespace ${namespace} has no StoreEnterpriseDatabase "${database}"`);
  const name = options.name ?? `${database}-${timeText(clock.now())}`;
  const spec = { databaseName: database, ...(await placeFor(access, database, options)) };
  await kube.create(Backups, { metadata: { name, namespace }, spec });
  return name;
}

async function placeFor(
  access: Pick<NamespaceAccess, "kube" | "namespace">,
  database: string,
  options: BackupPlaceOptions,
): Promise<Pick<BackupSpec, "s3" | "encryption" | "bytesPerSecond">> {
  const { bucket, secret, encryptionSecret: secretName } = options;
  const own = secretName === undefined ? {} : { encryption: { secretName } };
  if (bucket !== undefined && secret !== undefined) return { s3: s3Of(bucket, secret, options), ...own };
  const named = [bucket, secret, options.caSecret, options.endpoint, options.region, options.subdir, options.pathStyle];
  if (named.some((value) => value !== undefined))
    throw new Fault(faults.backupPlace, "a place of its own needs both a bucket and a Secret");
  const last = (await backupsOf(access, database)).at(-1);
  if (last === undefined)
    throw new Fault(faults.backupPlace, `"${database}" has no backup yet whose place could be taken`);
  const { s3, encryption, bytesPerSecond } = last.spec;
  return {
    s3,
    ...(encryption === undefined ? {} : { encryption }),
    ...own,
    ...(bytesPerSecond === undefined ? {} : { bytesPerSecond }),
  };
}

function s3Of(bucketName: string, awsSecretName: string, options: BackupPlaceOptions): BackupSpec["s3"] {
  const { endpoint, region, subdir, caSecret, pathStyle } = options;
  return {
    bucketName,
    awsSecretName,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(region === undefined ? {} : { regionName: region }),
    ...(subdir === undefined ? {} : { subdir }),
    ...(caSecret === undefined ? {} : { caCertificateSecretName: caSecret }),
    ...(pathStyle === undefined ? {} : { pathStyle }),
  };
}

/** As a part of a name: `20261130-074502`, in UTC. */
function timeText(time: Date): string {
  return time.toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
}
