import { randomBytes } from "node:crypto";
import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import { Fault } from "#kit/base/fault";
import type { BackupFile, BackupManifest } from "../../../core/backup/manifest.ts";
import type {
  BackupCommand,
  BackupProgress,
  BackupProgressMessage,
  BackupReply,
  FetchCommand,
  RemoveCommand,
} from "../../../ports/management/backup-control.ts";
import { faults } from "../faults.ts";
import { proveBackup, type BackupProof, type ProofTools, type ProofMeans } from "./backup-proof.ts";
import { askChild, NodeRestores, type NodeRestoresOptions } from "./restores.ts";
import { runChildOnce, type ChildRunningOnce } from "./kept-child.ts";
import { StoreQuestions } from "./store-questions.ts";

export interface NodeBackupsOptions {
  /** Arguments for this Node.js: the program that takes a backup. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly proofs: Omit<ProofTools, "clock" | "log">;
  readonly supervisor: NodeRestoresOptions["supervisor"];
  readonly clock: Clock;
  readonly log: Log;
}

/** What a backup is begun with; its attempt gets a name of its own. */
export interface WantedBackup extends Omit<BackupCommand, "op" | "attempt"> {
  /** With what it is proved once it is complete; undefined: it is not. */
  readonly proof: ProofMeans | undefined;
}

/** A backup of a database that this node has begun. */
export interface NodeBackup {
  readonly name: string;
  /** ISO instant. */
  readonly began: string;
  readonly progress: BackupProgress;
  /** Undefined before it is complete, and where it is not wanted. */
  readonly proof: BackupProof | undefined;
}

/** The backups that this node takes and proves, one process for each and one at a time: what clients need comes first. Nothing of them outlives the agent. */
export class NodeBackups {
  /** The files of backups that engines of this node are to start from. */
  readonly restores: NodeRestores;
  readonly #options: NodeBackupsOptions;
  /** The last ones of each database, the newest one last. */
  #backups: readonly OneBackup[] = [];
  readonly #questions = new StoreQuestions();
  /** Those that are being removed. */
  readonly #removals = new Set<BackupIdentity>();

