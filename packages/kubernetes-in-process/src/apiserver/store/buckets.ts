import { stampedObject, type StoreRecord } from "./record.ts";
import type { KubeObject } from "../objects/object.ts";
import type { Change } from "./history.ts";

/** All objects in memory, by bucket and key. */
export class Buckets {
  readonly #buckets = new Map<string, Map<string, KubeObject>>();
  #revision = 0;
  #origin = 0;

  /** The revision of the last change. */
  get revision(): number {
    return this.#revision;
  }

  /** The revision that the file begins with: what changed before it is not known. */
  get origin(): number {
    return this.#origin;
  }

  get(bucket: string, key: string): KubeObject | undefined {
    return this.#buckets.get(bucket)?.get(key);
  }

  /** Objects whose key begins with `prefix`, ordered by key. */
  list(bucket: string, prefix: string): KubeObject[] {
    return sortByKey(this.#buckets.get(bucket) ?? new Map(), prefix);
  }

  /** What `list` gave before these changes. */
  listBefore(changes: readonly Change[], bucket: string, prefix: string): KubeObject[] {
    const objects = new Map(this.#buckets.get(bucket));
    for (const { key, previous } of changes.filter((change) => change.bucket === bucket).toReversed()) {
      if (previous === undefined) objects.delete(key);
      else objects.set(key, previous);
    }
    return sortByKey(objects, prefix);
  }

  /** Carries out a record; undefined when it changes no object. */
  apply(record: StoreRecord): Change | undefined {
    this.#revision = Math.max(this.#revision, record.r);
    if (record.b === undefined || record.k === undefined) {
      this.#origin = record.r;
      return undefined;
    }
    const bucket = this.#bucket(record.b);
    const previous = bucket.get(record.k);
    if (record.o === undefined) bucket.delete(record.k);
    else bucket.set(record.k, record.o);
    return changeOf(record.r, record.b, record.k, record.o, previous);
  }

  /** The records that make up the present state. */
  records(): StoreRecord[] {
    const r = this.#revision;
    const objects = [...this.#buckets].flatMap(([b, bucket]) => [...bucket].map(([k, o]) => ({ r, b, k, o })));
    return [{ r }, ...objects];
  }

  #bucket(name: string): Map<string, KubeObject> {
    const found = this.#buckets.get(name) ?? new Map<string, KubeObject>();
    this.#buckets.set(name, found);
    return found;
  }
}

function sortByKey(bucket: ReadonlyMap<string, KubeObject>, prefix: string): KubeObject[] {
  return [...bucket]
    .filter(([key]) => key.startsWith(prefix))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, object]) => object);
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
    return { revision, type: "DELETED", bucket, key, object: stampedObject(previous, revision), previous };
  }
  if (previous === undefined) return { revision, type: "ADDED", bucket, key, object };
  return { revision, type: "MODIFIED", bucket, key, object, previous };
}
