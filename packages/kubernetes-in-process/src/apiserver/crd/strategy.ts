import { childOf, fillIn, isJson, listAt, textAt, textsAt, type Json } from "../objects/json.ts";
import type { StatusCause } from "../faults.ts";
import type { KubeObject } from "../objects/object.ts";
import type { Strategy } from "../resources/resource.ts";
import { checkStructural } from "../schema/structural.ts";
import { compileJsonPath } from "../table/jsonpath.ts";
import { schemaOf } from "./definition.ts";

/** Keeps a definition until its objects are gone. */
export const CLEANUP_FINALIZER = "customresourcecleanup.apiextensions.k8s.io";

export const definitionStrategy: Strategy = {
  defaults: (definition) => {
    const spec = childOf(definition, "spec");
    const names = childOf(spec, "names");
    const kind = textAt(names, "kind");
    fillIn(names, { listKind: `${kind}List`, singular: kind.toLowerCase() });
    fillIn(spec, { conversion: { strategy: "None" } });
  },
  begin: (definition) => {
    const finalizers = (definition.metadata.finalizers ??= []);
    if (!finalizers.includes(CLEANUP_FINALIZER)) finalizers.push(CLEANUP_FINALIZER);
  },
  check: (definition, before) => [
    ...nameCauses(definition),
    ...versionCauses(definition),
    ...changeCauses(definition, before),
    ...listAt(definition, "spec", "versions").flatMap(schemaCauses),
  ],
};

function nameCauses(definition: KubeObject): StatusCause[] {
  const wanted = `${textAt(definition, "spec", "names", "plural")}.${textAt(definition, "spec", "group")}`;
  if (definition.metadata.name === wanted) return [];
  const message = `Invalid value: ${JSON.stringify(definition.metadata.name)}: must be spec.names.plural+"."+spec.group`;
  return [{ reason: "FieldValueInvalid", field: "metadata.name", message }];
}

function versionCauses(definition: KubeObject): StatusCause[] {
  const versions = listAt(definition, "spec", "versions");
  const causes: StatusCause[] = [];
  if (versions.filter((version) => version["storage"] === true).length !== 1) {
    const message = `Invalid value: ${JSON.stringify(versions.map(({ name }) => name))}: must have exactly one version marked as storage version`;
    causes.push({ reason: "FieldValueInvalid", field: "spec.versions", message });
  }
  if (textAt(definition, "spec", "conversion", "strategy") === "Webhook") {
    const message = 'Unsupported value: "Webhook": supported values: "None"';
    causes.push({ reason: "FieldValueNotSupported", field: "spec.conversion.strategy", message });
  }
  return causes;
}

function schemaCauses(version: Json, index: number): StatusCause[] {
  const field = `spec.versions[${index}].schema.openAPIV3Schema`;
  if (!isJson(version["schema"]) || !isJson(version["schema"]["openAPIV3Schema"])) {
    return [{ reason: "FieldValueRequired", field, message: "Required value: schemas are required" }];
  }
  const columns = listAt(version, "additionalPrinterColumns").flatMap((column, place): StatusCause[] => {
    const path = textAt(column, "jsonPath");
    if (compileJsonPath(path) !== undefined) return [];
    const where = `spec.versions[${index}].additionalPrinterColumns[${place}].jsonPath`;
    return [
      { reason: "FieldValueInvalid", field: where, message: `Invalid value: ${JSON.stringify(path)}: is no JSON path` },
    ];
  });
  return [...checkStructural(schemaOf(version), field), ...columns];
}

/** Scope, group and names never change; a version that objects may be stored in stays. */
function changeCauses(definition: KubeObject, before: KubeObject | undefined): StatusCause[] {
  if (before === undefined) return [];
  const fixed = [["scope"], ["group"], ["names", "plural"], ["names", "kind"]];
  const changed = fixed
    .filter((path) => textAt(definition, "spec", ...path) !== textAt(before, "spec", ...path))
    .map((path) => ({
      reason: "FieldValueInvalid",
      field: `spec.${path.join(".")}`,
      message: `Invalid value: ${JSON.stringify(textAt(definition, "spec", ...path))}: field is immutable`,
    }));
  const names = listAt(definition, "spec", "versions").map(({ name }) => name);
  const kept = textsAt(before, "status", "storedVersions").flatMap((name, place) => {
    const message = `Invalid value: ${JSON.stringify(name)}: must appear in spec.versions`;
    if (names.includes(name)) return [];
    return [{ reason: "FieldValueInvalid", field: `status.storedVersions[${place}]`, message }];
  });
  return [...changed, ...kept];
}
