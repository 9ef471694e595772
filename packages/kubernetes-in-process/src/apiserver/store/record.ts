import { Fault } from "../../../../controller-kit/src/base/fault.ts";
import { faults } from "../faults.ts";
import { isJson } from "../objects/json.ts";
import { isKubeObject, type KubeObject } from "../objects/object.ts";

/** A line of the file: revision, bucket, key, object. Without object a deletion; without key the revision to begin at. */
export interface StoreRecord {
  readonly r: number;
  readonly b?: string;
  readonly k?: string;
  readonly o?: KubeObject;
}

/** The record in a line of the file; APISERVER_STORE_CORRUPT when it has no revision. */
export function parseRecord(value: unknown): StoreRecord {
  if (!isJson(value) || typeof value["r"] !== "number") {
    throw new Fault(faults.storeCorrupt, `the store holds a record without a revision`);
  }
  const { r, b, k, o } = value;
  if (typeof b !== "string" || typeof k !== "string") return { r };
  return isKubeObject(o) ? { r, b, k, o } : { r, b, k };
}

/** The object with this revision as its resourceVersion. */
export function stampedObject(object: KubeObject, revision: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}
