import { childField, quote, type FieldCause } from "./cause.ts";
import { fitsIntegerFormat, matchesFormat } from "./formats.ts";
import { isArray, isJsonObject, sameJson, type JsonObject } from "./json.ts";
import { matchesPattern } from "./pattern.ts";
import { isIntOrString, memberSchema, type Schema } from "./schema.ts";
import { typeMismatch } from "./types.ts";

/** What is wrong with `value`, in the words of the API server; empty when nothing is. `path` is the field it sits in. */
export function validateValue(schema: Schema, value: unknown, path = ""): FieldCause[] {
  if (value === null && schema.nullable === true) return [];
  const wrongType = typeCause(schema, value, path);
  if (wrongType !== undefined) return [wrongType];
  return [
    ...enumCauses(schema, value, path),
    ...(typeof value === "string" ? stringCauses(schema, value, path) : []),
    ...(typeof value === "number" ? numberCauses(schema, value, path) : []),
    ...(isArray(value) ? arrayCauses(schema, value, path) : []),
    ...(isJsonObject(value) ? objectCauses(schema, value, path) : []),
    ...compositionCauses(schema, value, path),
  ];
}

function typeCause(schema: Schema, value: unknown, path: string): FieldCause | undefined {
  const found = typeMismatch(schema, value);
  if (found === undefined) return undefined;
  const { actual, wanted } = found;
  return {
    reason: "FieldValueTypeInvalid",
    message: `Invalid value: "${actual}": ${inBody(path)} must be of type ${wanted}: "${actual}"`,
    field: path,
  };
}

function enumCauses({ enum: allowed }: Schema, value: unknown, path: string): FieldCause[] {
  if (allowed === undefined || allowed.some((one) => sameJson(one, value))) return [];
  const supported = allowed.map((one) => quote(typeof one === "string" ? one : JSON.stringify(one))).join(", ");
  const message = `Unsupported value: ${quote(value)}: supported values: ${supported}`;
  return [{ reason: "FieldValueNotSupported", message, field: path }];
}

function stringCauses(schema: Schema, value: string, path: string): FieldCause[] {
  const causes: FieldCause[] = [];
  const length = [...value].length;
  if (schema.maxLength !== undefined && length > schema.maxLength) {
    const message = `Too long: may not be more than ${schema.maxLength} bytes`;
    causes.push({ reason: "FieldValueTooLong", message, field: path });
  }
  if (schema.minLength !== undefined && length < schema.minLength) {
    causes.push(invalid(path, value, `should be at least ${schema.minLength} chars long`));
  }
  if (schema.pattern !== undefined && matchesPattern(schema.pattern, value) !== true) {
    causes.push(invalid(path, value, `should match '${schema.pattern}'`));
  }
  if (schema.format !== undefined && !isIntOrString(schema) && !matchesFormat(schema.format, value)) {
    causes.push(invalid(path, value, `must be of type ${schema.format}: ${quote(value)}`));
  }
  return causes;
}

function numberCauses(schema: Schema, value: number, path: string): FieldCause[] {
  const { multipleOf, format } = schema;
  const wrong: string[] = [];
  if (schema.type === "integer" && format !== undefined && !fitsIntegerFormat(format, value)) {
    wrong.push(`must be of type ${format}: "int64"`);
  }
  for (const [limit, isWithin, words] of boundsOf(schema))
    if (limit !== undefined && !isWithin(value, limit)) wrong.push(`should be ${words} ${limit}`);
  if (multipleOf !== undefined && !isMultiple(value, multipleOf)) wrong.push(`should be a multiple of ${multipleOf}`);
  return wrong.map((rule) => invalid(path, value, rule));
}

type Bound = readonly [limit: number | undefined, isWithin: (value: number, limit: number) => boolean, words: string];

/** The lower bound and the upper one. */
function boundsOf({ minimum, exclusiveMinimum, maximum, exclusiveMaximum }: Schema): readonly [Bound, Bound] {
  return [
    exclusiveMinimum === true
      ? [minimum, (value, least) => value > least, "greater than"]
      : [minimum, (value, least) => value >= least, "greater than or equal to"],
    exclusiveMaximum === true
      ? [maximum, (value, most) => value < most, "less than"]
      : [maximum, (value, most) => value <= most, "less than or equal to"],
  ];
}

