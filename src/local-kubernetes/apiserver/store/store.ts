import { join } from "node:path";
import { Fault } from "../../../core/base/fault.ts";
import { faults } from "../faults.ts";
import { isJson } from "../objects/json.ts";
import { isKubeObject, type KubeObject } from "../objects/object.ts";
import { createHistory, type Change } from "./history.ts";
import { openRecordFile } from "./record-file.ts";
import { createWriter, type StoreRecord } from "./writer.ts";
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
  const buckets = new Map<string, Map<string, KubeObject>>();
  const listeners = new Set<(change: Change) => void>();
  const uncommitted: Change[] = [];
  let origin = 0;
  let revision = 0;
  let durable = 0;
  const history = createHistory(options.historyLimit ?? 8192, () => origin);

  const apply = (record: StoreRecord): Change | undefined => {
    revision = Math.max(revision, record.r);
    if (record.b === undefined || record.k === undefined) {
      origin = record.r;
      return undefined;
    }
    const bucket = bucketOf(buckets, record.b);
    const previous = bucket.get(record.k);
    if (record.o === undefined) bucket.delete(record.k);
    else bucket.set(record.k, record.o);
    return changeOf(record.r, record.b, record.k, record.o, previous);
  };

  const file = await openRecordFile(join(options.dataDir, "store.log"), (value) => {
    const record = recordOf(value);
    const change = apply(record);
    if (change !== undefined && record.r > origin) history.add(change);
  });
  durable = revision;
  const writer = createWriter(file, options, {
    committed: (change) => {
      durable = change.revision;
      uncommitted.shift();
      history.add(change);
      for (const listener of [...listeners]) listener(change);
    },
    live: () => liveRecords(buckets, revision),
  });

  const write = (bucket: string, key: string, object: KubeObject | undefined): Promise<KubeObject> => {
    writer.check();
    const record: StoreRecord = { r: revision + 1, b: bucket, k: key, ...(object === undefined ? {} : { o: object }) };
    const change = apply(record);
    if (change === undefined) throw new Fault(faults.storeClosed, `nothing at ${bucket}/${key} to change`);
    uncommitted.push(change);
    return writer.add(record, change);
  };

  return {
    revision: () => revision,
    durableRevision: () => durable,
    get: (bucket, key) => buckets.get(bucket)?.get(key),
    list: (bucket, prefix = "") => ordered(buckets.get(bucket) ?? new Map(), prefix),
    listAt: (bucket, prefix, at) => {
      const now = buckets.get(bucket) ?? new Map<string, KubeObject>();
      const since = at >= durable ? [] : history.after(at);
      const later = uncommitted.filter((change) => change.revision > at);
      return since && ordered(rewound(now, bucket, [...since, ...later]), prefix);
    },
    put: (bucket, key, object, expected) => {
      if (buckets.get(bucket)?.get(key) !== expected) return undefined;
      return write(bucket, key, stamped(object, revision + 1));
    },
    remove: (bucket, key, expected) => {
      if (buckets.get(bucket)?.get(key) !== expected) return undefined;
      return write(bucket, key, undefined);
    },
    settled: () => writer.settled(),
    changesAfter: (from) => history.after(from),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => writer.close(),
  };
}

function ordered(bucket: ReadonlyMap<string, KubeObject>, prefix: string): KubeObject[] {
  return [...bucket]
    .filter(([key]) => key.startsWith(prefix))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, object]) => object);
}

/** The bucket before these changes. */
function rewound(
  now: ReadonlyMap<string, KubeObject>,
  bucket: string,
  since: readonly Change[],
): Map<string, KubeObject> {
  const objects = new Map(now);
  for (const { key, previous } of since.filter((change) => change.bucket === bucket).toReversed()) {
    if (previous === undefined) objects.delete(key);
    else objects.set(key, previous);
  }
  return objects;
}

function bucketOf(buckets: Map<string, Map<string, KubeObject>>, name: string): Map<string, KubeObject> {
  const found = buckets.get(name) ?? new Map<string, KubeObject>();
  buckets.set(name, found);
  return found;
}

function changeOf(
  revision: number,
  bucket: string,
  key: string,
  object: KubeObject | undefined,
  previous: KubeObject | undefined,
): Change | undefined {
  if (object === undefined) {
    if (previous === undefined) return undefined;
    return { revision, type: "DELETED", bucket, key, object: stamped(previous, revision), previous };
  }
  if (previous === undefined) return { revision, type: "ADDED", bucket, key, object };
  return { revision, type: "MODIFIED", bucket, key, object, previous };
}

function stamped(object: KubeObject, revision: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}

function liveRecords(buckets: Map<string, Map<string, KubeObject>>, revision: number): StoreRecord[] {
  const objects = [...buckets].flatMap(([b, bucket]) => [...bucket].map(([k, o]) => ({ r: revision, b, k, o })));
  return [{ r: revision }, ...objects];
}

function recordOf(value: unknown): StoreRecord {
  if (!isJson(value) || typeof value["r"] !== "number") {
    throw new Fault(faults.storeCorrupt, `the store holds a record without a revision`);
  }
  const { r, b, k, o } = value;
  if (typeof b !== "string" || typeof k !== "string") return { r };
  return isKubeObject(o) ? { r, b, k, o } : { r, b, k };
}
