import { z } from "zod";
import { askedBackup } from "./asked-backup.ts";
import { dnsLabel } from "./parts.ts";
import { ENDPOINT_PORTS } from "./names.ts";
import { STORE_VERSIONS } from "./records.ts";
import { SPEC_FIELDS } from "./settings/fields.ts";

const moduleItem = z.object({
  name: z.string().min(1).describe("`module_name` of the module."),
  version: z.string().optional().describe("Ignored: a database uses the modules bundled with its version (§2.3)."),
  config: z.string().optional().describe("Arguments for the module."),
});

// the number of shards is shown behind their memory; it is no setting, as a database without one keeps what it has
const { memorySize, ...settings } = SPEC_FIELDS;

/** Shards that a database may ask for. */
export const MOST_SHARDS = 512;

/** A number of shards. */
export const shards = z.int().min(1).max(MOST_SHARDS);

/** The slots of each shard, as `0-4095,8192`, and its part of the memory where it is named, as `0-4095=25%`. */
export const shardSlots = z
  .array(z.string().regex(/^[0-9][0-9, -]*(=[0-9]{1,3}([.][0-9]{1,3})?%)?$/, "must be slots, as 0-4095,8192"))
  .min(1)
  .max(MOST_SHARDS);

/** `spec` of a StoreEnterpriseDatabase: the one source of its type, defaults, validation and documentation. */
export const databaseSpec = z.object({
  storeEnterpriseCluster: z
    .object({ name: dnsLabel.describe("Name of the cluster.") })
    .optional()
    .describe("Cluster of the database; the only one of the namespace when absent."),
  memorySize,
  shardCount: shards
    .optional()
    .describe(
      "Number of shards, which may be changed while clients write. Absent: one for a new database, and as many as it has for one that is there.",
    ),
  shardSlots: shardSlots
    .optional()
    .describe(
      "Slots of each shard, as many entries as `shardCount`, as `0-4095,8192`; each slot of 0 to 16383 is in one. `=25%` behind the slots is the part of the memory that a new shard has; without it, it is by slots. Absent: another number of shards has even slots, and the shards that serve keep theirs.",
    ),
  ...settings,
  databaseSecretName: dnsLabel
    .optional()
    .describe(
      "Secret with the password, of this database alone; `redb-<name>` with keys `password`, `port`, `service_names` when absent.",
    ),
  certificateSecretName: dnsLabel
    .optional()
    .describe(
      "Secret with the certificate of the endpoint for `tls`: `tls.crt` (or `cert`, `certificate`), `tls.key` (or `key`), and `ca.crt` for clients; absent: one of the cluster.",
    ),
  clientAuthenticationCertificates: z
    .array(dnsLabel)
    .max(16)
    .optional()
    .describe("Secrets with the authorities of clients, key `ca.crt` or as above; needed where `tls` is `mutual`."),
  databasePort: z
    .int()
    .min(ENDPOINT_PORTS.first)
    .max(ENDPOINT_PORTS.last)
    .optional()
    .describe("Port of the endpoint, chosen by the cluster when absent; cannot change."),
  type: z.enum(["redis"]).default("redis").describe("Kind of database."),
  storeVersion: z
    .enum(STORE_VERSIONS)
    .optional()
    .describe("Version of the database, as a quoted string; raising it upgrades the database (§2.3)."),
  modulesList: z.array(moduleItem).max(64).optional().describe("Modules of the database."),
  moduleList: z.array(moduleItem).max(64).optional().describe("Alias of `modulesList` (§2.3)."),
  backup: askedBackup
    .optional()
    .describe(
      "Backups of the database, again and again: a StoreEnterpriseBackupSchedule of its name is kept for it, and goes when this does. What was saved stays. Not for a site of an Active-Active database.",
    ),
});
/** A spec with every default filled in. */
export type DatabaseSpec = z.output<typeof databaseSpec>;

/** What all sites of an Active-Active database say alike; they compare it with every default filled in, also that of sites of older releases. */
export const globalConfiguration = databaseSpec.omit({ shardSlots: true, backup: true }).extend({
  shardCount: shards
    .default(1)
    .describe(
      "Number of shards of each participant, and the most that one may have; chosen when the database is made.",
    ),
});
