import {
  applyFile,
  containerLog,
  deleteObjects,
  getObjects,
  getValue,
  mergeObject,
  mergeObjectOf,
  patchWebhook,
  selectPods,
  withComment,
  writeSecret,
} from "#kit/base/kubectl";
import { placeholder, quotedWord, shellWord, type Word } from "#kit/base/shell-word";
import {
  ADMISSION_PORT,
  clusterNames,
  LABELS,
  LICENSE_KEY,
  NODE_CONTAINER,
  OPERATOR_NAME,
  operatorCall,
  PORTS,
} from "./names.ts";

/** The commands that remedies name, with those that know a kind of the product. */
export * from "#kit/base/kubectl";

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

/** Deletes an object that asks for a backup; what lies in the object store stays. */
export function deleteBackup(name: string): string {
  return deleteObjects("rebackup", [name]);
}

/** Deletes the object of an Active-Active database in the namespace of one cluster, with what that holds. */
export function deleteActiveActive(name: string): string {
  return deleteObjects("reaadb", [name]);
}

/** Merges `body` into an object of the product. */
export function patchObject(kind: "rec" | "redb" | "reaadb" | "rebackupschedule", name: string, body: object): string {
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
  method: "GET" | "POST" | "PUT" | "DELETE",
  path: string,
  { body, comment = "" }: { readonly body?: object; readonly comment?: string } = {},
): string {
  const data = body === undefined ? "" : ` ${JSON_BODY} ${quotedWord(JSON.stringify(body))}`;
  return withComment(`curl -X ${method}${data} ${wayTo(cluster, path)}`, comment);
}

/** Uploads the archive of a module, likewise. */
export function uploadModule(cluster: string, file: string, comment = ""): string {
  return withComment(`curl -F ${shellWord(`module=@${file}`)} ${wayTo(cluster, "/v2/modules")}`, comment);
}

/** Installs the licence of a file, likewise; the text of it is in no line. */
export function installLicense(cluster: string, file: string): string {
  return `curl -X PUT ${JSON_BODY} "{\\"license\\":\\"${linesOf(file)}\\"}" ${wayTo(cluster, "/v1/license")}`;
}

/** Writes the licence of a file into the spec of a cluster. */
export function patchLicense(cluster: string, file: string): string {
  return mergeObjectOf("rec", cluster, `{\\"spec\\":{\\"license\\":\\"${linesOf(file)}\\"}}`);
}

/** Writes the file of a licence into a Secret, also into one that is there. */
export function writeLicenseSecret(name: string, file: string): string {
  return writeSecret(name, `${LICENSE_KEY}=${file}`);
}

const JSON_BODY = '-H "Content-Type: application/json" -d';

/** The lines of a file as they stand in a text of JSON: a licence has no quotes and no backslashes. */
function linesOf(file: string): string {
  return `$(awk '{ printf "%s\\\\n", $0 }' ${shellWord(file)})`;
}

function wayTo(cluster: string, path: string): string {
  const login = ["username", "password"].map((key) => valueOf(clusterNames.credentialsSecret(cluster), key)).join(":");
  const authority = valueOf(clusterNames.nodeTlsSecret(cluster), String.raw`ca\.crt`);
  const labels = `${LABELS.cluster}=${cluster},${LABELS.role}=node`;
  const address = `$(${getValue(`pods -l ${labels}`, ".items[0].status.podIP")})`;
  const host = `${cluster}:${PORTS.management}`;
  const there = `--connect-to ${shellWord(`${host}:`)}"${address}:${PORTS.management}"`;
  return `-fsS --cacert <(echo "${authority}") -u "${login}" ${there} ${shellWord(`https://${host}${path}`)}`;
}

function valueOf(secret: string, key: string): string {
  return `$(${getValue(`secret ${secret}`, `.data.${key}`)} | base64 -d)`;
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

/** Puts the record of a database back that has vanished, as nodes keep it. */
export function restoreRecord(cluster: string, bdb: number): string {
  return callApi(cluster, "POST", `/v1/bdbs/${bdb}/actions/restore_record`);
}

/** Makes the Service of the webhook lead to the operator, whatever it led to before. */
export function leadToOperator(service: string): string {
  return selectPods(service, { name: OPERATOR_NAME }, [ADMISSION_PORT]);
}

/** Has an entry of a webhook configuration call the operator in this namespace. */
export function callOperator(configuration: string, entry: string, namespace: string): string {
  return patchWebhook(configuration, entry, { clientConfig: { url: null, service: operatorCall(namespace) } });
}

/** Lists the node pods; `flags` stand after the label. */
export function getNodePods(flags = ""): string {
  return getObjects(`pods -l ${LABELS.role}=node${flags}`);
}

/** Shows the log of one node: `pod` as the pod is called, or what stands for that. */
export function nodeLog(pod: Word = placeholder("<rec>-<n>")): string {
  return containerLog(pod, NODE_CONTAINER);
}
