import type { z } from "zod";
import { databaseSpec } from "../../api/database-spec.ts";
import { explainField } from "../../api/kubectl.ts";
import { forbiddenValue, invalidValue, unsupportedValue } from "../admission/objection.ts";
import type { EditResult, WrittenSpec } from "./edits.ts";
import { isObject, withVersion } from "./shared.ts";
import { parseJson } from "#kit/base/json";

// each site has a cluster of its own, and no backups; the alias is written where the list is
const { storeEnterpriseCluster: _ofSite, modulesList: _alias, backup: _none, ...GLOBAL_FIELDS } = databaseSpec.shape;

/** The spec with one field of its global configuration, as text or as JSON; empty: it has its default again. */
export function withField(spec: WrittenSpec, field: string, text: string): EditResult<WrittenSpec> {
  const at = `spec.globalConfigurations.${field}`;
  if (field === "storeEnterpriseCluster") {
    const why = "it differs from site to site, and only global fields are set here";
    return { objection: forbiddenValue(at, why, "leave it out") };
  }
  const schema = schemaOf(field);
  if (schema === undefined) {
    const allowed = Object.keys(GLOBAL_FIELDS).toSorted();
    return { objection: unsupportedValue("spec.globalConfigurations", field, allowed, "name one of them") };
  }
  const read = text === "" ? { value: undefined } : valueOf(schema, text);
  if ("why" in read) {
    const remedy = `${explainField(`reaadb.${at}`)} shows what it accepts`;
    return { objection: invalidValue(at, text, read.why, remedy) };
  }
  if (field === "storeVersion" && text !== "") return { value: { ...spec, ...withVersion(spec, text) } };
  return { value: withValue(spec, field, read.value) };
}

/** Modules and version may stand at the top; what is there counts before what is in the configuration. */
function withValue(spec: WrittenSpec, field: string, value: unknown): WrittenSpec {
  const global = isObject(spec["globalConfigurations"]) ? spec["globalConfigurations"] : {};
  const inner = field === "moduleList" && "modulesList" in global ? "modulesList" : field;
  return field in spec || (field === "moduleList" && !(inner in global))
    ? without({ ...spec, [field]: value })
    : { ...spec, globalConfigurations: without({ ...global, [inner]: value }) };
}

function schemaOf(field: string): z.ZodType | undefined {
  return Object.entries(GLOBAL_FIELDS).find(([name]) => name === field)?.[1];
}

/** Names and quantities are text, numbers and lists are JSON. */
function valueOf(schema: z.ZodType, text: string): { readonly value: unknown } | { readonly why: string } {
  const asText = schema.safeParse(text);
  if (asText.success) return { value: text };
  const value = parseJson(text);
  const asJson = schema.safeParse(value ?? text);
  if (asJson.success) return { value };
  return { why: asJson.error.issues.map(({ message }) => message).join("; ") };
}

function without<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
