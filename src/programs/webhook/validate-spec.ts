import type { z } from "zod";
import { explainField } from "../../core/api/kubectl.ts";
import { invalidValue } from "../../core/planner/admission/objection.ts";
import { review, type SpecReview } from "../../core/planner/admission/review.ts";
import type { ReviewRequest } from "./review.ts";

/** Applies the rules of a kind, with its advice. */
type Validation<Facts> = (
  rules: Parameters<typeof review<Facts>>[0],
  advice: Parameters<typeof review<Facts>>[1],
) => SpecReview;

/** Reads both specs, and applies the rules to what `factsOf` makes of them. */
export function validateSpec<Spec, Facts>(
  { kind, object, oldObject }: ReviewRequest,
  schema: z.ZodType<Spec>,
  factsOf: (spec: Spec, before: Spec | undefined) => Facts,
): Validation<Facts> {
  const spec = schema.safeParse(object?.spec, { reportInput: true });
  if (!spec.success)
    return () => ({ denials: spec.error.issues.map((issue) => objectionOf(kind.kind, issue)), warnings: [] });
  const before = schema.safeParse(oldObject?.spec).data;
  const facts = factsOf(spec.data, before);
  return (rules, advice) => review(rules, advice, facts, before === undefined ? undefined : factsOf(before, undefined));
}

/** What the schema of the CRD lets pass and ours does not; an older CRD may be installed. */
function objectionOf(kind: string, { path, message, input }: z.core.$ZodIssue) {
  const field = path.reduce<string>(
    (text, part) => (typeof part === "number" ? `${text}[${part}]` : `${text}.${String(part)}`),
    "spec",
  );
  const names = ["spec", ...path.filter((part) => typeof part !== "number")];
  const remedy = `${explainField(`${kind.toLowerCase()}.${names.join(".")}`)} shows what the field accepts`;
  return invalidValue(field, input ?? null, message, remedy);
}