/** 0.3 is a multiple of 0.1, whatever binary fractions say. */
function isMultiple(value: number, step: number): boolean {
  const quotient = value / step;
  return Math.abs(quotient - Math.round(quotient)) < 1e-9;
}

function arrayCauses(schema: Schema, value: readonly unknown[], path: string): FieldCause[] {
  const { maxItems, minItems, items } = schema;
  const causes: FieldCause[] = [];
  if (maxItems !== undefined && value.length > maxItems) {
    const message = `Too many: ${value.length}: must have at most ${maxItems} items`;
    return [{ reason: "FieldValueTooMany", message, field: path }];
  }
  if (minItems !== undefined && value.length < minItems) {
    causes.push(invalid(path, value.length, `should have at least ${minItems} items`));
  }
  const duplicate = duplicateCause(schema, value, path);
  if (duplicate !== undefined) causes.push(duplicate);
  if (items === undefined) return causes;
  return [...causes, ...value.flatMap((item, i) => validateValue(items, item, `${path}[${i}]`))];
}

function duplicateCause(schema: Schema, value: readonly unknown[], path: string): FieldCause | undefined {
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const identity = (item: unknown): string =>
    schema["x-kubernetes-list-type"] === "map" && isJsonObject(item)
      ? JSON.stringify(
          Object.fromEntries(keys.map((key) => [key, item[key] ?? schema.items?.properties?.[key]?.default])),
        )
      : JSON.stringify(item);
  if (schema.uniqueItems !== true && (schema["x-kubernetes-list-type"] ?? "atomic") === "atomic") return undefined;
  const seen = new Set<string>();
  for (const [i, item] of value.entries()) {
    const id = identity(item);
    const spoken = id.startsWith("{") ? `map[string]interface {}${id}` : id; // as Go prints a map
    if (seen.has(id))
      return { reason: "FieldValueDuplicate", message: `Duplicate value: ${spoken}`, field: `${path}[${i}]` };
    seen.add(id);
  }
  return undefined;
}

function objectCauses(schema: Schema, value: JsonObject, path: string): FieldCause[] {
  const count = Object.keys(value).length;
  const causes: FieldCause[] = (schema.required ?? [])
    .filter((key) => !Object.hasOwn(value, key) || value[key] === undefined)
    .map((key) => ({ reason: "FieldValueRequired", message: "Required value", field: childField(path, key) }));
  if (schema.maxProperties !== undefined && count > schema.maxProperties) {
    const message = `Too many: ${count}: must have at most ${schema.maxProperties} items`;
    causes.push({ reason: "FieldValueTooMany", message, field: path });
  }
  if (schema.minProperties !== undefined && count < schema.minProperties) {
    causes.push(invalid(path, count, `should have at least ${schema.minProperties} properties`));
  }
  for (const [key, item] of Object.entries(value)) {
    const known = memberSchema(schema, key);
    if (known === undefined || item === undefined) continue;
    for (const cause of validateValue(known, item, childField(path, key))) causes.push(cause);
  }
  return causes;
}

function compositionCauses(schema: Schema, value: unknown, path: string): FieldCause[] {
  const holds = (one: Schema): boolean => validateValue(one, value, path).length === 0;
  const causes: FieldCause[] = (schema.allOf ?? []).flatMap((one) => validateValue(one, value, path));
  const broken = (rule: string): number =>
    causes.push({ reason: "FieldValueInvalid", message: `Invalid value: "": "${path}" must ${rule}`, field: path });
  if (schema.anyOf !== undefined && !schema.anyOf.some(holds)) {
    broken("validate at least one schema (anyOf)");
  }
  if (schema.oneOf !== undefined) {
    const valid = schema.oneOf.filter(holds).length;
    const found = valid === 0 ? "none valid" : `${valid} valid alternatives`;
    if (valid !== 1) broken(`validate one and only one schema (oneOf). Found ${found}`);
  }
  if (schema.not !== undefined && holds(schema.not)) broken("not validate the schema (not)");
  return causes;
}

function invalid(path: string, value: unknown, rule: string): FieldCause {
  return {
    reason: "FieldValueInvalid",
    message: `Invalid value: ${quote(value)}: ${inBody(path)} ${rule}`,
    field: path,
  };
}

function inBody(path: string): string {
  return path === "" ? "value in body" : `${path} in body`;
}
