import type { Finding } from "../../api/parts.ts";
import { block } from "../findings/finding.ts";

/** The kind of an objection, as Kubernetes names them in the causes of a refusal. */
export type ObjectionReason =
  | "FieldValueInvalid"
  | "FieldValueNotSupported"
  | "FieldValueForbidden"
  | "FieldValueDuplicate"
  | "FieldValueNotFound"
  | "FieldValueRequired";

/** What a rule has against one field. */
export interface Objection {
  /** Path from the root of the object: `spec.participatingClusters[1].name`. */
  readonly field: string;
  readonly reason: ObjectionReason;
  /** What is wrong, with the value; begins as the API server's own refusals do. */
  readonly message: string;
  /** What is right, or the command that makes it so. */
  readonly remedy: string;
  /** Name of the finding that it is in a status. */
  readonly id: string;
}

/** One rule on the spec of a kind: every field that it objects to. */
export type SpecRule<Facts> = (facts: Facts) => readonly Objection[];

/** Something that is accepted and yet comes to nothing, as a sentence for the user. */
export type Advice<Facts> = (facts: Facts) => readonly string[];

/** Everything that the rules have against `facts`, in the order of the rules. */
export function objections<Facts>(rules: readonly SpecRule<Facts>[], facts: Facts): readonly Objection[] {
  return rules.flatMap((rule) => rule(facts));
}

/** Name of the finding unless a rule has one of its own. */
const SPEC_INVALID = "SpecInvalid";

/** The value is none of those that there are. */
export function unsupportedValue(
  field: string,
  value: unknown,
  allowed: readonly unknown[],
  remedy: string,
  id: string = SPEC_INVALID,
): Objection {
  const values = allowed.map((each) => JSON.stringify(each)).join(", ");
  const message = `Unsupported value: ${JSON.stringify(value)}: supported values: ${values}`;
  return { field, reason: "FieldValueNotSupported", message, remedy, id };
}

/** The value is of the right type and wrong all the same. */
export function invalidValue(field: string, value: unknown, why: string, remedy: string): Objection {
  const message = `Invalid value: ${JSON.stringify(value)}: ${why}`;
  return { field, reason: "FieldValueInvalid", message, remedy, id: SPEC_INVALID };
}

/** The field may not be set, or not be changed, at this moment. */
export function forbiddenValue(field: string, why: string, remedy: string, id: string = SPEC_INVALID): Objection {
  return { field, reason: "FieldValueForbidden", message: `Forbidden: ${why}`, remedy, id };
}

/** The value is there already and may be there once. */
export function duplicateValue(field: string, value: unknown, why: string, remedy: string): Objection {
  const message = `Duplicate value: ${JSON.stringify(value)}: ${why}`;
  return { field, reason: "FieldValueDuplicate", message, remedy, id: SPEC_INVALID };
}

/** The value names something that is not there. */
export function notFoundValue(field: string, value: unknown, why: string, remedy: string): Objection {
  const message = `Not found: ${JSON.stringify(value)}: ${why}`;
  return { field, reason: "FieldValueNotFound", message, remedy, id: SPEC_INVALID };
}

/** The field is missing. */
export function requiredValue(field: string, why: string, remedy: string): Objection {
  return { field, reason: "FieldValueRequired", message: `Required value: ${why}`, remedy, id: SPEC_INVALID };
}

/** The objection as one sentence, the way out last. */
export function sentence({ field, message, remedy }: Objection): string {
  return `${field}: ${message}; ${remedy}`;
}

/** The objection as the finding of a status. */
export function findingOf({ field, message, remedy, id }: Objection): Finding {
  return block(id, `${field}: ${message}`, remedy);
}
