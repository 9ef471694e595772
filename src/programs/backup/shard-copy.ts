import { createHash } from "node:crypto";
import type { Clock } from "#kit/base/clock";
import { Fault, messageOf } from "#kit/base/fault";
import type { BackupKey } from "../../core/api/backup-keys.ts";
import type { BackupFile } from "../../core/backup/manifest.ts";
import type { BackupShardProgress, BackupSource } from "../../ports/management/backup-control.ts";
import { dialSocket } from "../../ports/resp/dial.ts";
import { connectEngine, type EngineAddress, type EngineClient } from "../../ports/resp/engine-client.ts";
import { parseInfo, replicationView, reportedEngine, type Info, type ReplicationView } from "../../ports/resp/info.ts";
import { attachWhole, type AttachedWhole } from "../../ports/resp/replica-handshake.ts";
import { textOf } from "../../ports/resp/reply.ts";
import { snapshotPieces } from "../../ports/resp/snapshot.ts";
import { SocketReader } from "../../ports/resp/socket-reader.ts";
import type { ByteRate } from "./byte-rate.ts";
import { CountedKeys } from "./counted-keys.ts";
import { encryptPieces } from "./encrypted-file.ts";
import { faults } from "./faults.ts";

/** What the copy of a shard works with. */
export interface ShardCopyOptions {
  readonly source: BackupSource;
  readonly address: EngineAddress;
  /** Name of the file in the manifest. */
  readonly file: string;
  /** By which it is encrypted; undefined: it is not. */
  readonly key: BackupKey | undefined;
  readonly rate: ByteRate | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Sends the data on, and resolves when they have arrived. */
type Write = (content: AsyncIterable<Uint8Array>) => Promise<void>;

/** Takes the data of one engine as a replica without data gets them, and passes them on as they come. */
export class ShardCopy {
  readonly #options: ShardCopyOptions;
  readonly #counted = new CountedKeys();
  readonly #digest = createHash("sha256");
  #state: BackupShardProgress["state"] = "awaited";
  #bytes = 0;
  #memory = 0;

  constructor(options: ShardCopyOptions) {
    this.#options = options;
  }

  get progress(): BackupShardProgress {
    return {
      shard: this.#options.source.shard,
      state: this.#state,
      bytes: this.#bytes,
      keys: this.#counted.keys,
    };
  }

  /** Name of its file in the manifest. */
  get file(): string {
    return this.#options.file;
  }

  /** About how many bytes there are to copy: what the data take in memory. */
  async size(): Promise<number> {
    const control = await this.#connect();
    try {
      this.#memory = Number((await infoOf(control, "memory")).get("used_memory") ?? 0);
      return this.#memory;
    } finally {
      control.close();
    }
  }

  /** Copies all; BACKUP_SOURCE_GONE, BACKUP_SOURCE_CHANGED and BACKUP_NOT_WHOLE say what went wrong with the engine. */
  async run(write: Write): Promise<BackupFile> {
    const engine = await this.#chosenEngine();
    return { ...(await this.#copy(write)), engine };
  }

  /** The engine, while it is what was chosen. One that is promoted later ends its connections to replicas by itself. */
  async #chosenEngine(): Promise<BackupFile["engine"]> {
    const control = await this.#connect();
    try {
      this.#requireRole(replicationView(await infoOf(control, "replication")));
      const engine = reportedEngine(await infoOf(control, "server"));
      if (engine !== undefined) return engine;
      throw new Fault(faults.sourceGone, `The engine of shard ${this.#options.source.shard} does not say what it is.`);
    } finally {
      control.close();
    }
  }

  async #copy(write: Write): Promise<Omit<BackupFile, "engine">> {
    const { source, address, clock, file, signal } = this.#options;
    const socket = await this.#asked(() => dialSocket({ ...address, timeoutMs: TIMEOUT_MS, signal }));
    const end = (): void => void socket.destroy();
    signal.addEventListener("abort", end, { once: true });
    socket.on("error", () => undefined); // the reader sees that it has ended
    try {
      const reader = new SocketReader(socket);
      const attached = await this.#asked(() => attachWhole(socket, reader, address));
      const at = clock.now().toISOString();
      this.#state = "copying";
      await write(this.#stored(reader, attached));
      this.#state = "copied";
      const { shard, slots, role } = source;
      const { replicationId, offset } = attached;
      const keys = this.#wholeKeys();
      return {
        shard,
        slots: [...slots],
        file,
        bytes: this.#bytes,
        memory: this.#memory,
        sha256: this.#digest.digest("hex"),
        ...(keys === undefined ? {} : { keys }),
        rdb: this.#counted.rdb,
        role,
        replicationId,
        offset,
        at,
      };
    } finally {
      signal.removeEventListener("abort", end);
      socket.destroy();
    }
  }

  /** What comes to lie in the store. */
  async *#stored(reader: SocketReader, attached: AttachedWhole): AsyncGenerator<Buffer> {
    const { key, file } = this.#options;
    const pieces = this.#pieces(reader, attached);
    for await (const piece of key === undefined ? pieces : encryptPieces(pieces, { key, file })) {
      this.#digest.update(piece);
      this.#bytes += piece.length;
      yield piece;
    }
  }

  /** What is not whole must not arrive as if it were: the last piece is passed on when nothing is missing. */
  async *#pieces(reader: SocketReader, { snapshot }: AttachedWhole): AsyncGenerator<Buffer> {
    try {
      for await (const piece of snapshotPieces(reader, snapshot)) {
        this.#counted.push(piece);
        await this.#options.rate?.pass(piece.length);
        yield piece;
      }
    } catch (error) {
      throw this.#named(error);
    }
    this.#wholeKeys();
  }

  #wholeKeys(): number | undefined {
    const keys = this.#counted.finish();
    if (keys !== "cut") return keys;
    throw new Fault(faults.notWhole, `The data that shard ${this.#options.source.shard} has sent have no end.`);
  }

  #connect(): Promise<EngineClient> {
    const { address, signal } = this.#options;
    signal.throwIfAborted();
    return this.#asked(() => connectEngine({ ...address, timeoutMs: TIMEOUT_MS }));
  }

  async #asked<T>(question: () => Promise<T>): Promise<T> {
    try {
      return await question();
    } catch (error) {
      throw this.#named(error);
    }
  }

  #requireRole(view: ReplicationView | undefined): void {
    const { shard, role } = this.#options.source;
    if (view?.role !== role)
      throw new Fault(faults.sourceChanged, `The engine of shard ${shard} is ${view?.role ?? "nothing"}, not ${role}.`);
    if (view.link !== undefined && view.link.status !== "up")
      throw new Fault(faults.sourceChanged, `The replica of shard ${shard} has lost its primary.`);
  }

  #named(error: unknown): Fault {
    if (error instanceof Fault && !error.code.startsWith("RESP_")) return error;
    return new Fault(
      faults.sourceGone,
      `The data of shard ${this.#options.source.shard} do not come any more: ${messageOf(error)}`,
    );
  }
}

async function infoOf(control: EngineClient, section: string): Promise<Info> {
  return parseInfo(textOf(await control.call("INFO", section)));
}

const TIMEOUT_MS = 10_000;
