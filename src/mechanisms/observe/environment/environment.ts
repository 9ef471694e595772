import type { Clock } from "#kit/base/clock";
import { Fault } from "#kit/base/fault";
import type { Kube } from "#kit/kube/kube";
import type { Reading, ClusterEnvironment } from "../../../core/planner/prerequisites/environment.ts";
import { readConstraint, readDefinitions, readOperator, readWebhook } from "./installed.ts";
import { readVolumes } from "../kubernetes/claims.ts";
import { readPortRules, readWorkers } from "./machines.ts";
import type { ClusterName } from "./place.ts";
import { readDesiredDatabases } from "./desired-databases.ts";

/** Reads all that lies around a cluster, each part where the caller may; one that it may not read says so. */
export async function readEnvironment(
  { kube, clock }: { readonly kube: Kube; readonly clock: Clock },
  cluster: ClusterName,
): Promise<ClusterEnvironment> {
  const [workers, volumes, networkPolicies, definitions, webhook, operator, desiredDatabases, constraint] =
    await Promise.all([
      readOrReason(readWorkers(kube, cluster)),
      readOrReason(readVolumes(kube, cluster)),
      readOrReason(readPortRules(kube, cluster)),
      readOrReason(readDefinitions(kube)),
      readOrReason(readWebhook(kube, cluster)),
      readOrReason(readOperator(kube, cluster)),
      readOrReason(readDesiredDatabases(kube, cluster)),
      readOrReason(readConstraint(kube, cluster)),
    ]);
  const now = { read: true, value: clock.now().toISOString() } as const;
  return { workers, volumes, networkPolicies, definitions, webhook, operator, desiredDatabases, constraint, now };
}

/** What the API refuses or cannot answer is a reason; anything else is a failure. */
async function readOrReason<T>(asked: Promise<T>): Promise<Reading<T>> {
  try {
    return { read: true, value: await asked };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { read: false, why: error.message };
  }
}
