import type { StoreEnterpriseDatabase } from "../api/kinds.ts";
import { STORE_VERSIONS } from "../api/records.ts";
import type { DatabaseTemplate, RestoreStatus } from "../api/restore-spec.ts";
import { memoryBytes } from "../api/settings/memory.ts";
import { databaseSpec } from "../api/database-spec.ts";
import { evenSlots, shareOf } from "../slots/shard-slots.ts";
import { isSameTable, namedShards, shardNames } from "../slots/named-slots.ts";
import type { SizedShard } from "../slots/shard-slots.ts";
import type { BackupReason } from "./decide.ts";

/** A backup, as a cluster has read it. */
export interface SavedBackup {
  readonly name: string;
  readonly ended: string;
  readonly database: { readonly namespace: string; readonly name: string; readonly redis_version: string };
  readonly files: readonly SavedFile[];
  /** The versions of the cluster whose engines read every file. */
  readonly redis_versions: readonly string[];
}

interface SavedFile {
  readonly assigned_slots: string;
  readonly bytes: number;
  readonly memory: number;
  readonly keys?: number;
}

/** The database that a restore makes. */
export interface RestorePlan {
  readonly spec: StoreEnterpriseDatabase["spec"];
  readonly shown: NonNullable<RestoreStatus["database"]>;
}

type Spec = StoreEnterpriseDatabase["spec"];

/**
 * The database to make for a backup: what `template` says, its shards and its version as the backup has them, and everything else as `now`, the database that was
 * saved, has it. Or which field cannot be.
 */
export function planRestore(
  saved: SavedBackup,
  template: DatabaseTemplate,
  now: Spec | undefined,
): RestorePlan | BackupReason {
  const table = tableOf(saved, template);
  if ("reason" in table) return table;
  const version = versionOf(saved, template);
  if ("reason" in version) return version;
  const given = { ...sharedPart(now), ...template, ...table.said, storeVersion: version.storeVersion };
  const memory = memoryOf(saved, table.shards, { asked: template.memorySize, usual: now?.memorySize });
  if ("reason" in memory) return memory;
  const spec = databaseSpec.safeParse({ ...given, memorySize: memory.size });
  if (!spec.success) {
    const [issue] = spec.error.issues;
    return invalid(issue?.path.join(".") ?? "", issue?.message ?? "not acceptable");
  }
  const { storeVersion } = version;
  const slots = table.said.shardSlots === undefined ? {} : { shardSlots: [...table.said.shardSlots] };
  const shown = { storeVersion, shardCount: table.shards.length, ...slots, memorySize: memory.size };
  return { spec: { ...given, memorySize: memory.size }, shown };
}

/** What belongs to the saved database alone is left out: its Secrets, its port, its backups, and what the backup says. */
function sharedPart(now: Spec | undefined): Partial<Spec> {
  if (now === undefined) return {};
  const {
    databaseSecretName: _secret,
    certificateSecretName: _certificate,
    databasePort: _port,
    shardCount: _count,
    shardSlots: _slots,
    storeVersion: _version,
    memorySize: _memory,
    backup: _backup,
    ...shared
  } = now;
  return shared;
}

interface Table {
  readonly shards: readonly SizedShard[];
  readonly said: { readonly shardCount?: number; readonly shardSlots?: string[] };
}

function tableOf({ files }: SavedBackup, { shardCount, shardSlots }: DatabaseTemplate): Table | BackupReason {
  const saved = namedShards(files.map(({ assigned_slots }) => assigned_slots));
  if ("why" in saved) return { reason: "BackupUnfit", message: `the slots of its files are no table: ${saved.why}` };
  const has = `the backup has ${saved.length} files with the slots ${shardNames(saved).join(" ")}`;
  if (shardCount !== undefined && shardCount !== saved.length)
    return invalid("shardCount", `it is ${shardCount}, and ${has}; make it so, and change the number afterwards`);
  const asked = shardSlots === undefined ? saved : namedShards(shardSlots);
  if ("why" in asked) return invalid("shardSlots", asked.why);
  if (!isSameTable(asked, saved))
    return invalid("shardSlots", `it has other slots, and ${has}; make it so, and change them afterwards`);
  const even = evenSlots(saved.length).map((slots) => ({ slots }));
  if (shardSlots === undefined && isSameTable(saved, even))
    return { shards: asked, said: saved.length === 1 ? {} : { shardCount: saved.length } };
  return { shards: asked, said: { shardCount: saved.length, shardSlots: [...(shardSlots ?? shardNames(saved))] } };
}

function versionOf(
  { database, redis_versions: readers }: SavedBackup,
  { storeVersion: asked }: DatabaseTemplate,
): { readonly storeVersion: (typeof STORE_VERSIONS)[number] } | BackupReason {
  const those =
    readers.length === 0 ? "no version of this cluster reads it" : `${readers.join(", ")} of this cluster read it`;
  if (asked !== undefined && !readers.includes(asked)) return invalid("storeVersion", `${asked} does not: ${those}`);
  const readable = STORE_VERSIONS.filter((version) => readers.includes(version));
  const chosen = asked ?? readable.find((version) => version >= database.redis_version) ?? readable.at(-1);
  if (chosen !== undefined) return { storeVersion: chosen };
  const remedy = "upgrade the cluster to a release with such an engine: readableFrom of the manifest names it";
  return {
    reason: "BackupUnreadable",
    message: `it was saved at ${database.redis_version}, and ${those}; remedy: ${remedy}`,
  };
}

function memoryOf(
  { files }: SavedBackup,
  shards: readonly SizedShard[],
  { asked, usual }: { readonly asked: string | undefined; readonly usual: string | undefined },
): { readonly size: string } | BackupReason {
  const most = Math.max(...files.map(({ memory }) => memory));
  const lacking = (size: string): string | undefined => {
    const each = Math.min(...shards.map((shard) => shareOf(memoryBytes(size) ?? 0, shard)));
    return each < most ? `${size} gives a shard ${each} bytes, and the data of one took ${most}` : undefined;
  };
  if (asked !== undefined) {
    const why = isSize(asked) ? lacking(asked) : "it is no size such as 1GB";
    return why === undefined ? { size: asked } : invalid("memorySize", why);
  }
  const size = usual ?? LEAST;
  if (isSize(size) && lacking(size) === undefined) return { size };
  const smallest = Math.min(...shards.map((shard) => shareOf(SCALE, shard))) / SCALE;
  return { size: `${Math.ceil((most * MARGIN) / smallest / MEGABYTE)}MB` };
}

function isSize(text: string): boolean {
  return databaseSpec.shape.memorySize.safeParse(text).success;
}

function invalid(field: string, why: string): BackupReason {
  const message = `spec.database.${field}: ${why}`;
  return { reason: "DatabaseUnfit", message };
}

const LEAST = "100MB";
const MEGABYTE = 1_000_000;
const SCALE = 1_000_000_000;
/** Data take a little more in another engine. */
const MARGIN = 1.25;
