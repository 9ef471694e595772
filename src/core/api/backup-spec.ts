import { z } from "zod";
import { condition, dnsLabel } from "./parts.ts";

const MOST_NAME = 253;
const secretName = z.string().min(1).max(MOST_NAME);

/** The form of one folder of a bucket. */
export const FOLDER = String.raw`[A-Za-z0-9][\w.-]{0,127}`;
/** Up to four folders. No group is repeated: such a pattern is matched within a time, which a busy API server does not keep. */
const SUBDIR = new RegExp(String.raw`^${FOLDER}(?:\/${FOLDER})?(?:\/${FOLDER})?(?:\/${FOLDER})?$`);

/** Where backups go, and come from. */
export const s3 = z.object({
  bucketName: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/)
    .describe("Name of the bucket."),
  awsSecretName: secretName.describe(
    "Secret of this namespace with `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`; `AWS_SESSION_TOKEN` where there is one.",
  ),
  subdir: z
    .string()
    .regex(SUBDIR)
    .optional()
    .describe("Folder of the bucket, up to four with slashes between them; the bucket itself when absent."),
  regionName: z
    .string()
    .regex(/^[a-z0-9-]{1,64}$/)
    .optional()
    .describe("Region of the bucket; `us-east-1` when absent."),
  endpoint: z
    .string()
    .max(512)
    .regex(/^https?:\/\/[^/?#@\s]+$/)
    .optional()
    .describe("URL of the object store, without a path; that of the region at AWS when absent."),
  pathStyle: z
    .boolean()
    .optional()
    .describe("Whether the bucket stands in the path, as most object stores beside AWS want; false when absent."),
  caCertificateSecretName: secretName
    .optional()
    .describe(
      "Secret of this namespace whose `ca.crt` signed the certificate of the object store; the public ones when absent.",
    ),
});

/** By what backups are encrypted. */
export const encryption = z.object({
  secretName: secretName.describe(
    "Secret of this namespace with keys `key-1`, `key-2` and so on, each of them 32 random bytes as base64. That with the highest number encrypts, and all decrypt.",
  ),
});

/** `spec` of a StoreEnterpriseBackup: one backup, which is taken once. */
export const backupSpec = z.object({
  databaseName: dnsLabel.describe("Name of a StoreEnterpriseDatabase of this namespace."),
  s3: s3.describe("The bucket, at AWS or at another object store that speaks the protocol of S3."),
  encryption: encryption
    .optional()
    .describe(
      "Its files are encrypted before they leave the node; without it, they are as stock engines read them. Who has lost the key has lost the backup.",
    ),
  bytesPerSecond: z
    .int()
    .min(1_000_000)
    .optional()
    .describe("At most so many, all shards together; as fast as engines and object store can when absent."),
  verify: z
    .boolean()
    .optional()
    .describe(
      "Whether an engine without clients loads each file once all are there, which the condition `Restorable` says; true when absent.",
    ),
  verifyRequest: z
    .string()
    .max(64)
    .optional()
    .describe("Any text: another one asks that the files are loaded again. `storectl backup verify` writes it."),
  activeDeadlineSeconds: z
    .int()
    .min(60)
    .optional()
    .describe("It has failed when it is not complete so long after it was made; 86400 when absent."),
});
export type BackupSpec = z.output<typeof backupSpec>;

/** How a backup stands. */
const BACKUP_PHASES = ["Pending", "Running", "Completed", "Failed"] as const;
export type BackupPhase = (typeof BACKUP_PHASES)[number];

/** `status` of a StoreEnterpriseBackup. */
export const backupStatus = z.object({
  phase: z.enum(BACKUP_PHASES).optional().describe("How it stands. `Completed` and `Failed` stay."),
  path: z
    .string()
    .optional()
    .describe("Where it lies in the bucket: what is there has a manifest once it is complete."),
  place: s3
    .pick({ bucketName: true, regionName: true, endpoint: true, pathStyle: true })
    .optional()
    .describe(
      "The object store that it was begun in. It is read and removed there, also when `spec.s3` is another one by now; that one counts for another attempt.",
    ),
  startTime: z.string().optional().describe("When the attempt began that is meant."),
  completionTime: z.string().optional().describe("When it was complete."),
  attempts: z.int().optional().describe("How often it was begun."),
  bytes: z.int().optional().describe("Bytes of its files, so far."),
  keys: z
    .int()
    .optional()
    .describe("Keys in its files, so far; absent when a module has data in them whose form is not known."),
  encryption: z
    .object({
      keyName: z.string().describe("What the Secret called it when the backup was taken."),
      keyId: z.string().describe("Tells it from all other keys."),
    })
    .optional()
    .describe("The key that has encrypted its files; without it they cannot be read."),
  readableFrom: z
    .array(z.string())
    .optional()
    .describe("The engines that read every file, each from this version on, for instance `redis 7.2`."),
  verification: z
    .object({
      request: z.string().optional().describe("The `verifyRequest` that it answers."),
      requestTime: z.string().optional().describe("When that was seen first."),
      attempts: z.int().optional().describe("How often it was begun since, after the files were there."),
      startTime: z.string().optional().describe("When the attempt began that is meant."),
      completionTime: z.string().optional().describe("When an engine had loaded all of it."),
      engine: z.string().optional().describe("The engine that has loaded it, for instance `redis 7.2.4`."),
      keys: z.int().optional().describe("Keys that it had then: those of the files without those that had expired."),
    })
    .optional()
    .describe("What an engine without clients has loaded of it."),
  observedGeneration: z.int().optional().describe("Generation of the spec that this status describes."),
  conditions: z.array(condition).optional().describe("Complete, Restorable, Ready, Reconciling, Stalled."),
});
export type BackupStatus = z.output<typeof backupStatus>;
