import { editObject } from "../../api/kubectl.ts";
import type { Finding } from "../../api/parts.ts";
import { visibleLine } from "#kit/base/visible";
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
  /** What is wrong, as the API server's own refusals say it. */
  readonly what: string;
  /** What it is in a status; its evidence begins with the field. */
  readonly finding: Finding;
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
  const what = `Unsupported value: ${JSON.stringify(value)}: supported values: ${values}`;
  return objectTo(field, "FieldValueNotSupported", what, remedy, id);
}

/** The value is of the right type and wrong all the same. */
export function invalidValue(field: string, value: unknown, why: string, remedy: string): Objection {
  return objectTo(field, "FieldValueInvalid", `Invalid value: ${JSON.stringify(value)}: ${why}`, remedy);
}

/** The field may not be set, or not be changed, at this moment. */
export function forbiddenValue(field: string, why: string, remedy: string, id: string = SPEC_INVALID): Objection {
  return objectTo(field, "FieldValueForbidden", `Forbidden: ${why}`, remedy, id);
}

/** The value is there already and may be there once. */
export function duplicateValue(field: string, value: unknown, why: string, remedy: string): Objection {
  return objectTo(field, "FieldValueDuplicate", `Duplicate value: ${JSON.stringify(value)}: ${why}`, remedy);
}

/** The value names something that is not there. */
export function notFoundValue(field: string, value: unknown, why: string, remedy: string): Objection {
  return objectTo(field, "FieldValueNotFound", `Not found: ${JSON.stringify(value)}: ${why}`, remedy);
}

/** The field is missing. */
export function requiredValue(field: string, why: string, remedy: string): Objection {
  return objectTo(field, "FieldValueRequired", `Required value: ${why}`, remedy);
}

function objectTo(
  field: string,
  reason: ObjectionReason,
  what: string,
  remedy: string,
  id: string = SPEC_INVALID,
): Objection {
  const shown = { field: visibleLine(field), what: visibleLine(what) };
  return { ...shown, reason, finding: block(id, `${shown.field}: ${shown.what}`, remedy) };
}

/** The objection as one sentence, the way out last. */
export function sentence({ finding: { evidence, remedy } }: Objection): string {
  return withWayOut(evidence, remedy);
}

/** The same without the field, which the causes of a refusal name beside it. */
export function causeText({ what, finding: { remedy } }: Objection): string {
  return withWayOut(what, remedy);
}

function withWayOut(what: string, remedy: string): string {
  return `${what}; ${remedy}`;
}

/** What stands in the status of `object` (`redb orders`) of everything that the rules have against `facts`: each has a line that can be typed. */
export function ruleFindings<Facts>(
  rules: readonly SpecRule<Facts>[],
  facts: Facts,
  object: string,
): readonly Finding[] {
  return objections(rules, facts).map(({ finding }) =>
    COMMAND.test(finding.remedy) ? finding : { ...finding, remedy: `${finding.remedy}: ${editObject(object)}` },
  );
}

const COMMAND = /\b(?:kubectl|storectl|curl) /;
