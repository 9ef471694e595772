import { randomBytes } from "node:crypto";
import type { Clock } from "#kit/base/clock";
import { Fault, messageOf } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import { assertNever } from "#kit/base/assert-never";
import { awaitInsteadOfLost, type LostDataContext } from "./lost-data.ts";
import type { DatabaseRecord, ShardRecord } from "../../../../core/api/records.ts";
import type { BackupFile } from "../../../../core/backup/manifest.ts";
import { filesFor } from "../../../../core/backup/restore.ts";
import { awaitsData } from "../../../../core/planner/database/recovery.ts";
import { primaryOf } from "../../../../core/planner/database/facts.ts";
import { withRestored } from "../../../../core/records/recovery-changes.ts";
import { shareOf, slotsOf } from "../../../../core/slots/shard-slots.ts";
import { engineFor, type FoundEngine } from "../../../../mechanisms/supervisor/engines.ts";
import type { FileRestore, RestoreRecord, RestoreStart } from "../../../../ports/management/records/backups.ts";
import type { ReplyOf } from "../../../../ports/management/routes.ts";
import type { LeaderElection } from "../../members/leader-election.ts";
import type { Peers } from "../../members/peers.ts";
import type { NodeRestores, RestoredFile } from "../../node/restores.ts";
import type { Records } from "../../records/records.ts";
import { faults } from "../../faults.ts";
import { refusals, refuse } from "../http/refusals.ts";
import { accessIn, backupKeysOf } from "./object-store-access.ts";
import { changeRecord } from "./record-changes.ts";

/** What restoring databases works on. */
export interface DataRestoreContext extends LostDataContext {
  readonly records: Pick<Records, "database" | "changeDatabase">;
  readonly election: Pick<LeaderElection, "isLeader">;
  readonly peers: Pick<Peers, "forward" | "localInstances">;
  readonly backups: { readonly restores: Pick<NodeRestores, "follow" | "read" | "bytes"> };
  readonly foundEngines: readonly FoundEngine[];
  readonly clock: Clock;
  readonly log: Log;
}

type WantedBackup = Omit<RestoreStart, "replaces_lost_data">;

/** The restores that a leader leads, one for each database. What nodes have put there counts only when all shards have it. */
export class DatabaseRestores {
  readonly #context: DataRestoreContext;
  /** By database: the last one. */
  readonly #runs = new Map<number, RestoreRecord>();
  /** Where the backup of that one lies. */
  readonly #places = new Map<number, Pick<RestoreStart, "folder" | "name">>();
  /** Of the one that runs: what each shard has, in bytes. */
  readonly #bytes = new Map<number, Map<number, number>>();

  constructor(context: DataRestoreContext) {
    this.#context = context;
  }

