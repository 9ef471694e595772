import type { ObjectStoreAccess } from "../../../../core/backup/object-store-access.ts";
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
