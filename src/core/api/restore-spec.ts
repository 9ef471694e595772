import { z } from "zod";
import { encryption, FOLDER, s3 } from "./backup-spec.ts";
import { databaseSpec } from "./database-spec.ts";
import { condition, dnsLabel } from "./parts.ts";

/** Up to eight folders and a name. No group is repeated: a pattern is matched within a time, which a busy API server does not keep. */
const PATH = new RegExp(String.raw`^${FOLDER}\/${FOLDER}${String.raw`(?:\/${FOLDER})?`.repeat(7)}\/?$`);

/** A spec of a database as a user writes it, any part of it. */
export type DatabaseTemplate = Partial<z.input<typeof databaseSpec>>;

/** Its fields without their defaults: what is not said comes from the backup. */
const template: z.ZodType<DatabaseTemplate> = z.object(
  Object.fromEntries(
    Object.entries(databaseSpec.shape).map(([name, field]) => [
      name,
      (field instanceof z.ZodDefault ? withoutDefault(field) : field).optional().describe(field.description ?? ""),
    ]),
  ),
);

function withoutDefault({ def }: z.ZodDefault): z.ZodType {
  return def.innerType as z.ZodType; // of a schema that zod has made
}

const location = z.object({
  path: z
    .string()
    .max(1_024)
    .regex(PATH)
    .describe("Folder of the bucket in which the `manifest.json` of the backup lies: `status.path` of its object."),
  s3: s3.omit({ subdir: true }).describe("The bucket."),
});

/** `spec` of a StoreEnterpriseRestore: one restore, which is done once. */
export const restoreSpec = z.object({
  databaseName: dnsLabel.describe(
    "Name of the StoreEnterpriseDatabase that is made. One that is there is refused, unless it waits for its data, or has lost them and `replaceLostData` is `true`.",
  ),
  backupName: z
    .string()
    .min(1)
    .max(253)
    .optional()
    .describe("Name of a StoreEnterpriseBackup of this namespace; this or `location`."),
  location: location
    .optional()
    .describe("Where a backup lies that has no object here; this or `backupName`. It has to be of this namespace."),
  encryption: encryption
    .optional()
    .describe(
      "The keys of an encrypted backup; those that the object of the backup names when absent. With it, a backup that is not encrypted is refused.",
    ),
  database: template
    .optional()
    .describe(
      "What the database is to be, as in the spec of a StoreEnterpriseDatabase. Left out: shards, slots and version as the backup has them, and everything else as the database of the backup has it now, where that is in this namespace. With other shards it serves with those of the backup first, and is changed to them then.",
    ),
  replaceLostData: z
    .boolean()
    .optional()
    .describe(
      "Whether a database that is there gets the data of the backup instead of those that are gone with the volumes of its nodes: it is in `recovery`, and asks whether it may go on without them. Shards whose data is there keep it. Not together with `database`.",
    ),
  bytesPerSecond: z
    .int()
    .min(1_000_000)
    .optional()
    .describe("At most so many, each shard by itself; as fast as object store and volumes can when absent."),
  dryRun: z
    .boolean()
    .optional()
    .describe("Whether nothing is made: the backup is read, and `status.database` says what would be made."),
  activeDeadlineSeconds: z
    .int()
    .min(60)
    .optional()
    .describe("It has failed when it is not complete so long after it was made; 86400 when absent."),
});
export type RestoreSpec = z.output<typeof restoreSpec>;

/** How a restore stands. */
const RESTORE_PHASES = ["Pending", "Planned", "Running", "Completed", "Failed"] as const;
export type RestorePhase = (typeof RESTORE_PHASES)[number];

/** `status` of a StoreEnterpriseRestore. */
export const restoreStatus = z.object({
  phase: z
    .enum(RESTORE_PHASES)
    .optional()
    .describe("How it stands. `Completed` and `Failed` stay, and so does `Planned` with `dryRun`."),
  source: z
    .object({
      path: z.string().describe("Where it lies in its bucket."),
      database: z.string().describe("The database that was saved."),
      namespace: z.string().describe("The namespace of that."),
      storeVersion: z.string().describe("The version that it had."),
      time: z.string().describe("When the backup was complete."),
      files: z.int().describe("Its files, one for each shard."),
      bytes: z.int().describe("Bytes of all files."),
      keys: z.int().optional().describe("Keys in all files; absent where that is not known."),
    })
    .optional()
    .describe("The backup, as its manifest says it."),
  database: z
    .object({
      storeVersion: z.string().describe("Its version."),
      shardCount: z.int().describe("Its shards."),
      shardSlots: z.array(z.string()).optional().describe("The slots of each, where they are not even."),
      firstShardCount: z
        .int()
        .optional()
        .describe("The shards of the backup, with which it serves first, where others are asked for."),
      firstShardSlots: z.array(z.string()).optional().describe("The slots of each of those, where they are not even."),
      memorySize: z.string().describe("Its memory."),
    })
    .optional()
    .describe("The database that is made, or would be."),
  databaseMade: z.boolean().optional().describe("Whether the object of the database was made: it is not made again."),
  startTime: z.string().optional().describe("When the attempt began that is meant."),
  completionTime: z
    .string()
    .optional()
    .describe("When the database served with all of its data, also where its shards were to be changed then."),
  attempts: z.int().optional().describe("How often the cluster was asked to bring the data."),
  bytes: z.int().optional().describe("Bytes that the nodes have, so far."),
  observedGeneration: z.int().optional().describe("Generation of the spec that this status describes."),
  conditions: z.array(condition).optional().describe("Complete, Ready, Reconciling, Stalled."),
});
export type RestoreStatus = z.output<typeof restoreStatus>;
