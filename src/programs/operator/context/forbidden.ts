import { Fault, isFault, messageOf } from "#kit/base/fault";
import type { FindingOf } from "../../../core/planner/findings/finding.ts";
import { OPERATOR_NAME } from "../../../core/api/names.ts";
import { faults } from "#kit/kube/faults";
import type { Permissions } from "../../../mechanisms/observe/permissions/permissions.ts";
import { operatorFinding, refusalFinding } from "../../../core/planner/prerequisites/permissions.ts";
import type { Release } from "../../../core/releases/catalogue/release.ts";

/** An answer that is older than this, in milliseconds, says nothing about a refusal. */
const ASKED_MS = 500;

/** Why Kubernetes forbade a request, as the status of a cluster and of its databases says it. */
export type Forbidden = FindingOf<"PermissionsMissing" | "RequestForbidden">;

export interface ForbiddenDeps {
  readonly permissions: Permissions;
  readonly release: Release;
}

/** What stands behind a request that Kubernetes forbade: missing permissions by name; undefined for any other failure. */
export async function forbiddenFinding(
  { permissions, release }: ForbiddenDeps,
  namespace: string,
  failure: unknown,
): Promise<Forbidden | undefined> {
  if (!isRefused(failure)) return undefined;
  const lacking = await permissions.operator(ASKED_MS);
  const needed = lacking.read ? lacking.value.filter(({ spare }) => spare !== true) : [];
  return needed.length > 0
    ? operatorFinding(needed, release.operator)
    : refusalFinding(messageOf(failure), namespace, OPERATOR_NAME);
}

/** Kubernetes refused a request as such: an admission policy may do so with any code, by default with that of a bad request. */
function isRefused(failure: unknown): failure is Fault {
  return isFault(failure, faults.forbidden) || (failure instanceof Fault && DENIED.test(failure.message));
}

/** What the API server says for each admission webhook and each admission policy that refuses. */
const DENIED = /\b(?:admission webhook|ValidatingAdmissionPolicy) .*denied (?:the )?request/;
