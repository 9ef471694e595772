import type { ObjectStoreAccess } from "../../../../core/backup/object-store-access.ts";
import type { BackupKey } from "../../../../core/api/backup-keys.ts";
import type { BackupStart } from "../../../../ports/management/records/backups.ts";

/** The object store that a request names. */
export function accessIn(asked: BackupStart["s3"]): ObjectStoreAccess {
  const { bucket, region, endpoint, session_token: token, ca_certificate: authorities } = asked;
  return {
    bucket,
    region,
    pathStyle: asked.path_style,
    accessKeyId: asked.access_key_id,
    secretAccessKey: asked.secret_access_key,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(token === undefined ? {} : { sessionToken: token }),
    ...(authorities === undefined ? {} : { caCertificate: authorities }),
  };
}

/** The keys that a request names for its backup, where it names some. */
export function backupKeysOf({ encryption }: Pick<BackupStart, "encryption">): {
  readonly keys?: readonly BackupKey[];
} {
  return encryption === undefined ? {} : { keys: encryption.keys };
}
