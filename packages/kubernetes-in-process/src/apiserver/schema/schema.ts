/** The type words of OpenAPI. */
export type SchemaType = "object" | "array" | "string" | "integer" | "number" | "boolean";

/**
 * A schema of a CustomResourceDefinition or of a built-in kind, `$ref`s resolved (so a built-in one may be cyclic:
 * walk it along a value). Rules in CEL (`x-kubernetes-validations`) are not evaluated, and so refused.
 */
export interface Schema {
  readonly type?: SchemaType;
  readonly format?: string;
  readonly description?: string;
  readonly title?: string;
  readonly default?: unknown;
  readonly example?: unknown;
  readonly externalDocs?: unknown;
  readonly nullable?: boolean;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-list-type"?: ListType;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: "granular" | "atomic";
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
  readonly "x-kubernetes-validations"?: readonly unknown[];
  readonly "x-kubernetes-group-version-kind"?: readonly unknown[];
}

/** How the items of a list are told apart when two writers meet. */
export type ListType = "atomic" | "set" | "map";

/** The schema of the member `key` of an object; undefined when the schema says nothing about it. */
export function memberSchema(schema: Schema | undefined, key: string): Schema | undefined {
  const named = schema?.properties;
  if (named !== undefined && Object.hasOwn(named, key)) return named[key];
  return typeof schema?.additionalProperties === "object" ? schema.additionalProperties : undefined;
}

/** True for a value that may be an integer or a string, in either spelling of the two dialects. */
export function isIntOrString(schema: Schema): boolean {
  return schema["x-kubernetes-int-or-string"] === true || schema.format === "int-or-string";
}
