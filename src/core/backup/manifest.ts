import { z } from "zod";
import { parseJson } from "#kit/base/json";
import { visibleLine } from "#kit/base/visible";
import { canonical } from "../planner/active-active/canonical.ts";
import { ENGINE_FAMILIES } from "../releases/engines/engines.ts";
import { namedShards } from "../slots/named-slots.ts";
import { slotsText } from "../slots/shard-slots.ts";
import { SLOTS } from "../slots/slot.ts";
import { BACKUP_KEY_NAME } from "../api/backup-keys.ts";
import { readableFrom, type ReadingEngine } from "./readable-from.ts";

/** The newest format of manifests that this release reads, and the one that it writes. */
const MANIFEST_FORMAT = 1;
/** What a manifest has at most, in bytes: a database of as many shards as there may be has less. */
export const MOST_MANIFEST = 1_048_576;

/** No more than a sum over the files of all manifests that can be read stays exact. */
const MOST_COUNT = 2 ** 40;
const count = z.int().nonnegative().max(MOST_COUNT);
const instant = z.iso.datetime();
/** What is shown to people, and stands in commands that they type: whoever writes into the bucket has written it. */
const word = z.string().regex(/^[\w.:+-]{1,253}$/);
/** Databases of other releases may have names that no object has. */
const line = z
  .string()
  .max(253)
  .refine((text) => visibleLine(text) === text, "has control characters");

/** The form of what a manifest says of a file. */
export const BACKUP_FILE = z.strictObject({
  shard: count,
  slots: z.array(z.strictObject({ from: count.max(16_383), to: count.max(16_383) })).min(1),
  file: z.string().regex(/^[\w-]{1,128}\/\w[\w.-]{0,127}$/),
  bytes: z.int().positive().max(MOST_COUNT),
  /** What its data took of the memory of the engine, in bytes. */
  memory: count,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** Absent: the file has data whose form the release that wrote it did not know. */
  keys: count.exactOptional(),
  rdb: z.int().positive().max(MOST_COUNT),
  engine: z.strictObject({ family: z.enum(ENGINE_FAMILIES), version: word }),
  role: z.enum(["primary", "replica"]),
  replicationId: word,
  offset: z.int().nonnegative(),
  /** When its data were cut, as exactly as the process that took them can tell. */
  at: instant,
});

const MOST_READERS = 64;

/** How the files are encrypted, and that nobody without the key has changed the manifest since. */
const ENCRYPTION = z.strictObject({
  form: z.literal("AES-256-GCM"),
  /** The key, as its Secret called it then. */
  keyName: z.string().regex(BACKUP_KEY_NAME),
  /** Tells it from all others, whatever they are called. */
  keyId: z.string().regex(/^[0-9a-f]{32}$/),
  /** Of all that the manifest says otherwise. */
  seal: z.string().regex(/^[0-9a-f]{64}$/),
});

const MANIFEST = z.strictObject({
  format: z.literal(MANIFEST_FORMAT),
  name: word,
  database: z.strictObject({
    cluster: word,
    namespace: word,
    uid: z.int().positive(),
    name: line,
    createdTime: instant,
    storeVersion: word,
  }),
  began: instant,
  ended: instant,
  /** `apart`: each file has its own time. */
  cut: z.enum(["apart"]),
  /** The engines that can read every file. */
  readableFrom: z.array(z.strictObject({ family: z.enum(["redis", "valkey"]), version: word })).max(MOST_READERS),
  /** Absent: the files are as stock engines read them. */
  encryption: ENCRYPTION.exactOptional(),
  files: z.array(BACKUP_FILE).min(1).max(SLOTS),
});

/** The file of one shard. */
export type BackupFile = z.output<typeof BACKUP_FILE>;
/** What a backup is: it exists when its manifest does. */
export type BackupManifest = z.output<typeof MANIFEST>;

/** How the files of a backup are encrypted. */
export type BackupEncryption = NonNullable<BackupManifest["encryption"]>;

/** What is sealed of a manifest: all of it but the seal, in one form. */
export function sealedText({ encryption, ...all }: BackupManifest): string {
  const { seal: _, ...of } = encryption ?? { seal: "" };
  return canonical({ ...all, encryption: of });
}

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
  if (!parsed.success) return { refusal: firstIssue(parsed.error) };
  const strange = strangeIn(parsed.data.files);
  return strange === undefined ? parsed.data : { refusal: `files: ${strange}` };
}

/** What it says may be as long as the manifest itself. */
function firstIssue({ issues: [issue] }: z.ZodError): string {
  const said = `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not acceptable"}`;
  return visibleLine(said.slice(0, LONGEST_REFUSAL));
}

/** Each has its place, its shard and its slots for itself, and together they have all slots; undefined when that is so. */
function strangeIn(files: readonly BackupFile[]): string | undefined {
  const twice = (what: string, all: readonly (string | number)[]): string | undefined =>
    new Set(all).size === all.length ? undefined : `two have the same ${what}`;
  const shards = (): string | undefined => {
    const named = namedShards(files.map(({ slots }) => slotsText(slots)));
    return "why" in named ? named.why.slice(0, LONGEST_REFUSAL) : undefined;
  };
  return (
    twice(
      "shard",
      files.map(({ shard }) => shard),
    ) ??
    twice(
      "object",
      files.map(({ file }) => file),
    ) ??
    shards()
  );
}

const LONGEST_REFUSAL = 200;

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
