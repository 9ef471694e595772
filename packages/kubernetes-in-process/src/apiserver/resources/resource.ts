import type { StatusCause } from "../faults.ts";
import type { KubeObject } from "../objects/object.ts";
import type { Schema } from "../schema/schema.ts";

export const REQUEST_VERBS = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "update",
  "watch",
] as const;
export type RequestVerb = (typeof REQUEST_VERBS)[number];

export const SUBRESOURCES = [
  "status",
  "scale",
  "log",
  "binding",
  "eviction",
  "token",
  "finalize",
  "attach",
  "exec",
  "portforward",
  "ephemeralcontainers",
] as const;
export type Subresource = (typeof SUBRESOURCES)[number];

/** One column of the table that `kubectl get` prints; priority 1 shows with `-o wide` alone. */
export interface Column {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly format: string;
  readonly description: string;
  readonly priority: number;
  cell(object: KubeObject, now: Date): unknown;
}

/** Where the scale subresource of a resource finds its numbers: dotted paths such as `.spec.replicas`. */
export interface ScalePaths {
  readonly spec: string;
  readonly status: string;
  readonly selector?: string;
}

/** What sets a kind apart from the others; each function may change the object it is given. */
export interface Strategy {
  /** Fields that the user left out. */
  defaults?(object: KubeObject): void;
  /** What a new object begins with, whatever the user sent; runs after the defaults. */
  begin?(object: KubeObject): void;
  /** Rules that the schema cannot state; `before` is absent for a create. */
  check?(object: KubeObject, before: KubeObject | undefined): readonly StatusCause[];
  /** From the served shape to the stored one and back, for two kinds that share a bucket. */
  toStored?(object: KubeObject): KubeObject;
  fromStored?(object: KubeObject): KubeObject;
}

/** One row of the table that drives the server: a resource at one version. */
export interface Resource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly RequestVerb[];
  readonly subresources: readonly Subresource[];
  readonly scale?: ScalePaths;
  /** Where the store keeps the objects; two resources with one bucket show the same objects. */
  readonly bucket: string;
  /** The apiVersion of stored objects. */
  readonly storedAs: string;
  /** Whether metadata.generation counts the changes of everything but metadata and status. */
  readonly counted: boolean;
  /** True for a resource that a CustomResourceDefinition made. */
  readonly custom: boolean;
  readonly columns: readonly Column[];
  readonly strategy: Strategy;
  /** A warning for each request, for a deprecated version. */
  readonly warning?: string;
  schema(): Schema;
}

/** True when the resource serves this subresource. */
export function serves(resource: Resource, subresource: Subresource): boolean {
  return resource.subresources.includes(subresource);
}

/** The kind of lists of this resource. */
export function listKindOf(resource: { kind: string }): string {
  return `${resource.kind}List`;
}
