import { applyFile, containerLog, deleteObjects, getObjects, mergeObject } from "../base/kubectl.ts";
import { quotedWord, shellWord } from "../base/shell-word.ts";
import { clusterNames, LABELS, NODE_CONTAINER } from "./names.ts";

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

/**
 * One call of the management API (§4.2) as a line of bash: kubectl brings login, authority and address of a node, and curl verifies the node.
 * A `comment` follows after `#`.
 */
export function callApi(
  cluster: string,
  method: "GET" | "POST" | "DELETE",
  path: string,
  { body, comment = "" }: { readonly body?: object; readonly comment?: string } = {},
): string {
  const data = body === undefined ? "" : ` -H "Content-Type: application/json" -d ${quotedWord(JSON.stringify(body))}`;
  return `curl -X ${method}${data} ${wayTo(cluster)}${path}${comment === "" ? "" : `  # ${comment}`}`;
}

/** Uploads the archive of a module, likewise. */
export function uploadModule(cluster: string, file: string, comment = ""): string {
  const form = shellWord(`module=@${file}`);
  return `curl -F ${form} ${wayTo(cluster)}/v2/modules${comment === "" ? "" : `  # ${comment}`}`;
}

function wayTo(cluster: string): string {
  const host = shellWord(cluster);
  const login = ["username", "password"].map((key) => valueOf(clusterNames.credentialsSecret(cluster), key)).join(":");
  const authority = valueOf(clusterNames.nodeTlsSecret(cluster), String.raw`ca\.crt`);
  const labels = `${LABELS.cluster}=${cluster},${LABELS.role}=node`;
  const address = `$(${getObjects(`pods -l ${labels} -o jsonpath='{.items[0].status.podIP}'`)})`;
  return `-fsS --cacert <(echo "${authority}") -u "${login}" --connect-to "${host}:9443:${address}:9443" https://${host}:9443`;
}

function valueOf(secret: string, key: string): string {
  return `$(${getObjects(`secret ${shellWord(secret)} -o jsonpath='{.data.${key}}'`)} | base64 -d)`;
}

/** Uses data that a node has set aside for a database in recovery. */
export function recoverFromSetAside(
  cluster: string,
  bdb: number,
  data: { readonly node: number; readonly id: string },
): string {
  const body = { set_aside: { node: data.node, id: data.id } };
  return callApi(cluster, "POST", `/v1/bdbs/${bdb}/actions/recover`, { body });
}

/** Lists the node pods; `flags` stand after the label. */
export function getNodePods(flags = ""): string {
  return getObjects(`pods -l ${LABELS.role}=node${flags}`);
}

/** Shows the log of one node: `pod` as the pod is called, or what stands for that. */
export function nodeLog(pod = "<rec>-<n>"): string {
  return containerLog(pod, NODE_CONTAINER);
}
