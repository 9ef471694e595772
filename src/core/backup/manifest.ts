import { z } from "zod";
import { parseJson } from "#kit/base/json";
import { ENGINE_FAMILIES } from "../releases/engines/engines.ts";
import { readableFrom, type ReadingEngine } from "./readable-from.ts";

/** The newest format of manifests that this release reads, and the one that it writes. */
const MANIFEST_FORMAT = 1;
/** What a manifest has at most, in bytes: a database of as many shards as there may be has less. */
export const MOST_MANIFEST = 1_048_576;

const count = z.int().nonnegative();
const instant = z.iso.datetime();

/** The form of what a manifest says of a file. */
export const BACKUP_FILE = z.strictObject({
  shard: count,
  slots: z.array(z.strictObject({ from: count.max(16_383), to: count.max(16_383) })).min(1),
  file: z.string().regex(/^[\w-]+\/[\w.-]+$/),
  bytes: z.int().positive(),
  /** What its data took of the memory of the engine, in bytes. */
  memory: count,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** Absent: the file has data whose form the release that wrote it did not know. */
  keys: count.exactOptional(),
  rdb: z.int().positive(),
  engine: z.strictObject({ family: z.enum(ENGINE_FAMILIES), version: z.string() }),
  role: z.enum(["primary", "replica"]),
  replicationId: z.string(),
  offset: count,
  /** When its data were cut, as exactly as the process that took them can tell. */
  at: instant,
});

const MANIFEST = z.strictObject({
  format: z.literal(MANIFEST_FORMAT),
  name: z.string(),
  database: z.strictObject({
    cluster: z.string(),
    namespace: z.string(),
    uid: z.int().positive(),
    name: z.string(),
    createdTime: z.string(),
    storeVersion: z.string(),
  }),
  began: instant,
  ended: instant,
  /** `apart`: each file has its own time. */
  cut: z.enum(["apart"]),
  /** The engines that can read every file. */
  readableFrom: z.array(z.strictObject({ family: z.enum(["redis", "valkey"]), version: z.string() })),
  files: z.array(BACKUP_FILE).min(1),
});

/** The file of one shard. */
export type BackupFile = z.output<typeof BACKUP_FILE>;
/** What a backup is: it exists when its manifest does. */
export type BackupManifest = z.output<typeof MANIFEST>;

/** What a manifest says that a run has come to. */
export type ManifestFacts = Pick<BackupManifest, "name" | "database" | "began" | "ended" | "files">;

/** The manifest of these files. */
export function manifestOf(facts: ManifestFacts): BackupManifest {
  return { format: MANIFEST_FORMAT, ...facts, cut: "apart", readableFrom: enginesFor(facts.files) };
}

/** The manifest in that text, or what is wrong with it: nothing of it is trusted that it does not say whole. */
export function readManifest(text: string): BackupManifest | { readonly refusal: string } {
  const json = parseJson(text);
  if (json === undefined) return { refusal: "it is no JSON" };
  const format = z.looseObject({ format: z.int() }).safeParse(json);
  if (!format.success) return { refusal: "it is no manifest of a backup" };
  if (format.data.format > MANIFEST_FORMAT)
    return { refusal: `a later release wrote it, in format ${format.data.format}` };
  const parsed = MANIFEST.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  return { refusal: `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not acceptable"}` };
}

/** Whether both are of the same database: an object store may be shared by clusters that have one name. */
export function isOfSameDatabase(one: BackupManifest["database"], other: BackupManifest["database"]): boolean {
  return (["cluster", "namespace", "uid", "createdTime"] as const).every((member) => one[member] === other[member]);
}

/** Keys of all files; undefined when one does not say. */
export function countedKeys(files: readonly Pick<BackupFile, "keys">[]): number | undefined {
  return files.reduce<number | undefined>(
    (sum, { keys }) => (sum === undefined || keys === undefined ? undefined : sum + keys),
    0,
  );
}

function enginesFor(files: readonly BackupFile[]): ReadingEngine[] {
  return [...readableFrom(Math.max(...files.map(({ rdb }) => rdb)))];
}
