/** What one pass over one object came to; only the unexpected is thrown. */
export type Outcome =
  /** Nothing to do before something changes. */
  | { readonly kind: "settled" }
  /** To be looked at again after `afterMs` milliseconds, or as soon as something changes. */
  | { readonly kind: "waiting"; readonly afterMs: number; readonly reason: string; readonly message: string };

export const settled: Outcome = { kind: "settled" };

export function waiting(afterMs: number, reason: string, message: string): Outcome {
  return { kind: "waiting", afterMs, reason, message };
}
