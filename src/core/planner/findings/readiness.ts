import type { Finding } from "../../api/parts.ts";
import { sentenceOf } from "./finding.ts";
import type { Statement } from "./statement.ts";

/** What `Ready` rests on. */
export interface ReadinessFacts {
  /** Something is under way that ends without a person. */
  readonly isMoving: boolean;
  /** What is known to be wrong. */
  readonly findings: readonly Finding[];
}

/**
 * `Ready` with the two conditions that deploy tools read beside it (kstatus). `Reconciling` is True while something moves or is waited
 * for. `Stalled` is True only when what was asked for does not come before a person acts, with what is to be done.
 */
export function readiness(ready: Statement, { isMoving, findings }: ReadinessFacts): readonly Statement[] {
  const isReady = ready.status === "True";
  const cause = isReady || isMoving ? undefined : findings.find(({ severity }) => BY_A_PERSON.has(severity));
  const generation = ready.observedGeneration === undefined ? {} : { observedGeneration: ready.observedGeneration };
  const say = (type: string, status: Statement["status"], reason: string, message: string): Statement => ({
    type,
    status,
    reason,
    message,
    ...generation,
  });
  const isReconciling = isMoving || (!isReady && cause === undefined);
  return [
    ready,
    isReconciling
      ? say("Reconciling", "True", ready.reason, ready.message)
      : say("Reconciling", "False", cause === undefined ? "AtRest" : "Stalled", "nothing moves"),
    cause === undefined
      ? say("Stalled", "False", "NotStalled", "nothing waits for a person")
      : say("Stalled", "True", cause.id, sentenceOf(cause)),
  ];
}

const BY_A_PERSON: ReadonlySet<Finding["severity"]> = new Set(["block", "consent"]);
