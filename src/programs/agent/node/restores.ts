import type { Clock } from "#kit/base/clock";
import { Fault, messageOf } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import type { BackupFile, BackupManifest } from "../../../core/backup/manifest.ts";
import { reserveOf } from "../../../core/planner/node/full-volume.ts";
import type { InstanceSupervisor } from "../../../mechanisms/supervisor/instances.ts";
import { draftedBytes, draftRestored, type RestoredData } from "../../../mechanisms/supervisor/restored-data.ts";
import type {
  BackupFailure,
  BackupReply,
  FetchCommand,
  ReadCommand,
  RemoveCommand,
} from "../../../ports/management/backup-control.ts";
import { faults } from "../faults.ts";
import { runChildOnce } from "./kept-child.ts";
import type { StoreQuestions } from "./store-questions.ts";
import { roomOn } from "./volume-guard.ts";

export interface NodeRestoresOptions {
  /** Arguments for this Node.js: the program that fetches files of backups. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Folder of the node's data. */
  readonly data: string;
  /** The mode of files that the agent writes for an engine. */
  readonly mode: number;
  readonly supervisor: Pick<InstanceSupervisor, "placeRestored">;
  readonly questions: StoreQuestions;
  readonly clock: Clock;
  readonly log: Log;
}

/** A file of a backup that an engine of this node is to start from. */
export interface WantedRestore extends Omit<FetchCommand, "op" | "path" | "mode">, Omit<RestoredData, "provide"> {
  /** Tells this restore from others. */
  readonly attempt: string;
}

/** How far it is. */
export type RestoredFile =
  { readonly state: "running" | "ready" } | { readonly state: "failed"; readonly failure: BackupFailure };

/** The files of backups that this node puts where engines of it start from. Nothing of it outlives the agent but what is ready. */
export class NodeRestores {
  readonly #options: NodeRestoresOptions;
  /** By instance: the last one. */
  readonly #files = new Map<string, OneFile>();

  constructor(options: NodeRestoresOptions) {
    this.#options = options;
  }

  /** Begins it, unless this attempt has begun; how far it is. */
  follow(wanted: WantedRestore): RestoredFile {
    const key = `${wanted.bdb}/${wanted.instance}`;
    const before = this.#files.get(key);
    if (before?.attempt === wanted.attempt) return before.state;
    const begun = new OneFile(wanted, this.#options, before?.ended ?? Promise.resolve());
    this.#files.set(key, begun);
    return begun.state;
  }

  /** What is there of the file that comes now, in bytes. */
  bytes(bdb: number, instance: number): Promise<number> {
    return draftedBytes(this.#options.data, bdb, instance);
  }

  /** What a backup is; rejects with the reason when it cannot be read. */
  async read(command: Omit<ReadCommand, "op">): Promise<BackupManifest> {
    const { questions } = this.#options;
    const reply = await questions.ask(() => askChild(this.#options, { op: "read", ...command }));
    if (reply.manifest !== undefined) return reply.manifest;
    throw new Fault(faults.backupGone, "its process has not said what the backup is");
  }
}

class OneFile {
  readonly attempt: string;
  readonly ended: Promise<void>;
  state: RestoredFile = { state: "running" };

  constructor(wanted: WantedRestore, options: NodeRestoresOptions, before: Promise<void>) {
    this.attempt = wanted.attempt;
    this.ended = before.then(() => this.#run(wanted, options));
  }

  async #run(wanted: WantedRestore, options: NodeRestoresOptions): Promise<void> {
    const log = options.log.with({ bdb: wanted.bdb, instance: wanted.instance, backup: wanted.name });
    try {
      await putData(wanted, { ...options, log });
      this.state = { state: "ready" };
      log.info("data of a backup are there for an engine", { file: wanted.file.file });
    } catch (error) {
      const { code, remedy, retry } = error instanceof Fault ? error : faults.backupGone;
      this.state = { state: "failed", failure: { code, message: messageOf(error), remedy, retry } };
      log.warn("data of a backup cannot be put there for an engine", { error });
    }
  }
}

async function putData(wanted: WantedRestore, options: NodeRestoresOptions): Promise<void> {
  const { data, mode, supervisor } = options;
  const { bdb, instance, attempt: _, database, launch, hasAppendOnlyFile, ...command } = wanted;
  await requireRoom(data, wanted.file);
  const provide = async (path: string, fileMode: number): Promise<void> => {
    await askChild(options, { op: "fetch", ...command, path, mode: fileMode });
  };
  const draft = await draftRestored(data, { bdb, instance, database, launch, hasAppendOnlyFile, provide }, mode);
  await supervisor.placeRestored(bdb, instance, draft);
}

async function requireRoom(data: string, { bytes, shard }: BackupFile): Promise<void> {
  const { total, free } = await roomOn(data);
  const left = Math.max(0, Math.floor(free - reserveOf(total)));
  if (left < bytes)
    throw new Fault(
      faults.backupNoRoom,
      `The file of shard ${shard} has ${bytes} bytes, and the volume has room for ${left}.`,
    );
}

/** One command of a process of its own, as that of a backup or a restore; rejects with what has failed. */
export async function askChild(
  options: Pick<NodeRestoresOptions, "args" | "env" | "clock" | "log">,
  command: FetchCommand | ReadCommand | RemoveCommand,
): Promise<Extract<BackupReply, { readonly ok: true }>> {
  const ready = Promise.withResolvers<undefined>();
  const child = runChildOnce<typeof command, BackupReply>({
    ...options,
    what: "restore",
    gone: faults.backupGone,
    onReady: () => {
      ready.resolve(undefined);
    },
  });
  try {
    await Promise.race([ready.promise, child.ended]);
    const reply = await child.send(command);
    if (reply.ok) return reply;
    throw new Fault(reply, reply.message);
  } finally {
    await child.stop();
  }
}
