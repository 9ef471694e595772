import { quote, type FieldCause } from "./cause.ts";
import { compilePattern } from "./pattern.ts";
import { isIntOrString, type Schema } from "./schema.ts";
import { validateValue } from "./validate.ts";

const TYPES = ["object", "array", "string", "integer", "number", "boolean"];
const MAX_DEPTH = 64;
/** Keywords that must stand outside of allOf, anyOf, oneOf and not. */
const STRUCTURAL_ONLY = ["description", "title", "default", "nullable", "additionalProperties", "type"] as const;

/** Why a CRD's schema is refused: what is not structural, or cannot be worked with. `path` is where the schema stands. */
export function checkStructural(schema: Schema, path: string): FieldCause[] {
  const causes = checkLevel(schema, path, 0);
  if (schema.type !== undefined && schema.type !== "object") {
    causes.push(invalid(`${path}.type`, schema.type, "must be object at the root"));
  }
  return causes;
}

function checkLevel(schema: Schema, path: string, depth: number): FieldCause[] {
  if (depth > MAX_DEPTH) return [forbiddenCause(path, `nested deeper than ${MAX_DEPTH}`)];
  return [
    ...checkType(schema, path),
    ...checkPattern(schema, path),
    ...checkLists(schema, path),
    ...checkDefault(schema, path),
    ...checkRules(schema, path),
    ...checkCompositions(schema, path),
    ...childSchemas(schema, path).flatMap(([below, child]) => checkLevel(child, below, depth + 1)),
  ];
}

function checkType(schema: Schema, path: string): FieldCause[] {
  const open = isIntOrString(schema) || schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (schema.type === undefined) {
    return open
      ? []
      : [
          {
            reason: "FieldValueRequired",
            message: "Required value: must not be empty for specified object fields",
            field: `${path}.type`,
          },
        ];
  }
  if (!TYPES.includes(schema.type)) {
    const supported = TYPES.toSorted().map(quote).join(", ");
    return [
      {
        reason: "FieldValueNotSupported",
        message: `Unsupported value: ${quote(schema.type)}: supported values: ${supported}`,
        field: `${path}.type`,
      },
    ];
  }
  if (schema.type === "array" && schema.items === undefined) {
    return [{ reason: "FieldValueRequired", message: "Required value: must be specified", field: `${path}.items` }];
  }
  if (schema.properties !== undefined && schema.additionalProperties !== undefined) {
    return [forbiddenCause(`${path}.additionalProperties`, "additionalProperties and properties are mutual exclusive")];
  }
  return [];
}

function checkPattern({ pattern }: Schema, path: string): FieldCause[] {
  if (pattern === undefined || compilePattern(pattern) !== undefined) return [];
  return [invalid(`${path}.pattern`, pattern, "must be a valid regular expression of at most 2048 characters")];
}

function checkLists(schema: Schema, path: string): FieldCause[] {
  if (schema["x-kubernetes-list-type"] !== "map") return [];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  if (keys.length === 0) {
    return [
      {
        reason: "FieldValueRequired",
        message: "Required value: must not be empty if x-kubernetes-list-type is map",
        field: `${path}.x-kubernetes-list-map-keys`,
      },
    ];
  }
  return keys
    .filter((key) => schema.items?.properties?.[key] === undefined)
    .map((key) => invalid(`${path}.x-kubernetes-list-map-keys`, key, "entries must all be names of item properties"));
}

function checkDefault(schema: Schema, path: string): FieldCause[] {
  if (schema.default === undefined) return [];
  return validateValue(schema, schema.default, `${path}.default`);
}

/** A rule that is not evaluated would not be kept: no definition is better than one that promises too much. */
function checkRules({ "x-kubernetes-validations": rules = [] }: Schema, path: string): FieldCause[] {
  if (rules.length === 0) return [];
  return [forbiddenCause(`${path}.x-kubernetes-validations`, "this server evaluates no rules in CEL")];
}

/** Alternatives may only add rules about values; what a field is stands outside of them. */
function checkCompositions(schema: Schema, path: string): FieldCause[] {
  if (isIntOrString(schema)) return []; // written with anyOf of two types
  const parts = (["allOf", "anyOf", "oneOf"] as const).flatMap((key) =>
    (schema[key] ?? []).map((part, i) => [`${path}.${key}[${i}]`, part] as const),
  );
  const all = schema.not === undefined ? parts : [...parts, [`${path}.not`, schema.not] as const];
  return all.flatMap(([field, part]) => checkValueRules(part, field, 0));
}

function checkValueRules(part: Schema, path: string, depth: number): FieldCause[] {
  if (depth > MAX_DEPTH) return [forbiddenCause(path, `nested deeper than ${MAX_DEPTH}`)];
  const misplaced = STRUCTURAL_ONLY.filter((key) => part[key] !== undefined);
  return [
    ...misplaced.map((key) =>
      forbiddenCause(`${path}.${key}`, `must be ${key === "type" ? "empty" : "undefined"} to be structural`),
    ),
    ...childSchemas(part, path).flatMap(([below, child]) => checkValueRules(child, below, depth + 1)),
  ];
}

function childSchemas(schema: Schema, path: string): (readonly [string, Schema])[] {
  const named = Object.entries(schema.properties ?? {}).map(
    ([key, child]) => [`${path}.properties[${key}]`, child] as const,
  );
  const items = schema.items === undefined ? [] : [[`${path}.items`, schema.items] as const];
  const extra = schema.additionalProperties;
  return [...named, ...items, ...(typeof extra === "object" ? [[`${path}.additionalProperties`, extra] as const] : [])];
}

function invalid(field: string, value: unknown, rule: string): FieldCause {
  return { reason: "FieldValueInvalid", message: `Invalid value: ${quote(value)}: ${rule}`, field };
}

function forbiddenCause(field: string, rule: string): FieldCause {
  return { reason: "FieldValueForbidden", message: `Forbidden: ${rule}`, field };
}
