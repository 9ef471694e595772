import { parseAllDocuments } from "yaml";
import type { Field, Limits, Shape } from "./shape.ts";

/** The part of a definition's schema that is compared. */
interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly enum?: readonly (string | number | boolean)[];
  readonly default?: unknown;
  readonly [keyword: string]: unknown;
}

interface Definition {
  readonly kind: string;
  readonly spec: {
    readonly names: { readonly kind: string };
    readonly versions: readonly {
      readonly name: string;
      readonly served: boolean;
      readonly schema: { readonly openAPIV3Schema: Schema };
    }[];
  };
}

const LIMITS = ["pattern", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"];

/** The shapes of the objects that the definitions in a bundle take, by kind and version: "StoreEnterpriseCluster v1". */
export function shapesOfBundle(bundle: string): Readonly<Record<string, Shape>> {
  const definitions = parseAllDocuments(bundle)
    .map((document) => document.toJS() as Definition)
    .filter(({ kind }) => kind === "CustomResourceDefinition");
  const versions = definitions.flatMap(({ spec }) =>
    spec.versions
      .filter(({ served }) => served)
      .map(({ name, schema }): [string, Shape] => [`${spec.names.kind} ${name}`, shapeOf(schema.openAPIV3Schema)]),
  );
  return Object.fromEntries(versions);
}

function shapeOf(schema: Schema): Shape {
  if (schema.enum !== undefined) return { is: "values", of: schema.enum };
  switch (schema.type) {
    case "object":
      return shapeOfObject(schema);
    case "array":
      return { is: "list", of: shapeOf(schema.items ?? {}), limits: limitsOf(schema) };
    case "string":
    case "boolean":
      return { is: schema.type, limits: limitsOf(schema) };
    case "integer":
    case "number":
      return { is: "number", limits: limitsOf(schema) };
    default:
      return { is: "anything" };
  }
}

function shapeOfObject({ properties = {}, required = [], additionalProperties, ...rest }: Schema): Shape {
  const fields = Object.entries(properties).map(([name, schema]): [string, Field] => {
    const optional = !required.includes(name);
    return [name, { shape: shapeOf(schema), optional, ...("default" in schema ? { fallback: schema.default } : {}) }];
  });
  const isOpen = rest["x-kubernetes-preserve-unknown-fields"] === true || additionalProperties === true;
  const others = isOpen
    ? { is: "anything" as const }
    : typeof additionalProperties === "object"
      ? shapeOf(additionalProperties)
      : undefined;
  return { is: "object", fields: Object.fromEntries(fields), ...(others === undefined ? {} : { others }) };
}

function limitsOf(schema: Schema): Limits {
  const found = LIMITS.map((keyword) => [keyword, schema[keyword]] as const);
  return Object.fromEntries(found.filter((entry): entry is [string, number | string] => entry[1] !== undefined));
}
