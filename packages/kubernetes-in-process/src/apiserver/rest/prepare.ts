import { invalidError, apiErrors, apiError } from "../faults.ts";
import { type KubeObject } from "../objects/object.ts";
import type { Resource } from "../resources/resource.ts";
import { applyDefaults } from "../schema/defaults.ts";
import { omitEmpty } from "../schema/omit.ts";
import { pruneUnknown } from "../schema/prune.ts";
import { canonicalQuantities } from "../schema/quantity.ts";
import { firstMistyped } from "../schema/types.ts";
import { validateValue } from "../schema/validate.ts";
import type { ApiCall } from "../http/call.ts";
import { reportLooseFields } from "./exchange.ts";
import { asObject } from "./shape.ts";
import { metadataCauses } from "./name-rules.ts";

/**
 * The object with its unknown fields gone (said, warned of or refused as `fieldValidation` asks; 400 in strict mode) and
 * its defaults filled in. The result may be changed.
 */
export function completeObject(call: ApiCall, resource: Resource, object: KubeObject): KubeObject {
  const value = pruneFields(call, resource, object);
  const filled = resource.custom ? asObject(applyDefaults(resource.schema(), value)) : value;
  resource.strategy.defaults?.(filled);
  return filled;
}

/** The object without the fields that its schema does not know, treated as `fieldValidation` asks. */
function pruneFields(call: ApiCall, resource: Resource, object: KubeObject): KubeObject {
  const { value, dropped } = pruneUnknown(resource.schema(), withoutEmptyFields(resource, object));
  reportLooseFields(call, "unknown field", dropped, `${handledAs(resource)}: `);
  if (resource.custom) return asObject(value);
  checkTypes(resource, value);
  return asObject(canonicalQuantities(resource.schema(), value));
}

/** Built-in kinds are decoded before anything else: 400 for a value that does not fit its field. */
function checkTypes(resource: Resource, value: unknown): void {
  const wrong = firstMistyped(resource.schema(), value);
  if (wrong === undefined) return;
  const actual = wrong.actual === "integer" ? "number" : wrong.actual;
  const why = `json: cannot unmarshal ${actual} into Go struct field ${resource.kind}.${wrong.field} of type ${wrong.wanted}`;
  throw apiError(apiErrors.badRequest, `${handledAs(resource)}: ${why}`);
}

function handledAs({ kind, version }: Resource): string {
  return `${kind} in version "${version}" cannot be handled as a ${kind}`;
}

/** 422 with a cause for each field that is wrong. */
export function requireValid(resource: Resource, object: KubeObject, before: KubeObject | undefined): void {
  const wrong = [...metadataCauses(resource, object), ...validateValue(resource.schema(), object)];
  // rules about content read fields whose type has been checked first
  const causes = wrong.length > 0 ? wrong : (resource.strategy.check?.(object, before) ?? []);
  if (causes.length > 0) throw invalidError(resource, object.metadata.name, causes);
}

/** The object without empty fields; of a custom resource, only the metadata are treated like those of built-in kinds. */
function withoutEmptyFields({ custom, schema }: Resource, object: KubeObject): unknown {
  if (!custom) return omitEmpty(schema(), object);
  const metadata = schema().properties?.["metadata"] ?? {};
  return { ...object, metadata: omitEmpty(metadata, object.metadata) };
}
