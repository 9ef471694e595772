import type { JsonObject } from "../schema/json.ts";
import type { Schema } from "../schema/schema.ts";

/**
 * The result of a JSON, merge or strategic patch: `malformed` (400) is a body that is no such patch, `unprocessable` (422) one that does not fit
 * the object, `tooLarge` (413) one that asks for too much work.
 */
export type PatchOutcome =
  | { readonly kind: "patched"; readonly object: JsonObject }
  | { readonly kind: "failed"; readonly why: "malformed" | "unprocessable" | "tooLarge"; readonly message: string };

/** A server-side apply. */
export interface ApplyRequest {
  /** The stored object; undefined when the apply creates it. */
  readonly live: JsonObject | undefined;
  /** What the caller applies, with apiVersion, kind and metadata.name. */
  readonly applied: JsonObject;
  /** The fieldManager parameter. */
  readonly manager: string;
  readonly force: boolean;
  /** Schema of the whole object, metadata included. */
  readonly schema: Schema;
  readonly now: Date;
  /** Absent for the object itself. */
  readonly subresource?: string;
  /** Top-level fields that this endpoint does not write, such as `status` where it is a subresource. */
  readonly resets?: readonly string[];
}

/** A field that another manager owns with another value. */
export interface ApplyConflict {
  /** As the message names it: `"kubectl" using apps/v1`. */
  readonly manager: string;
  /** As a Status cause names it: `.spec.replicas`. */
  readonly field: string;
}

/** `applied` gives the very object `live` when nothing changes. */
export type ApplyOutcome =
  | { readonly kind: "applied"; readonly object: JsonObject }
  | { readonly kind: "conflict"; readonly conflicts: readonly ApplyConflict[] }
  | { readonly kind: "failed"; readonly message: string };

/** A create, update or patch of any other kind, as it is about to be stored. */
export interface UpdateRequest {
  /** Undefined for a create. */
  readonly before: JsonObject | undefined;
  readonly after: JsonObject;
  readonly manager: string;
  readonly schema: Schema;
  readonly now: Date;
  /** Absent for the object itself. */
  readonly subresource?: string;
}

/** One entry of metadata.managedFields. */
export interface ManagedFieldsEntry {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly time?: string;
  readonly fieldsType: "FieldsV1";
  readonly fieldsV1: JsonObject;
  readonly subresource?: string;
}
