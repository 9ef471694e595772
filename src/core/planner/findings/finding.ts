import type { Finding } from "../../api/parts.ts";
import type { FindingId } from "./ids.ts";

/** Stops the upgrade until a user acts. */
export function block(id: FindingId, evidence: string, remedy: string): Finding {
  return { id, severity: "block", evidence, remedy };
}

/** Holds the next step up, until the cluster has settled or a user does something small. */
export function wait(id: FindingId, evidence: string, remedy: string): Finding {
  return { id, severity: "wait", evidence, remedy };
}

/** Happens to data or clients of users, and needs their consent. */
export function consent(id: FindingId, evidence: string, remedy: string): Finding {
  return { id, severity: "consent", evidence, remedy };
}

/** Is worth a note and stops nothing. */
export function warn(id: FindingId, evidence: string, remedy: string): Finding {
  return { id, severity: "warn", evidence, remedy };
}

/** Could not be checked. */
export function unknown(id: FindingId, evidence: string): Finding {
  const remedy = "give the caller permission to read it (kubectl auth can-i --list), or check it by hand";
  return { id, severity: "unknown", evidence, remedy };
}

/** A finding as one sentence with its remedy. */
export function sentenceOf({ evidence, remedy }: Finding): string {
  return `${evidence}; remedy: ${remedy}`;
}
