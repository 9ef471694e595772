import type { Finding } from "../../api/parts.ts";

/** What differs between the findings about an object at two moments. */
export interface FindingChanges {
  readonly began: readonly Finding[];
  readonly ended: readonly Finding[];
}

/**
 * The findings that began and ended. One that waits has live values that change from moment to moment, and stays the same
 * finding. Any other one begins anew with each new evidence, and when it blocks what it only warned of; the one that it replaces has not ended.
 */
export function findingChanges(before: readonly Finding[], after: readonly Finding[]): FindingChanges {
  const began = missingFrom(before, after);
  const replaced = began.map(({ id }) => id);
  const ended = missingFrom(after, before).filter(({ id }) => {
    const index = replaced.indexOf(id);
    if (index >= 0) replaced.splice(index, 1);
    return index < 0;
  });
  return { began, ended };
}

function missingFrom(known: readonly Finding[], findings: readonly Finding[]): readonly Finding[] {
  const keys = new Set(known.map(keyOfFinding));
  return findings.filter((finding) => !keys.has(keyOfFinding(finding)));
}

function keyOfFinding({ id, severity, evidence }: Finding): string {
  return severity === "wait" ? id : `${id} ${severity} ${evidence}`;
}
