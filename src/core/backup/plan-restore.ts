import type { StoreEnterpriseDatabase } from "../api/kinds.ts";
import { STORE_VERSIONS } from "../api/records.ts";
import type { DatabaseTemplate, RestoreStatus } from "../api/restore-spec.ts";
import { databaseSpec, type DatabaseSpec } from "../api/database-spec.ts";
import { shardCountObjection } from "../planner/admission/shard-count.ts";
import { evenSlots, type SizedShard } from "../slots/shard-slots.ts";
import { isSameTable, namedShards, shardNames } from "../slots/named-slots.ts";
import type { Finding } from "../api/parts.ts";
import { block } from "../planner/findings/finding.ts";
import { memoryNeeded, memoryObjection, type RestoredTables } from "./restored-shards.ts";

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
  /** The slots of the shards with which it is made, where others are asked for; those of the spec come once it serves. */
  readonly first?: readonly string[];
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
): RestorePlan | Finding {
  const table = tableOf(saved, template);
  if ("id" in table) return table;
  const version = versionOf(saved, template);
  if ("id" in version) return version;
  const given = { ...sharedPart(now), ...template, ...table.said, storeVersion: version.storeVersion };
  const memory = memoryOf(saved, table, { asked: template.memorySize, usual: now?.memorySize });
  if ("id" in memory) return memory;
  const spec = databaseSpec.safeParse({ ...given, memorySize: memory.size });
  if (!spec.success) {
    const [issue] = spec.error.issues;
    return invalid(issue?.path.join(".") ?? "", issue?.message ?? "not acceptable");
  }
  const why = modulesObjection(spec.data, table.next ?? table.first);
  if (why !== undefined) return invalid("shardCount", why);
  const { first, next = first, said } = table;
  const slots = said.shardSlots === undefined ? {} : { shardSlots: [...said.shardSlots] };
  const { storeVersion } = version;
  const shown = { storeVersion, shardCount: next.length, ...slots, ...shownFirst(table), memorySize: memory.size };
  const made = { spec: { ...given, memorySize: memory.size }, shown };
  return table.next === undefined ? made : { ...made, first: shardNames(first) };
}

/** Of the shards of the backup, what is shown where others are asked for. */
function shownFirst({
  first,
  next,
}: RestoredTables): Pick<RestorePlan["shown"], "firstShardCount" | "firstShardSlots"> {
  if (next === undefined) return {};
  const slots = isSameTable(first, evenShards(first.length)) ? {} : { firstShardSlots: [...shardNames(first)] };
  return { firstShardCount: first.length, ...slots };
}

function modulesObjection(
  { modulesList, moduleList }: DatabaseSpec,
  shards: readonly SizedShard[],
): string | undefined {
  const modules = (modulesList ?? moduleList ?? []).map(({ name }) => name);
  return shardCountObjection({ count: shards.length, has: undefined, slices: undefined, modules });
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

interface Table extends RestoredTables {
  readonly said: { readonly shardCount?: number; readonly shardSlots?: string[] };
}

function tableOf({ files }: SavedBackup, { shardCount: count, shardSlots }: DatabaseTemplate): Table | Finding {
  const saved = namedShards(files.map(({ assigned_slots }) => assigned_slots));
  if ("why" in saved)
    return block("BackupUnfit", `the slots of its files are no table: ${saved.why}`, "restore another backup");
  const named = shardSlots === undefined ? undefined : namedShards(shardSlots);
  if (named !== undefined && "why" in named) return invalid("shardSlots", named.why);
  if (count !== undefined && count !== (named?.length ?? count))
    return invalid("shardCount", `it is ${count}, and shardSlots has ${named?.length ?? 0} entries`);
  const asked = named ?? (count === undefined || count === saved.length ? saved : evenShards(count));
  const [first, next] = isSameTable(asked, saved) ? [asked, undefined] : [saved, asked];
  return { first, next, said: saidOf(asked, { shardSlots, isSaved: next === undefined }) };
}

/** What the spec says of these shards. */
function saidOf(
  asked: readonly SizedShard[],
  { shardSlots, isSaved }: { readonly shardSlots: readonly string[] | undefined; readonly isSaved: boolean },
): Table["said"] {
  const { length: shardCount } = asked;
  if (shardSlots !== undefined) return { shardCount, shardSlots: [...shardSlots] };
  if (!isSameTable(asked, evenShards(shardCount))) return { shardCount, shardSlots: [...shardNames(asked)] };
  // one is what a new database has
  return isSaved && shardCount === 1 ? {} : { shardCount };
}

function evenShards(count: number): readonly SizedShard[] {
  return evenSlots(count).map((slots) => ({ slots }));
}

function versionOf(
  { database, redis_versions: readers }: SavedBackup,
  { storeVersion: asked }: DatabaseTemplate,
): { readonly storeVersion: (typeof STORE_VERSIONS)[number] } | Finding {
  const those =
    readers.length === 0 ? "no version of this cluster reads it" : `${readers.join(", ")} of this cluster read it`;
  if (asked !== undefined && !readers.includes(asked)) return invalid("storeVersion", `${asked} does not: ${those}`);
  const readable = STORE_VERSIONS.filter((version) => readers.includes(version));
  const chosen = asked ?? readable.find((version) => version >= database.redis_version) ?? readable.at(-1);
  if (chosen !== undefined) return { storeVersion: chosen };
  const remedy = "upgrade the cluster to a release with such an engine: readableFrom of the manifest names it";
  return block("BackupUnreadable", `it was saved at ${database.redis_version}, and ${those}`, remedy);
}

function memoryOf(
  { files }: SavedBackup,
  tables: RestoredTables,
  { asked, usual }: { readonly asked: string | undefined; readonly usual: string | undefined },
): { readonly size: string } | Finding {
  const memories = files.toSorted((one, other) => lowestIn(one) - lowestIn(other)).map(({ memory }) => memory);
  const lacking = (size: string): string | undefined => memoryObjection(size, tables, memories);
  if (asked !== undefined) {
    const why = isSize(asked) ? lacking(asked) : "it is no size such as 1GB";
    return why === undefined ? { size: asked } : invalid("memorySize", why);
  }
  const size = usual ?? LEAST;
  if (isSize(size) && lacking(size) === undefined) return { size };
  return { size: `${Math.ceil(memoryNeeded(tables, memories) / MEGABYTE)}MB` };
}

/** The lowest slot of its shard. */
function lowestIn({ assigned_slots: text }: SavedFile): number {
  return Math.min(...(text.match(/\d+/g) ?? []).map(Number));
}

function isSize(text: string): boolean {
  return databaseSpec.shape.memorySize.safeParse(text).success;
}

function invalid(field: string, why: string): Finding {
  return block("DatabaseUnfit", `spec.database.${field}: ${why}`, "make another restore with a value that fits");
}

const LEAST = "100MB";
const MEGABYTE = 1_000_000;
