import type { ClusterRef } from "../../../mechanisms/observe/kubernetes/cluster-reads.ts";
import { isTrue } from "#kit/kube/conditions";
import type { ClusterRecords } from "../../../mechanisms/observe/management/cluster-records.ts";
import type { BdbRecord } from "../../../ports/management/records.ts";
import type { ClusterContext } from "../context/cluster-context.ts";
import type { Redb } from "./cluster.ts";
import { evaluateDatabase, type DatabaseEvaluation } from "./evaluation.ts";
import { keepMark, ownDatabase } from "./identity.ts";
import { observeCertificate } from "./certificate.ts";
import { restoreSecret } from "./restored-secret.ts";
import { passwordState } from "./secret.ts";
import { observeSecret } from "./secret-verdict.ts";
import { siteOfDatabase } from "./site.ts";
import type { DatabasePassDeps } from "./deps.ts";
import { STEP_MS } from "./pauses.ts";

/**
 * What a database is and what is decided about it. The informer cache and the last answers of the cluster show whether there is something to do;
 * the decision what to do reads the objects anew. A Secret that was lost is made again from what the cluster has.
 */
export async function observeDatabase(
  deps: DatabasePassDeps,
  redb: Redb,
  cluster: ClusterRef,
  context: ClusterContext,
): Promise<DatabaseEvaluation> {
  const objects = {
    site: siteOfDatabase(deps.cache, redb),
    secret: await observeSecret(deps, deps.cache.secrets, redb),
    own: (records: ClusterRecords) => ownDatabase(deps, cluster.name, records, redb),
    certificate: (bdb: BdbRecord | undefined) => observeCertificate(deps, redb, cluster.name, bdb),
  };
  let state = passwordState(deps.cache.secrets, redb);
  const evaluate = (within: ClusterContext, maxAgeMs: number): Promise<DatabaseEvaluation> =>
    evaluateDatabase(redb, within, deps.release, { ...objects, state }, maxAgeMs);
  let seen = await evaluate(context, isQuiet(redb) ? Infinity : STEP_MS);
  if (seen.bdb !== undefined) {
    await keepMark(deps, cluster.name, redb, seen.bdb, false);
    const isKept =
      state !== "lost" || (await restoreSecret(deps.kube, cluster.name, redb, seen.bdb, objects.certificate));
    if (!isKept) state = "missing";
    if (!isKept) seen = await evaluate(context, Infinity);
  }
  return isToAct(seen) ? evaluate(await deps.freshContext(cluster), STEP_MS) : seen;
}

/** Says of itself that nothing is left to be done. */
function isQuiet({ metadata, status }: Redb): boolean {
  return (
    status?.status === "active" &&
    status.observedGeneration === metadata.generation &&
    isTrue(status.conditions, "Ready")
  );
}

function isToAct({ decision }: DatabaseEvaluation): boolean {
  return decision?.step.kind === "act";
}
