/** What one pass over one object came to; only the unexpected is thrown. */
export type Outcome =
  /** Nothing to do before something changes. */
  | { readonly kind: "rest" }
  /** To be looked at again after `afterMs` milliseconds, or as soon as something changes. */
  | { readonly kind: "again"; readonly afterMs: number };

/** The outcome of a pass that found nothing to do. */
export const AT_REST: Outcome = { kind: "rest" };

/** The outcome of a pass after which the object is looked at again, in milliseconds. */
export function lookAgain(afterMs: number): Outcome {
  return { kind: "again", afterMs };
}

/** The one of both that is due first. */
export function sooner(one: Outcome, other: Outcome): Outcome {
  if (one.kind === "rest") return other;
  return other.kind === "rest" || one.afterMs <= other.afterMs ? one : other;
}
