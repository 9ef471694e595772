import type { Schema } from "../schema/schema.ts";

/** A resource as its OpenAPI document shows it. */
export interface Described {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly subresources: readonly string[];
  /** True when a CustomResourceDefinition made it: its schema is spelled out. */
  readonly custom: boolean;
  schema(): Schema;
}