  /** Begins it; one that runs goes on. Refused for a database that neither waits for its data, nor is to take them instead of what it has lost. */
  async begin(
    seen: DatabaseRecord,
    { replaces_lost_data: replacesLost = false, ...start }: RestoreStart,
  ): Promise<RestoreRecord> {
    const { uid, name } = seen;
    const before = this.#runs.get(uid);
    if (before?.status === "running") return before;
    const record = replacesLost ? await awaitInsteadOfLost(this.#context, seen) : seen;
    if (!record.shards.some(awaitsData))
      throw refuse(
        refusals.notInRecovery,
        `"${name}" does not wait for its data; make one with awaits_data, or send replaces_lost_data for one whose data is gone`,
      );
    this.#forgetGone();
    const began = this.#now();
    const running: RestoreRecord = { name: start.name, bdb_uid: String(uid), status: "running", began };
    this.#runs.set(uid, running);
    this.#places.set(uid, { folder: start.folder, name: start.name });
    this.#bytes.set(uid, new Map());
    void this.#run(record, start, running);
    return running;
  }

  /** The last one of a database; AGENT_NO_SUCH_BACKUP when this leader has begun none. */
  of({ uid, name }: DatabaseRecord): RestoreRecord {
    const found = this.#runs.get(uid);
    if (found !== undefined) return { ...found, bytes: sumOf(this.#bytes.get(uid)) };
    throw refuse(refusals.noSuchBackup, `this leader has begun no restore of "${name}"`);
  }

  /** The database that is restored from that backup now; undefined: none is. */
  readerOf({ folder, name }: Pick<RestoreStart, "folder" | "name">): number | undefined {
    return [...this.#places].find(([bdb, place]) => {
      return this.#runs.get(bdb)?.status === "running" && place.folder === folder && place.name === name;
    })?.[0];
  }

  #forgetGone(): void {
    for (const bdb of this.#runs.keys()) {
      if (this.#context.records.database(bdb) !== undefined) continue;
      this.#runs.delete(bdb);
      this.#places.delete(bdb);
      this.#bytes.delete(bdb);
    }
  }

  async #run(record: DatabaseRecord, start: WantedBackup, running: RestoreRecord): Promise<void> {
    const { uid } = record;
    const log = this.#context.log.with({ bdb: uid, backup: start.name });
    try {
      log.info("a restore begins");
      const files = await this.#filesOf(record, start);
      const attempt = randomBytes(8).toString("hex");
      await Promise.all(
        record.shards
          .filter(awaitsData)
          .map((shard) => this.#put(record, shard, { ...start, attempt, file: files(shard) })),
      );
      await changeRecord(this.#context.records, uid, (stored) => {
        if (isSame(stored, record)) return withRestored(stored);
        throw new Fault(faults.backupGone, `a primary of "${record.name}" has moved meanwhile`);
      });
      log.info("a restore has ended");
      this.#runs.set(uid, { ...running, status: "completed", ended: this.#now() });
    } catch (error) {
      log.warn("a restore has failed, and the database waits as before", { error });
      const { code, remedy, retry } = error instanceof Fault ? error : faults.backupGone;
      const failure = { error_code: code, description: messageOf(error), remedy, retry };
      this.#runs.set(uid, { ...running, status: "failed", ended: this.#now(), failure });
    }
  }

  async #filesOf(
    record: DatabaseRecord,
    { name, folder, s3, ...asked }: WantedBackup,
  ): Promise<(shard: ShardRecord) => BackupFile> {
    const manifest = await this.#context.backups.restores.read({
      name,
      folder,
      store: accessIn(s3),
      ...backupKeysOf(asked),
    });
    const engine = engineFor(record, this.#context.foundEngines);
    const shards = record.shards.map((shard) => ({
      id: shard.id,
      slots: slotsOf(shard),
      memory: shareOf(record.memoryBytes, shard),
    }));
    const files = filesFor(manifest, shards, engine);
    if ("refusal" in files) throw new Fault(faults.backupUnfit, `The backup ${name} does not fit: ${files.refusal}.`);
    return ({ id }) => {
      const file = files.get(id);
      if (file === undefined) throw new Fault(faults.backupUnfit, `The backup ${name} has no file for shard ${id}.`);
      return file;
    };
  }

  /** Until the node of the primary has the file. */
  async #put(record: DatabaseRecord, shard: ShardRecord, wanted: Omit<FileRestore, "bdb" | "instance">): Promise<void> {
    const { clock, election } = this.#context;
    const { id: instance, node } = primaryOf(shard);
    const body: FileRestore = { ...wanted, bdb: record.uid, instance };
    for (;;) {
      if (!election.isLeader()) throw new Fault(faults.backupGone, "another node leads");
      const { status, failure, bytes = 0 } = await this.#ask(node, body);
      this.#bytes.get(record.uid)?.set(shard.id, bytes);
      if (status === "ready") return;
      if (failure !== undefined)
        throw new Fault({ ...failure, code: failure.error_code }, `Node ${node}: ${failure.description}`);
      await clock.sleep(LOOK_MS);
    }
  }

  #ask(node: number, body: FileRestore): Promise<ReplyOf<"localRestore">> {
    if (node === this.#context.config.node) return restoreHere(this.#context, body);
    return this.#context.peers.forward(node, "localRestore", { body }, undefined);
  }

  #now(): string {
    return this.#context.clock.now().toISOString();
  }
}

/** Puts a file where an engine of this node starts from, and says how far that is; refused when no record asks for it. */
export async function restoreHere(
  { config, records, backups }: Pick<DataRestoreContext, "config" | "records" | "backups">,
  { bdb, instance, attempt, file, folder, name, s3, bytes_per_second: rate, ...asked }: FileRestore,
): Promise<ReplyOf<"localRestore">> {
  const record = records.database(bdb);
  const shard = record?.shards.find((one) => one.primary === instance && primaryOf(one).node === config.node);
  if (record === undefined || shard === undefined || !awaitsData(shard))
    throw refuse(
      refusals.notInRecovery,
      `node ${config.node} has no instance ${instance} of database ${bdb} that waits for data`,
    );
  const { createdTime: created, name: database, persistence } = record;
  const hasAppendOnlyFile = persistence === "aofAlways" || persistence === "aofEverySecond";
  const state = backups.restores.follow({
    bdb,
    instance,
    attempt,
    file,
    folder,
    name,
    hasAppendOnlyFile,
    launch: primaryOf(shard).launch,
    database: { created, name: database },
    store: accessIn(s3),
    ...backupKeysOf(asked),
    ...(rate === undefined ? {} : { bytesPerSecond: rate }),
  });
  return {
    ...viewOf(state),
    bytes: state.state === "ready" ? file.bytes : await backups.restores.bytes(bdb, instance),
  };
}

function viewOf(file: RestoredFile): ReplyOf<"localRestore"> {
  switch (file.state) {
    case "running":
    case "ready":
      return { status: file.state };
    case "failed": {
      const { code, message, remedy, retry } = file.failure;
      return { status: "failed", failure: { error_code: code, description: message, remedy, retry } };
    }
    default:
      return assertNever(file);
  }
}

function sumOf(bytes: ReadonlyMap<number, number> = new Map()): number {
  return [...bytes.values()].reduce((sum, one) => sum + one, 0);
}

/** It is the database that was asked about, with the same primaries. */
function isSame(stored: DatabaseRecord, asked: DatabaseRecord): boolean {
  const primaries = ({ shards }: DatabaseRecord): string => shards.map(({ id, primary }) => `${id}:${primary}`).join();
  return stored.createdTime === asked.createdTime && primaries(stored) === primaries(asked);
}

const LOOK_MS = 500;
