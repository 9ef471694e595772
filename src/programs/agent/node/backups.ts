import { randomBytes } from "node:crypto";
import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import type {
  BackupCommand,
  BackupProgress,
  BackupProgressMessage,
  BackupReply,
} from "../../../ports/management/backup-control.ts";
import { faults } from "../faults.ts";
import { runChildOnce, type ChildRunningOnce } from "./kept-child.ts";

export interface NodeBackupsOptions {
  /** Arguments for this Node.js: the program that takes a backup. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly log: Log;
}

/** What a backup is begun with; its attempt gets a name of its own. */
export type WantedBackup = Omit<BackupCommand, "op" | "attempt">;

/** The last backup of a database that this node has begun. */
export interface NodeBackup {
  readonly name: string;
  /** ISO instant. */
  readonly began: string;
  readonly progress: BackupProgress;
}

/** The backups that this node takes, one process for each and one at a time: what clients need comes first. Nothing of them outlives the agent. */
export class NodeBackups {
  readonly #options: NodeBackupsOptions;
  /** By database: the last one. */
  readonly #backups = new Map<number, OneBackup>();

  constructor(options: NodeBackupsOptions) {
    this.#options = options;
  }

  /** Begins it, unless it runs; does nothing while another one does. `isKnown`: databases whose backups are not forgotten. */
  begin(wanted: WantedBackup, isKnown: (bdb: number) => boolean): NodeBackup | { readonly busyWith: string } {
    const { uid: bdb } = wanted.database;
    for (const other of this.#backups.keys()) if (!isKnown(other)) this.#backups.delete(other);
    const running = [...this.#backups.values()].find(({ shown }) => shown.progress.state === "running");
    if (running !== undefined) {
      if (running.isOf(wanted)) return running.shown;
      return { busyWith: `backup ${running.shown.name} of database ${running.bdb} has not ended` };
    }
    const begun = new OneBackup(wanted, this.#options);
    this.#backups.set(bdb, begun);
    return begun.shown;
  }

  /** The last one of a database; undefined when this agent has begun none. */
  of(bdb: number): NodeBackup | undefined {
    return this.#backups.get(bdb)?.shown;
  }

  /** Ends all. */
  async stop(): Promise<void> {
    await Promise.all([...this.#backups.values()].map((backup) => backup.stop()));
  }
}

/** A backup with its process, which ends with it. */
class OneBackup {
  readonly bdb: number;
  readonly #wanted: Pick<WantedBackup, "name" | "folder">;
  readonly #began: string;
  readonly #child: ChildRunningOnce<BackupCommand, BackupReply>;
  #progress: BackupProgress = { state: "running", shards: [] };

  constructor(wanted: WantedBackup, options: NodeBackupsOptions) {
    const { name, folder, database } = wanted;
    this.bdb = database.uid;
    this.#wanted = { name, folder };
    this.#began = options.clock.now().toISOString();
    const command: BackupCommand = { op: "begin", attempt: randomBytes(8).toString("hex"), ...wanted };
    const log = options.log.with({ bdb: this.bdb, backup: name, attempt: command.attempt });
    const child = runChildOnce<BackupCommand, BackupReply>({
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
    return { name: this.#wanted.name, began: this.#began, progress: this.#progress };
  }

  isOf({ name, folder, database }: WantedBackup): boolean {
    return this.bdb === database.uid && this.#wanted.name === name && this.#wanted.folder === folder;
  }

  async stop(): Promise<void> {
    await this.#child.stop();
  }

  /** What has ended stays as it ended. */
  #take(progress: BackupProgress, log: Log): void {
    if (this.#progress.state !== "running") return;
    this.#progress = progress;
    if (progress.state === "running") return;
    log.info("a backup has ended", { state: progress.state });
    void this.stop();
  }
}

function isProgress(message: unknown): message is BackupProgressMessage {
  return typeof message === "object" && message !== null && "progress" in message;
}
