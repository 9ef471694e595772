import type { BackupSpec, BackupStatus } from "../api/backup-spec.ts";

type ObjectStoreSpec = BackupSpec["s3"];

/** Where in the world a spec leads, without what opens it, and without the folder, which `status.path` has. */
export function placeOfStore({
  bucketName,
  regionName,
  endpoint,
  pathStyle,
}: ObjectStoreSpec): NonNullable<BackupStatus["place"]> {
  return {
    bucketName,
    ...(regionName === undefined ? {} : { regionName }),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(pathStyle === undefined ? {} : { pathStyle }),
  };
}

/** How what an object has saved is reached: where it was put, whatever its spec says by now, with the Secrets that this names. One of an earlier release has its spec alone. */
export function storeOfSaved(s3: ObjectStoreSpec, { place }: Pick<BackupStatus, "place">): ObjectStoreSpec {
  if (place === undefined) return s3;
  const { bucketName: _bucket, regionName: _region, endpoint: _endpoint, pathStyle: _style, ...secrets } = s3;
  return { ...secrets, ...place };
}
