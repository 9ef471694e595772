import { applyFile, containerLog, deleteObjects, getObjects, mergeObject } from "../base/kubectl.ts";
import { LABELS, NODE_CONTAINER } from "./names.ts";

/** The commands that remedies name, with those that know a kind of the product. */
export * from "../base/kubectl.ts";

/** Changes fields of the spec of a cluster; null removes one. */
export function patchCluster(name: string, spec: object): string {
  return patchObject("rec", name, { spec });
}

/** Asks for the node image with that tag. */
export function patchClusterTag(name: string, versionTag: string): string {
  return patchCluster(name, { storeEnterpriseImageSpec: { versionTag } });
}

/** Changes fields of the spec of a database. */
export function patchDatabase(name: string, spec: object): string {
  return patchObject("redb", name, { spec });
}

/** Asks for a database version. */
export function patchDatabaseVersion(name: string, storeVersion: string): string {
  return patchDatabase(name, { storeVersion });
}

/** Deletes databases, with what is in them. */
export function deleteDatabases(names: readonly string[]): string {
  return `${deleteObjects("redb", names)}  # this deletes their data`;
}

/** Deletes the object of an Active-Active database in the namespace of one cluster, with what that holds. */
export function deleteActiveActive(name: string): string {
  return deleteObjects("reaadb", [name]);
}

/** Merges `body` into an object of the product. */
export function patchObject(kind: "rec" | "redb" | "reaadb", name: string, body: object): string {
  return mergeObject(kind, name, body);
}

/** Applies a bundle file; `flags` stand before it. */
export function applyBundle(flags = "", comment = ""): string {
  return applyFile("bundle.yaml", flags, comment);
}

/** Uses data that a node has set aside for a database in recovery; logs in as docs/management-api.md says. */
export function recoverFromSetAside(
  cluster: string,
  bdb: number,
  data: { readonly node: number; readonly id: string },
): string {
  const body = JSON.stringify({ set_aside: { node: data.node, id: data.id } });
  const way = `curl -fsS --cacert ca.crt -u "$REC_USER:$REC_PASSWORD" -H "Content-Type: application/json"`;
  return `${way} -d '${body}' https://${cluster}:9443/v1/bdbs/${bdb}/actions/recover`;
}

/** Lists the node pods; `flags` stand after the label. */
export function getNodePods(flags = ""): string {
  return getObjects(`pods -l ${LABELS.role}=node${flags}`);
}

/** Shows the log of one node: `pod` as the pod is called, or what stands for that. */
export function nodeLog(pod = "<rec>-<n>"): string {
  return containerLog(pod, NODE_CONTAINER);
}
