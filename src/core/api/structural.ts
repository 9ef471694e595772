import { z } from "zod";

/** A structural OpenAPI v3 schema, the subset that a CustomResourceDefinition takes. */
export interface StructuralSchema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly items?: StructuralSchema;
  readonly additionalProperties?: StructuralSchema;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly format?: string;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly [keyword: string]: unknown;
}

/** The structural schema of what `schema` accepts as input. Throws on what Kubernetes would not accept as structural. */
export function structuralSchema(schema: z.ZodType): StructuralSchema {
  return rewrite(z.toJSONSchema(schema, { target: "openapi-3.0", io: "input" }));
}

type Json = Readonly<Record<string, unknown>>;

const NOT_STRUCTURAL = ["$ref", "oneOf", "allOf", "const", "patternProperties", "not"];
/** What zod writes and Kubernetes does not know, or holds by other means. */
const DROPPED = ["$schema", "propertyNames", "additionalProperties", "properties", "items", "anyOf"];

function rewrite(source: Json): StructuralSchema {
  const wrong = NOT_STRUCTURAL.find((keyword) => keyword in source);
  if (wrong !== undefined) throw new Error(`not structural: ${wrong} in ${JSON.stringify(source)}`);
  if (source["x-kubernetes-int-or-string"] === true) return intOrString(source);
  if ("anyOf" in source) throw new Error(`not structural: anyOf in ${JSON.stringify(source)}`);
  const kept = Object.entries(source).filter(([key, value]) => !DROPPED.includes(key) && !isUnbounded(key, value));
  return {
    ...Object.fromEntries(kept),
    ...descriptionOf(source),
    ...(source["type"] === "integer" ? { format: "int64" } : {}),
    ...children(source),
  };
}

function children(source: Json): StructuralSchema {
  const { properties, items, additionalProperties: extra } = source;
  const open = isJson(extra) && Object.keys(extra).length === 0;
  const fields = isJson(properties) ? Object.entries(properties) : [];
  return {
    ...(fields.length === 0 ? {} : { properties: Object.fromEntries(fields.map(([k, v]) => [k, rewrite(json(v))])) }),
    ...(items === undefined ? {} : { items: rewrite(json(items)) }),
    ...(open ? { "x-kubernetes-preserve-unknown-fields": true } : {}),
    ...(isJson(extra) && !open ? { additionalProperties: rewrite(extra) } : {}),
  };
}

function intOrString({ description }: Json): StructuralSchema {
  return {
    ...descriptionOf({ description }),
    "x-kubernetes-int-or-string": true,
    anyOf: [{ type: "integer" }, { type: "string" }],
  };
}

/** The description for users, who do not have the contract at hand: without its section numbers. */
function descriptionOf({ description }: Json): { readonly description?: string } {
  return typeof description === "string" ? { description: description.replace(/ \(§[\d.]+\)/g, "") } : {};
}

/** zod bounds every integer by what JavaScript can hold. */
function isUnbounded(key: string, value: unknown): boolean {
  return (
    (key === "maximum" && value === Number.MAX_SAFE_INTEGER) || (key === "minimum" && value === Number.MIN_SAFE_INTEGER)
  );
}

function json(value: unknown): Json {
  if (!isJson(value)) throw new Error(`not a schema: ${JSON.stringify(value)}`);
  return value;
}

function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
