/** What one pass over one object came to; only the unexpected is thrown. */
export type Outcome =
  /** Nothing to do before something changes. */
  | { readonly kind: "settled" }
  /** To be looked at again after `afterMs` milliseconds, or as soon as something changes. */
  | { readonly kind: "waiting"; readonly afterMs: number; readonly reason: string; readonly message: string }
  /** Goes on only after a user has done what `remedy` says. */
  | { readonly kind: "stuck"; readonly reason: string; readonly message: string; readonly remedy: string };

export const settled: Outcome = { kind: "settled" };

export function waiting(afterMs: number, reason: string, message: string): Outcome {
  return { kind: "waiting", afterMs, reason, message };
}

export function stuck(reason: string, message: string, remedy: string): Outcome {
  return { kind: "stuck", reason, message, remedy };
}

/** The outcome of several passes together: the gravest, and of two that wait the one that waits less. */
export function gravest(outcomes: readonly Outcome[]): Outcome {
  return outcomes.reduce(graver, settled);
}

const GRAVITY = { settled: 0, waiting: 1, stuck: 2 } as const satisfies Record<Outcome["kind"], number>;

function graver(a: Outcome, b: Outcome): Outcome {
  if (a.kind === "waiting" && b.kind === "waiting") return a.afterMs <= b.afterMs ? a : b;
  return GRAVITY[a.kind] >= GRAVITY[b.kind] ? a : b;
}
