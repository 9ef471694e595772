import type { Log } from "#kit/base/log";
import { KINDS, type KindName } from "../../../core/api/kinds.ts";
import type { Finding } from "../../../core/api/parts.ts";
import { findingChanges } from "../../../core/planner/findings/changes.ts";
import type { Ref } from "#kit/kube/kube";
import { keyOf } from "#kit/kube/ref";

/** Writes each finding that begins or ends to the log of the operator, which names the cause of what waits (§7). */
export interface FindingLog {
  /** The findings about an object, and those that its status had before. An object without both is gone. */
  report(kind: KindName, ref: Ref, findings: readonly Finding[], stored?: readonly Finding[]): void;
}

/** An operator that has just started writes each finding that it finds, so that every log names the cause. */
export function findingLog(log: Log): FindingLog {
  const known = new Map<string, readonly Finding[]>();
  return {
    report(kind, ref, findings, stored) {
      const key = `${kind} ${keyOf(ref)}`;
      const written = known.get(key);
      const { began } = findingChanges(written ?? [], findings);
      const { ended } = findingChanges(written ?? stored ?? [], findings);
      if (findings.length === 0 && stored === undefined) known.delete(key);
      else known.set(key, findings);
      const object = `${KINDS[kind].shortName}/${ref.name}`;
      for (const finding of began) log.warn("a finding began", fieldsOf(finding, object, ref.namespace));
      for (const finding of ended) log.info("a finding ended", fieldsOf(finding, object, ref.namespace));
    },
  };
}

function fieldsOf({ id, severity, evidence, remedy }: Finding, object: string, namespace = "default") {
  return { finding: id, severity, object, namespace, evidence, remedy };
}
