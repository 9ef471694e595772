import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { DatabaseRecord } from "../../../core/api/records.ts";
import type { KeptRecord } from "../../../core/planner/node/missing-record.ts";
import { toStored } from "../../../core/records/stored-database.ts";
import { messageOf } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import { makeFolder, replaceFile, syncFolder } from "#kit/files/replace-file";
import { readSharedFile } from "#kit/files/shared-file";
import { keepRecords, type KeepRecordsContext, type RecordsNow } from "./keep-records.ts";
import { namesIn } from "../../../mechanisms/supervisor/instance-files.ts";

/** The last record of each database of the cluster, kept on the volume of this node for the case that it vanishes. */
export interface KeptRecords {
  /** Notes a record as the API server has it; what has vanished stays as it was noted last. */
  note(record: DatabaseRecord | undefined, version: string | undefined): void;
  /** Writes what was noted; ends what was deleted, and what has been missing for too long. Idempotent. */
  keep(records: RecordsNow): Promise<void>;
  /** Keeps the records of the cluster, until `signal` aborts. */
  watch(context: KeepRecordsContext, signal: AbortSignal): Promise<void>;
  /** What is kept of records that are missing. */
  missing(): readonly KeptRecord[];
  /** The record that is kept, as text; undefined when there is none. */
  textOf(bdb: number): string | undefined;
}

/** Reads what this node has kept before. A file that is not usable counts as absent, and is said in the log. */
export async function openKeptRecords(dataDir: string, log: Log): Promise<KeptRecords> {
  const folder = join(dataDir, "records");
  await makeFolder(folder);
  const kept = new Map<number, Kept>();
  for (const name of (await namesIn(folder)).filter((one) => NAME.test(one))) {
    try {
      const text = await readSharedFile(join(folder, name), MOST_BYTES);
      if (text !== undefined) kept.set(Number(NAME.exec(name)?.[1]), KEPT.parse(JSON.parse(text)));
    } catch (error) {
      log.warn("a kept record is not usable", { name, error: messageOf(error) });
    }
  }
  return new KeptFiles(folder, kept);
}

const NAME = /^db-(\d+)$/;
/** A record has up to a mebibyte, and quotes in it are escaped. */
const MOST_BYTES = 4 * 1024 * 1024;

const KEPT = z.object({
  name: z.string(),
  created: z.string(),
  version: z.string().regex(/^\d{1,20}$/),
  since: z.iso.datetime().optional(),
  record: z.string(),
});

type Kept = Readonly<z.infer<typeof KEPT>>;

class KeptFiles implements KeptRecords {
  readonly #folder: string;
  readonly #kept: Map<number, Kept>;
  /** What was noted and is not written yet. */
  readonly #noted = new Map<number, { readonly record: DatabaseRecord; readonly version: string }>();

  constructor(folder: string, kept: Map<number, Kept>) {
    this.#folder = folder;
    this.#kept = kept;
  }

  note(record: DatabaseRecord | undefined, version = "0"): void {
    if (record !== undefined) this.#noted.set(record.uid, { record, version });
  }

  async keep(records: RecordsNow): Promise<void> {
    for (const [bdb, noted] of this.#noted) {
      await this.#write(bdb, noted);
      // a later one may have been noted meanwhile
      if (this.#noted.get(bdb) === noted) this.#noted.delete(bdb);
    }
    const present = new Set(records.databases.map(({ uid }) => uid));
    for (const [bdb, kept] of this.#kept) if (!present.has(bdb)) await this.#miss(bdb, kept, records);
  }

  watch(context: KeepRecordsContext, signal: AbortSignal): Promise<void> {
    return keepRecords(this, context, signal);
  }

  missing(): readonly KeptRecord[] {
    return [...this.#kept].flatMap(([bdb, { name, created, version, since, record }]) =>
      since === undefined ? [] : [{ bdb, name, created, version, digest: digestOf(record), since }],
    );
  }

  textOf(bdb: number): string | undefined {
    return this.#kept.get(bdb)?.record;
  }

  async #write(bdb: number, noted: { readonly record: DatabaseRecord; readonly version: string }): Promise<void> {
    const { record, version } = noted;
    if (record.status === "delete-pending") return this.#end(bdb);
    const text = JSON.stringify(toStored(record));
    const before = this.#kept.get(bdb);
    if (before?.record === text && before.version === version && before.since === undefined) return;
    await this.#store(bdb, {
      name: record.name,
      created: record.createdTime,
      version: /^\d{1,20}$/.test(version) ? version : "0",
      record: text,
    });
  }

  async #miss(bdb: number, kept: Kept, records: RecordsNow): Promise<void> {
    if (!records.isReadable(bdb) || this.#noted.has(bdb)) return;
    const wasDeleted = records.deleted.some(({ uid, createdTime }) => uid === bdb && createdTime === kept.created);
    const isOver = kept.since !== undefined && records.now.getTime() - Date.parse(kept.since) > records.retentionMs;
    if (wasDeleted || isOver) await this.#end(bdb);
    else if (kept.since === undefined) await this.#store(bdb, { ...kept, since: records.now.toISOString() });
  }

  async #store(bdb: number, kept: Kept): Promise<void> {
    await replaceFile(join(this.#folder, `db-${bdb}`), JSON.stringify(kept));
    this.#kept.set(bdb, kept);
  }

  async #end(bdb: number): Promise<void> {
    if (!this.#kept.has(bdb)) return;
    await rm(join(this.#folder, `db-${bdb}`), { force: true });
    await syncFolder(this.#folder);
    this.#kept.delete(bdb);
  }
}

/** What tells one kept record from another. */
export function digestOf(record: string): string {
  return createHash("sha256").update(record).digest("hex");
}
