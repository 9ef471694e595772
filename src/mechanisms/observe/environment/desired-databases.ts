import type { Kube } from "#kit/kube/kube";
import type { DesiredDatabase } from "../../../core/planner/prerequisites/environment.ts";
import { readDatabasesOf } from "../kubernetes/databases-of.ts";
import type { ClusterName } from "./place.ts";

/** What the objects of the cluster's databases ask for. */
export async function readDesiredDatabases(
  kube: Kube,
  { name, namespace }: ClusterName,
): Promise<readonly DesiredDatabase[]> {
  return (await readDatabasesOf(kube, { name, namespace })).map(({ metadata, spec, status }) => ({
    name: metadata.name,
    storeVersion: spec.storeVersion,
    objection: status?.specStatus === "Invalid" ? (status.conditions ?? []).map(readyMessage).join("") : "",
  }));
}

function readyMessage({ type, message }: { readonly type: string; readonly message: string }): string {
  return type === "Ready" ? message : "";
}
