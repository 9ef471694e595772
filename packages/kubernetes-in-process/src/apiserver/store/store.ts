import { join } from "node:path";
import { Fault } from "../../../../controller-kit/src/base/fault.ts";
import { apiError, apiErrors, faults } from "../faults.ts";
import type { KubeObject } from "../objects/object.ts";
import { Buckets } from "./buckets.ts";
import { createHistory, type Change, type History } from "./history.ts";
import { parseRecord, stampedObject, type StoreRecord } from "./record.ts";
import { lineOf, openRecordFile, type RecordFile } from "./record-file.ts";
import { GroupWriter } from "./writer.ts";
import type { StoreOptions } from "./options.ts";

/** The objects of all resources. Writes are atomic in memory and durable once their promise resolves. */
export interface Store {
  /** The revision of the last change. */
  revision(): number;
  /** The revision of the last change that is on the disk and that listeners have seen. */
  durableRevision(): number;
  get(bucket: string, key: string): KubeObject | undefined;
  /** Objects whose key begins with `prefix`, ordered by key. */
  list(bucket: string, prefix?: string): KubeObject[];
  /** What `list` gave at `revision`; undefined when the history does not reach so far back. */
  listAt(bucket: string, prefix: string, revision: number): KubeObject[] | undefined;
  /**
   * Writes `object` under a new revision when the object there is still `expected` (undefined: there is none), else
   * gives undefined and changes nothing. Resolves with what was stored.
   */
  put(
    bucket: string,
    key: string,
    object: KubeObject,
    expected: KubeObject | undefined,
  ): Promise<KubeObject> | undefined;
  /** Removes the object under the same condition; resolves with its last state. */
  remove(bucket: string, key: string, expected: KubeObject): Promise<KubeObject> | undefined;
  /** Resolves when everything written so far is on the disk, so that what a reader saw survives a crash. */
  settled(): Promise<void>;
  /** The durable changes after `revision`; undefined when the history does not reach so far back. */
  changesAfter(revision: number): Change[] | undefined;
  /** Calls `listener` for each durable change, in order, until the returned function is called. */
  subscribe(listener: (change: Change) => void): () => void;
  close(): Promise<void>;
}

/** Opens the store below `dataDir`, with everything that was durable before. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const objects = new Buckets();
  const history = createHistory(options.historyLimit ?? 8192, () => objects.origin);
  const file = await openRecordFile(join(options.dataDir, "store.log"), (value) => {
    const record = parseRecord(value);
    const change = objects.apply(record);
    if (change !== undefined && record.r > objects.origin) history.add(change);
  });
  return new DiskStore(objects, history, file, options);
}

/** As etcd limits a request unless it is told otherwise; in characters. */
const LONGEST_RECORD = 1.5 * 1024 * 1024;

class DiskStore implements Store {
  readonly #objects: Buckets;
  readonly #history: History;
  readonly #writer: GroupWriter;
  readonly #listeners = new Set<(change: Change) => void>();
  /** In memory, not yet on the disk. */
  readonly #uncommitted: Change[] = [];
  #durable: number;

  constructor(objects: Buckets, history: History, file: RecordFile, options: StoreOptions) {
    this.#objects = objects;
    this.#history = history;
    this.#durable = objects.revision;
    this.#writer = new GroupWriter(file, options, {
      committed: (change) => this.#commit(change),
      live: () => objects.records(),
    });
  }

  revision(): number {
    return this.#objects.revision;
  }

  durableRevision(): number {
    return this.#durable;
  }

  get(bucket: string, key: string): KubeObject | undefined {
    return this.#objects.get(bucket, key);
  }

  list(bucket: string, prefix = ""): KubeObject[] {
    return this.#objects.list(bucket, prefix);
  }

  listAt(bucket: string, prefix: string, revision: number): KubeObject[] | undefined {
    const since = revision >= this.#durable ? [] : this.#history.after(revision);
    const later = this.#uncommitted.filter((change) => change.revision > revision);
    return since && this.#objects.listBefore([...since, ...later], bucket, prefix);
  }

  put(
    bucket: string,
    key: string,
    object: KubeObject,
    expected: KubeObject | undefined,
  ): Promise<KubeObject> | undefined {
    if (this.get(bucket, key) !== expected) return undefined;
    return this.#write({ b: bucket, k: key, o: stampedObject(object, this.revision() + 1) });
  }

  remove(bucket: string, key: string, expected: KubeObject): Promise<KubeObject> | undefined {
    if (this.get(bucket, key) !== expected) return undefined;
    return this.#write({ b: bucket, k: key });
  }

  settled(): Promise<void> {
    return this.#writer.settled();
  }

  changesAfter(revision: number): Change[] | undefined {
    return this.#history.after(revision);
  }

  subscribe(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): Promise<void> {
    return this.#writer.close();
  }

  /** The error of etcd for a record that is too long. */
  #write(fields: Required<Pick<StoreRecord, "b" | "k">> & Pick<StoreRecord, "o">): Promise<KubeObject> {
    this.#writer.check();
    const record: StoreRecord = { r: this.revision() + 1, ...fields };
    const line = lineOf(record);
    if (line.length > LONGEST_RECORD) throw apiError(apiErrors.recordTooLarge, "etcdserver: request is too large");
    const change = this.#objects.apply(record);
    if (change === undefined) throw new Fault(faults.storeClosed, `nothing at ${fields.b}/${fields.k} to change`);
    this.#uncommitted.push(change);
    return this.#writer.add(line, change);
  }

  #commit(change: Change): void {
    this.#durable = change.revision;
    this.#uncommitted.shift();
    this.#history.add(change);
    for (const listener of [...this.#listeners]) listener(change);
  }
}
