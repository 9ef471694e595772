import { isJson, type Json } from "./json.ts";

/** The metadata of an object as the server keeps it. */
export interface Metadata extends Json {
  name: string;
  namespace?: string;
  generateName?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  managedFields?: Json[];
}

/** An object of any kind. Objects in the store are never changed: copy before writing. */
export interface KubeObject extends Json {
  apiVersion: string;
  kind: string;
  metadata: Metadata;
}

/** True when `value` has a kind, a version and metadata with a (possibly empty) name. */
export function isKubeObject(value: unknown): value is KubeObject {
  if (!isJson(value)) return false;
  const { apiVersion, kind, metadata } = value;
  return typeof apiVersion === "string" && typeof kind === "string" && isMetadata(metadata);
}

/** A copy that may be changed. */
export function copyOf<T>(object: T): T {
  return structuredClone(object);
}

/** The key of an object within its resource: `namespace/name`, or `name` outside namespaces. */
export function storeKey(namespace: string | undefined, name: string): string {
  return namespace === undefined || namespace === "" ? name : `${namespace}/${name}`;
}

/** `group/version`, or just the version for the core group. */
export function joinApiVersion(group: string, version: string): string {
  return group === "" ? version : `${group}/${version}`;
}

function isMetadata(value: unknown): value is Metadata {
  return isJson(value) && typeof value["name"] === "string";
}
