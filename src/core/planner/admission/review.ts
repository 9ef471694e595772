import { objections, sentence, type Advice, type Objection, type SpecRule } from "./objection.ts";

/** What is said of an object that is about to be stored. */
export interface SpecReview {
  /** Why it is refused; empty when it is accepted. */
  readonly denials: readonly Objection[];
  /** Warnings for the user. */
  readonly warnings: readonly string[];
}

/** Accepted, and nothing to say. */
export const ACCEPTED: SpecReview = { denials: [], warnings: [] };

/**
 * What the rules say of `facts`. What was wrong in `before` already, in the same words, is a warning: a user who corrects one
 * thing is not held up by another that an older release let in.
 */
export function review<Facts>(
  rules: readonly SpecRule<Facts>[],
  advice: readonly Advice<Facts>[],
  facts: Facts,
  before: Facts | undefined,
): SpecReview {
  const known = new Set(before === undefined ? [] : objections(rules, before).map(sentence));
  const [old, fresh] = divide(objections(rules, facts), (objection) => known.has(sentence(objection)));
  const warnings = [
    ...old.map((objection) => `${sentence(objection)} (it was so before)`),
    ...collectAdvice(advice, facts),
  ];
  return { denials: fresh, warnings };
}

function collectAdvice<Facts>(advice: readonly Advice<Facts>[], facts: Facts): string[] {
  return advice.flatMap((each) => each(facts));
}

function divide<T>(list: readonly T[], claim: (one: T) => boolean): [T[], T[]] {
  return [list.filter(claim), list.filter((one) => !claim(one))];
}
