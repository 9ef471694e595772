import { isFault, messageOf } from "#kit/base/fault";
import { faults } from "#kit/kube/faults";
import { deploymentLog } from "../../../core/api/kubectl.ts";
import { OPERATOR_NAME } from "../../../core/api/names.ts";
import type { Finding } from "../../../core/api/parts.ts";
import { wait } from "../../../core/planner/findings/finding.ts";
import { forbiddenFinding, type ForbiddenDeps } from "../context/forbidden.ts";

/** What could not be done for a cluster, as its status says it: failures of one id are one finding, which says all of them. */
export async function failureFindings(
  deps: ForbiddenDeps,
  namespace: string,
  failures: readonly Error[],
): Promise<readonly Finding[]> {
  const found: Finding[] = [];
  for (const failure of failures)
    found.push((await forbiddenFinding(deps, namespace, failure)) ?? failedFinding(failure));
  return [...Map.groupBy(found, ({ id }) => id).values()].flatMap(joinFindings);
}

/** The errors that an error stands for. */
export function errorsIn(error: unknown): readonly Error[] {
  if (error instanceof AggregateError) return error.errors.flatMap(errorsIn);
  return [error instanceof Error ? error : new Error(String(error))];
}

/** Another writer was faster: the next pass decides on the new state, and nothing has failed. */
export function isRace(error: unknown): boolean {
  return isFault(error, faults.conflict);
}

function failedFinding(failure: Error): Finding {
  return wait(
    "StepFailed",
    messageOf(failure),
    `the operator tries again; where something refuses it, end that; the log of the operator has the rest: ${deploymentLog(OPERATOR_NAME)}`,
  );
}

function joinFindings(findings: readonly Finding[]): readonly Finding[] {
  const [first] = findings;
  if (first === undefined) return [];
  return [{ ...first, evidence: [...new Set(findings.map(({ evidence }) => evidence))].join("; ") }];
}
