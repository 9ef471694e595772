import type { StoreEnterpriseCluster, StoreEnterpriseDatabase } from "../../../core/api/kinds.ts";
import { deleteDatabases, describeObject } from "../../../core/api/kubectl.ts";
import type { ClusterEnvironment } from "../../../core/planner/prerequisites/environment.ts";
import type { ClusterView } from "../../../core/planner/view/cluster-view.ts";
import { removeFinalizers } from "../../../core/planner/view/overdue.ts";
import type { Stored } from "#kit/kube/kube";
import type { WhyAnswer } from "./answer.ts";

/** For a cluster that is being deleted, only what its deletion waits for counts: databases that go only with a request of their own. */
export function deletionOfCluster(
  rec: Stored<StoreEnterpriseCluster>,
  databases: readonly Stored<StoreEnterpriseDatabase>[],
  environment: ClusterEnvironment,
): WhyAnswer {
  if (hasNoOperator(environment)) return deletion("rec", rec, { rule: "Deleting", clears: endAlone("rec", rec) });
  const names = databases
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map((one) => one.metadata.name);
  const clears = names.length === 0 ? describeObject(`rec/${rec.metadata.name}`) : deleteDatabases(names);
  return deletion("rec", rec, { rule: names.length === 0 ? "Deleting" : "DatabasesRemain", clears });
}

/** The same for a database, which goes once a node of its cluster has taken it out of its record. */
export function deletionOfDatabase(
  redb: Stored<StoreEnterpriseDatabase>,
  { cluster }: Pick<ClusterView, "cluster">,
  environment: ClusterEnvironment,
): WhyAnswer {
  if (hasNoOperator(environment)) return deletion("redb", redb, { rule: "Deleting", clears: endAlone("redb", redb) });
  const isSilent = !cluster.reachable && cluster.cause === undefined;
  const look = describeObject(`redb/${redb.metadata.name}`);
  const alone = `${look}; when no node comes back, to remove the object alone: ${removeFinalizers("redb", redb.metadata.name)}`;
  return deletion("redb", redb, { rule: "Deleting", clears: isSilent ? alone : look });
}

/** The operator is being deleted too, as with the namespace, or is gone: it ends no deletion any more. */
function hasNoOperator({ operator }: ClusterEnvironment): boolean {
  if (operator?.read !== true || operator.value.ready > 0) return false;
  return operator.value.leaving === true || operator.value.image === "";
}

/** No data goes with a finalizer. */
function endAlone(
  kind: "rec" | "redb",
  { metadata }: Stored<StoreEnterpriseCluster | StoreEnterpriseDatabase>,
): string {
  return `no operator ends it any more; to end it without one: ${removeFinalizers(kind, metadata.name)}`;
}

function deletion(
  shortName: "rec" | "redb",
  { metadata, status }: Stored<StoreEnterpriseCluster | StoreEnterpriseDatabase>,
  { rule, clears }: Pick<WhyAnswer, "rule" | "clears">,
): WhyAnswer {
  const waits = status?.conditions?.find(({ type }) => type === "Progressing" || type === "Ready");
  const evidence = `it is being deleted${waits === undefined ? "" : `; ${waits.message}`}`;
  const since = metadata.deletionTimestamp ?? "";
  return { level: "blocks", object: `${shortName}/${metadata.name}`, rule, evidence, since, clears };
}