  constructor(options: NodeBackupsOptions) {
    this.#options = options;
    const { data, runner } = options.proofs;
    this.restores = new NodeRestores({ ...options, data, mode: runner.fileMode, questions: this.#questions });
  }

  /** Begins it, unless it runs; does nothing while another one does. `isKnown`: databases whose backups are not forgotten. */
  begin(wanted: WantedBackup, isKnown: (bdb: number) => boolean): NodeBackup | { readonly busyWith: string } {
    const running = this.#backups.find(({ isOver }) => !isOver);
    if (running !== undefined) {
      if (running.isOf(wanted)) return running.shown;
      return { busyWith: `backup ${running.shown.name} of database ${running.bdb} has not ended` };
    }
    if ([...this.#removals].some((removal) => isSameBackup(removal, wanted)))
      return { busyWith: `backup ${wanted.name} of database ${wanted.database.uid} is being removed` };
    const begun = new OneBackup(wanted, this.#options);
    const others = this.#backups.filter((other) => isKnown(other.bdb) && !other.isOf(wanted));
    const older = others.filter(({ bdb }) => bdb === begun.bdb).slice(0, 1 - MOST_KEPT);
    this.#backups = [...others.filter((other) => !older.includes(other)), begun];
    return begun.shown;
  }

  /** The last ones of a database that this agent has begun, the newest one last. */
  of(bdb: number): readonly NodeBackup[] {
    return this.#backups.filter((backup) => backup.bdb === bdb).map(({ shown }) => shown);
  }

  /** Removes one from its object store, and says how many files have gone; nothing while it is taken or proved here. Rejects with the reason. */
  async remove(removal: Omit<RemoveCommand, "op">): Promise<number | { readonly busyWith: string }> {
    const running = this.#backups.find((backup) => !backup.isOver && backup.isOf(removal));
    if (running !== undefined)
      return { busyWith: `backup ${running.shown.name} of database ${running.bdb} has not ended` };
    this.#removals.add(removal);
    try {
      const { removedFiles } = await this.#questions.ask(() => askChild(this.#options, { op: "remove", ...removal }));
      if (removedFiles !== undefined) return removedFiles;
    } finally {
      this.#removals.delete(removal);
    }
    throw new Fault(faults.backupGone, "its process has not said what has gone");
  }

  /** Ends all. */
  async stop(): Promise<void> {
    await Promise.all(this.#backups.map((backup) => backup.stop()));
  }
}

/** What tells one backup from another. */
type BackupIdentity = Pick<WantedBackup, "name" | "folder" | "database">;

function isSameBackup(one: BackupIdentity, other: BackupIdentity): boolean {
  return one.database.uid === other.database.uid && one.name === other.name && one.folder === other.folder;
}

/** A backup with its process, which ends with it. */
class OneBackup {
  readonly bdb: number;
  readonly #wanted: Pick<WantedBackup, "name" | "folder" | "database" | "store" | "keys" | "bytesPerSecond" | "proof">;
  readonly #options: NodeBackupsOptions;
  readonly #began: string;
  readonly #child: ChildRunningOnce<BackupCommand | FetchCommand, BackupReply>;
  readonly #ending = new AbortController();
  #proof: BackupProof | undefined;
  #proving: Promise<void> = Promise.resolve();
  #progress: BackupProgress = { state: "running", shards: [] };

  constructor(wanted: WantedBackup, options: NodeBackupsOptions) {
    const { proof: _, ...asked } = wanted;
    const { name, database } = wanted;
    this.bdb = database.uid;
    this.#wanted = wanted;
    this.#options = options;
    this.#began = options.clock.now().toISOString();
    const command: BackupCommand = { op: "begin", attempt: randomBytes(8).toString("hex"), ...asked };
    const log = options.log.with({ bdb: this.bdb, backup: name, attempt: command.attempt });
    const child = runChildOnce<BackupCommand | FetchCommand, BackupReply>({
      ...options,
      log,
      what: "backup",
      gone: faults.backupGone,
      onReady: () => {
        log.info("a backup begins");
        child.send(command).catch((error: unknown) => {
          log.warn("a backup did not begin", { error });
        });
      },
      onMessage: (message) => {
        if (isProgress(message)) this.#take(message.progress, log);
      },
    });
    this.#child = child;
    void child.ended.then(() => {
      this.#take({ state: "failed", ...faults.backupGone, message: "its process has ended before it was done" }, log);
    });
  }

  get shown(): NodeBackup {
    return { name: this.#wanted.name, began: this.#began, progress: this.#progress, proof: this.#proof };
  }

  /** Nothing of it goes on. */
  get isOver(): boolean {
    return this.#progress.state !== "running" && this.#proof?.state !== "running";
  }

  isOf(other: BackupIdentity): boolean {
    return isSameBackup(this.#wanted, other);
  }

  async stop(): Promise<void> {
    this.#ending.abort(new Fault(faults.backupGone, "the agent ends"));
    await this.#child.stop();
    await this.#proving;
  }

  /** What has ended stays as it ended. */
  #take(progress: BackupProgress, log: Log): void {
    if (this.#progress.state !== "running") return;
    this.#progress = progress;
    if (progress.state === "running") return;
    log.info("a backup has ended", { state: progress.state });
    const { proof: means } = this.#wanted;
    if (progress.state === "done" && means !== undefined) this.#proving = this.#prove(progress.manifest, means, log);
    else void this.#child.stop();
  }

  async #prove(manifest: BackupManifest, means: ProofMeans, log: Log): Promise<void> {
    const { proofs, clock } = this.#options;
    await proveBackup(
      { ...proofs, clock, log },
      {
        manifest,
        means,
        fetch: (file, path, mode) => this.#fetch(file, path, mode),
        say: (proof) => {
          this.#proof = proof;
        },
        signal: this.#ending.signal,
      },
    );
    const failure = this.#proof?.state === "failed" ? this.#proof.failure : undefined;
    log.info("a backup was tried", { state: this.#proof?.state, failure });
    await this.#child.stop();
  }

  async #fetch(file: BackupFile, path: string, mode: number): Promise<void> {
    const { name, folder, store, keys, bytesPerSecond } = this.#wanted;
    const more = {
      ...(keys === undefined ? {} : { keys }),
      ...(bytesPerSecond === undefined ? {} : { bytesPerSecond }),
    };
    const reply = await this.#child.send({ op: "fetch", name, folder, store, file, path, mode, ...more });
    if (!reply.ok) throw new Fault(reply, reply.message);
  }
}

/** So many of a database are remembered: whoever has begun one asks how it stands each few seconds. */
const MOST_KEPT = 16;

function isProgress(message: unknown): message is BackupProgressMessage {
  return typeof message === "object" && message !== null && "progress" in message;
}
