import { OWN, type Reach } from "./field-reach.ts";

type Fields = Readonly<Record<string, Reach | typeof OWN>>;

const BEGIN = "src/programs/operator/backup/begin.test.ts";
const backupSecret: Reach = {
  reaches: "a Secret of the namespace, by whose keys the nodes sign what they send to the object store",
  bound:
    "only one that holds nothing but such keys, or whose annotation lists the database; the secret key is never sent",
  test: BEGIN,
};
const backupHost: Reach = {
  reaches: "a host and a bucket, to which the nodes send the data of the database",
  bound: "none: who may make such an object may send the data of a database of its namespace anywhere",
  test: BEGIN,
};

const backupKeys: Reach = {
  reaches: "a Secret of the namespace, by whose keys the nodes encrypt backups and read them",
  bound:
    "only one that holds nothing but such keys, or whose annotation lists the database; no key is sent to the store",
  test: BEGIN,
};

/** Of a StoreEnterpriseBackup. */
export const BACKUP_FIELDS: Fields = {
  databaseName: {
    reaches: "the data of a database of the namespace",
    bound: "of no other namespace",
    test: BEGIN,
  },
  s3: OWN,
  "s3.bucketName": backupHost,
  "s3.awsSecretName": backupSecret,
  "s3.subdir": OWN,
  "s3.regionName": OWN,
  "s3.endpoint": backupHost,
  "s3.pathStyle": OWN,
  "s3.caCertificateSecretName": {
    reaches: "a Secret of the namespace, read for its key `ca.crt`",
    bound: "only one that holds nothing but keys of an object store, or whose annotation lists the database",
    test: BEGIN,
  },
  encryption: OWN,
  "encryption.secretName": backupKeys,
  bytesPerSecond: OWN,
  verify: OWN,
  verifyRequest: OWN,
  activeDeadlineSeconds: OWN,
};

const { verifyRequest: _, ...ofEach } = BACKUP_FIELDS;
/** Of a StoreEnterpriseBackupSchedule, which makes such objects. */
export const BACKUP_SCHEDULE_FIELDS: Fields = {
  ...ofEach,
  schedule: OWN,
  timeZone: OWN,
  suspend: OWN,
  startingDeadlineSeconds: OWN,
  retention: OWN,
  "retention.count": OWN,
  "retention.ageDays": OWN,
};

const ownHost: Reach = { ...backupHost, bound: "none: who may edit a database may send its data anywhere" };
const { schedule: _s, timeZone: _t, suspend: _u, startingDeadlineSeconds: _l, ...kept } = BACKUP_SCHEDULE_FIELDS;
const { databaseName: _d, activeDeadlineSeconds: _a, ...asked } = kept;
const ofDatabase: Fields = {
  backup: OWN,
  interval: OWN,
  intervalOffset: OWN,
  ...asked,
  "s3.bucketName": ownHost,
  "s3.endpoint": ownHost,
};
/** Of `spec.backup` of a StoreEnterpriseDatabase, for which such a schedule is kept. */
export const ASKED_BACKUP_FIELDS: Fields = Object.fromEntries(
  Object.entries(ofDatabase).map(([path, row]) => [path === "backup" ? path : `backup.${path}`, row]),
);

const SOURCE = "src/core/backup/restore-source.test.ts";
const RESTORE_WORLD = "test/world/restores.test.ts";
const restoreHost: Reach = {
  reaches: "a host and a bucket, from which the nodes read what an engine then loads",
  bound: "a file counts when it has the SHA-256 of its manifest, into a new database alone; engines check each value",
  test: RESTORE_WORLD,
};

/** Of a StoreEnterpriseRestore. */
export const RESTORE_FIELDS: Fields = {
  databaseName: {
    reaches: "a database of the namespace, which is made",
    bound:
      "none that has its data: one that waits for them alone, or, with `replaceLostData`, one whose nodes say that its data is gone",
    test: RESTORE_WORLD,
  },
  replaceLostData: OWN,
  backupName: {
    reaches: "the data of a backup of the namespace",
    bound: "of no other namespace, unless the owner of the Secret of the bucket lists that one",
    test: SOURCE,
  },
  location: OWN,
  "location.path": {
    reaches: "the data of a backup in that bucket",
    bound: "of no other namespace, unless the owner of the Secret of the bucket lists that one",
    test: SOURCE,
  },
  "location.s3": OWN,
  "location.s3.bucketName": restoreHost,
  "location.s3.awsSecretName": { ...backupSecret },
  "location.s3.regionName": OWN,
  "location.s3.endpoint": restoreHost,
  "location.s3.pathStyle": OWN,
  "location.s3.caCertificateSecretName": {
    reaches: "a Secret of the namespace, read for its key `ca.crt`",
    bound: "only one that holds nothing but keys of an object store, or whose annotation lists the database",
    test: BEGIN,
  },
  encryption: OWN,
  "encryption.secretName": { ...backupKeys },
  database: OWN,
  bytesPerSecond: OWN,
  dryRun: OWN,
  activeDeadlineSeconds: OWN,
};
