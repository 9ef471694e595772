import type { Clock } from "#kit/base/clock";
import { Fault, isFault } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import { backupPrefix, fileOf, isFileBelow, leftoversIn, manifestKey } from "../../core/backup/layout.ts";
import {
  isOfSameDatabase,
  manifestOf,
  MOST_MANIFEST,
  readManifest,
  type BackupFile,
  type BackupManifest,
} from "../../core/backup/manifest.ts";
import { newestKey, type BackupKey } from "../../core/api/backup-keys.ts";
import { transferPlan, type TransferPlan } from "../../core/backup/transfer-plan.ts";
import type { BackupCommand, BackupProgress, BackupSource } from "../../ports/management/backup-control.ts";
import { faults as storeFaults } from "../../ports/object-store/faults.ts";
import type { ObjectStore } from "../../ports/object-store/s3.ts";
import type { EngineAddress } from "../../ports/resp/engine-client.ts";
import { EngineTls } from "../../ports/resp/engine-tls.ts";
import { ByteRate } from "./byte-rate.ts";
import { faults } from "./faults.ts";
import { requireKeys, sealManifest } from "./manifest-keys.ts";
import { ShardCopy } from "./shard-copy.ts";

/** What a backup is taken with. */
export interface BackupRunContext {
  readonly store: Pick<ObjectStore, "write" | "writeNew" | "read" | "list" | "remove" | "endUploads">;
  readonly clock: Clock;
  readonly log: Log;
}

/** One backup of a database: a file for each shard, then the manifest, by which it exists. */
export class BackupRun {
  readonly #command: BackupCommand;
  readonly #context: BackupRunContext;
  readonly #ending = new AbortController();
  readonly #copies: readonly ShardCopy[];
  /** By which all is encrypted. */
  readonly #key: BackupKey | undefined;

  constructor(command: BackupCommand, context: BackupRunContext) {
    this.#command = command;
    this.#context = context;
    const { bytesPerSecond, attempt, sources, keys } = command;
    this.#key = newestKey(keys ?? []);
    const key = this.#key;
    const rate = bytesPerSecond === undefined ? undefined : new ByteRate(context.clock, bytesPerSecond);
    const addressOf = addresses(command);
    this.#copies = sources.map((source) => {
      const file = fileOf(attempt, source.shard, key !== undefined);
      const options = { source, address: addressOf(source), file, key, rate, signal: this.#ending.signal };
      return new ShardCopy({ ...options, clock: context.clock });
    });
  }

  get progress(): BackupProgress {
    return { state: "running", shards: this.#copies.map(({ progress }) => progress) };
  }

  /** The manifest, once it is in the store; that of an earlier attempt when there is one. Otherwise nothing of this attempt stays, as far as the store answers. */
  async run(): Promise<BackupManifest> {
    const existing = await this.#existing();
    if (existing !== undefined) return existing;
    const began = this.#context.clock.now().toISOString();
    try {
      const plan = await this.#plan();
      const files = await this.#copyAll(plan);
      const written = await this.#writeManifest(began, files);
      await this.#removeLeftovers(written);
      return written;
    } catch (error) {
      await this.#removeAttempt();
      throw error;
    }
  }

  async #existing(): Promise<BackupManifest | undefined> {
    const { folder, name, database, keys } = this.#command;
    const text = await this.#context.store.read(manifestKey(folder, name), MOST_MANIFEST);
    if (text === undefined) return undefined;
    const manifest = readManifest(text);
    if ("refusal" in manifest)
      throw new Fault(
        faults.badManifest,
        `What is at ${manifestKey(folder, name)} cannot be read: ${manifest.refusal}.`,
      );
    if (isOfSameDatabase(manifest.database, database)) {
      requireKeys(manifest, keys, manifestKey(folder, name));
      return manifest;
    }
    const { namespace, cluster, name: other } = manifest.database;
    throw new Fault(
      faults.nameTaken,
      `${backupPrefix(folder, name)} has a backup of "${other}" of ${namespace}/${cluster}.`,
    );
  }

  async #plan(): Promise<TransferPlan> {
    const sizes = await Promise.all(this.#copies.map((copy) => copy.size()));
    const plan = transferPlan(sizes);
    if (plan === undefined)
      throw new Fault(faults.tooLarge, `The largest shard has ${Math.max(...sizes)} bytes, too many for one file.`);
    return plan;
  }

  async #copyAll({ shardsAtOnce, ...parts }: TransferPlan): Promise<readonly BackupFile[]> {
    const { folder, name } = this.#command;
    const waiting = this.#copies.entries();
    const files: BackupFile[] = [];
    const copyNext = async (): Promise<void> => {
      for (const [at, copy] of waiting) {
        const key = `${backupPrefix(folder, name)}${copy.file}`;
        files[at] = await copy.run((content) => this.#context.store.write(key, content, parts));
      }
    };
    const workers = Array.from({ length: shardsAtOnce }, () =>
      copyNext().catch((error: unknown) => {
        this.#ending.abort(error);
        throw error;
      }),
    );
    const failed = (await Promise.allSettled(workers)).find(({ status }) => status === "rejected");
    if (failed !== undefined) throw this.#ending.signal.reason;
    return files;
  }

  /** Another attempt may have come first: what is there counts. */
  async #writeManifest(began: string, files: readonly BackupFile[]): Promise<BackupManifest> {
    const { folder, name, database } = this.#command;
    const ended = this.#context.clock.now().toISOString();
    const plain = manifestOf({ name, database, began, ended, files: [...files] });
    const manifest = this.#key === undefined ? plain : sealManifest(plain, this.#key);
    try {
      await this.#context.store.writeNew(manifestKey(folder, name), `${JSON.stringify(manifest, undefined, 2)}\n`);
    } catch (error) {
      if (!isFault(error, storeFaults.exists)) throw error;
    }
    const written = await this.#existing();
    if (written !== undefined) return written;
    throw new Fault(
      storeFaults.missing,
      `The manifest at ${manifestKey(folder, name)} is gone as soon as it was written.`,
    );
  }

  /** What attempts have left that did not come to their end. That it stays until the next time is no reason to call a backup failed. */
  async #removeLeftovers({ files }: BackupManifest): Promise<void> {
    const { store, log } = this.#context;
    const prefix = backupPrefix(this.#command.folder, this.#command.name);
    try {
      const kept = files.map(({ file }) => file);
      await store.remove(leftoversIn(prefix, await store.list(prefix), kept));
      await store.endUploads(prefix, (key) => isFileBelow(prefix, key));
    } catch (error) {
      log.warn("what earlier attempts have left of a backup is not removed", { error });
    }
  }

  async #removeAttempt(): Promise<void> {
    const { store, log } = this.#context;
    const all = backupPrefix(this.#command.folder, this.#command.name);
    const prefix = `${all}${this.#command.attempt}/`;
    try {
      await store.endUploads(prefix, (key) => isFileBelow(all, key));
      await store.remove(leftoversIn(all, await store.list(prefix), []));
    } catch (error) {
      log.warn("what is left of a backup that failed is not removed", { error });
    }
  }
}

function addresses({ logins, engineCertificate }: BackupCommand): (source: BackupSource) => EngineAddress {
  const tls = new EngineTls();
  if (engineCertificate !== undefined) tls.use(engineCertificate);
  return ({ engine: { host, port, tls: speaksTls } }) => ({
    host,
    port,
    logins,
    ...(speaksTls === true ? { tls } : {}),
  });
}
