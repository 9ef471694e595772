import type { ObjectMeta } from "kubernetes-types/meta/v1.js";

/** A kind of object and where the API serves it; `T` is its shape. */
export interface ResourceType<T = object> {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Lists and watches ask for the metadata of objects alone. */
  readonly metadataOnly?: true;
  /** Types only, never set. */
  readonly shape?: T;
}

/** An object as the server returns it. */
export type Stored<T> = Omit<T, "metadata" | "apiVersion" | "kind"> & {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta & { name: string; uid: string; resourceVersion: string };
};

/** An object as a caller sends it. */
export type Wanted<T> = Omit<T, "metadata" | "apiVersion" | "kind"> & {
  readonly metadata: ObjectMeta & { name: string };
};

export interface Ref {
  readonly name: string;
  /** Absent for objects outside any namespace. */
  readonly namespace?: string;
}

export interface RequestOptions {
  /** The request is broken off after this, in milliseconds, with an unknown outcome; 30 s when absent. */
  readonly deadlineMs?: number;
}

export interface ListOptions extends RequestOptions {
  /** Absent: all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface WatchOptions extends ListOptions {
  readonly resourceVersion: string;
  readonly signal: AbortSignal;
}

export type WatchEvent<T> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: Stored<T> }
  | { readonly type: "BOOKMARK"; readonly resourceVersion: string };

export type Patch =
  | { readonly type: "json"; readonly operations: readonly object[] }
  | { readonly type: "merge" | "strategic"; readonly body: object };

export interface WriteOptions extends RequestOptions {
  readonly subresource?: "status" | "scale";
  readonly dryRun?: boolean;
}

export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Take over fields that another manager owns; a conflict is KUBE_CONFLICT otherwise. */
  readonly force?: boolean;
}

export interface DeleteOptions {
  readonly propagation?: "Background" | "Foreground" | "Orphan";
  /** Deletes only the object with this uid. */
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly gracePeriodSeconds?: number;
}

/** The way to a Kubernetes API server. Failures are Faults of packages/controller-kit/src/kube/faults.ts. */
export interface Kube {
  /** Undefined when it does not exist. */
  get<T>(type: ResourceType<T>, ref: Ref, options?: RequestOptions): Promise<Stored<T> | undefined>;
  list<T>(type: ResourceType<T>, options?: ListOptions): Promise<{ items: Stored<T>[]; resourceVersion: string }>;
  /** Ends when the server ends the stream or `signal` aborts; throws KUBE_GONE when the version is too old. */
  watch<T>(type: ResourceType<T>, options: WatchOptions): AsyncIterable<WatchEvent<T>>;
  create<T>(type: ResourceType<T>, object: Wanted<T>, options?: WriteOptions): Promise<Stored<T>>;
  /** Replaces; KUBE_CONFLICT when the resourceVersion is not the current one. */
  update<T>(type: ResourceType<T>, object: Stored<T>, options?: WriteOptions): Promise<Stored<T>>;
  patch<T>(type: ResourceType<T>, ref: Ref, patch: Patch, options?: WriteOptions): Promise<Stored<T>>;
  /** Server-side apply. */
  apply<T>(type: ResourceType<T>, object: Wanted<T>, options: ApplyOptions): Promise<Stored<T>>;
  /** Absent already is no failure. */
  delete<T>(type: ResourceType<T>, ref: Ref, options?: DeleteOptions): Promise<void>;
  /** Any other path, for instance `/version`; the answer as text. */
  raw(method: string, path: string, body?: object): Promise<string>;
}
