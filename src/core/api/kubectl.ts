/** The commands that remedies name: one place for their spelling. A `comment` follows the command after `#`. */

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

/** Merges `body` into an object of the product. */
export function patchObject(kind: "rec" | "redb" | "reaadb", name: string, body: object): string {
  return `kubectl patch ${kind} ${name} --type merge -p '${JSON.stringify(body)}'`;
}

/** Applies JSON patch operations to a Role. */
export function patchRole(name: string, namespace: string, operations: readonly object[]): string {
  return `kubectl patch role ${name} -n ${namespace} --type json -p '${JSON.stringify(operations)}'`;
}

/** Opens an object in an editor: `what` is a kind and a name, as kubectl takes them. */
export function editObject(what: string, comment = ""): string {
  return withComment(`kubectl edit ${what}`, comment);
}

/** Shows an object with its events. */
export function describeObject(what: string): string {
  return `kubectl describe ${what}`;
}

/** Lists objects. */
export function getObjects(what: string, comment = ""): string {
  return withComment(`kubectl get ${what}`, comment);
}

/** Deletes objects of one kind by name. */
export function deleteObjects(kind: string, names: readonly string[]): string {
  return `kubectl delete ${kind} ${names.join(" ")}`;
}

/** Makes a Secret of a file or a folder: `source` as `--from-file` takes it. */
export function createSecret(namespace: string, name: string, source: string): string {
  return `kubectl -n ${namespace} create secret generic ${name} --from-file=${source}`;
}

/** Opens a Secret in an editor. */
export function editSecret(namespace: string, name: string): string {
  return `kubectl -n ${namespace} edit secret ${name}`;
}

/** Shows the log of a Deployment. */
export function deploymentLog(name: string): string {
  return `kubectl logs deployment/${name}`;
}

/** Shows how far the replacement of the nodes of a cluster is. */
export function rolloutStatus(cluster: string): string {
  return `kubectl rollout status sts ${cluster}`;
}

/** Starts the pods of a Deployment anew. */
export function restartDeployment(name: string): string {
  return `kubectl rollout restart deployment/${name}`;
}

/** Applies a bundle file; `flags` stand before it. */
export function applyBundle(flags = "", comment = ""): string {
  return withComment(`kubectl apply ${flags === "" ? "" : `${flags} `}-f bundle.yaml`, comment);
}

/** Deletes webhook configurations by name. */
export function deleteWebhooks(...names: readonly string[]): string {
  return deleteObjects("ValidatingWebhookConfiguration", names);
}

/** Moves the pods off a worker. */
export function drain(worker: string): string {
  return `kubectl drain ${worker} --ignore-daemonsets --delete-emptydir-data`;
}

/** Lets pods be scheduled on a worker again. */
export function uncordon(worker: string): string {
  return `kubectl uncordon ${worker}`;
}

function withComment(command: string, comment: string): string {
  return comment === "" ? command : `${command}  # ${comment}`;
}

/** Puts the certificate of a secret into the entry `entry` of a webhook configuration. */
export function trustCertificate(configuration: string, entry: string, secret: string): string {
  const body = `{"webhooks":[{"name":"${entry}","clientConfig":{"caBundle":"'${certificateOf(secret)}'"}}]}`;
  return `kubectl patch ValidatingWebhookConfiguration ${configuration} -p '${body}'`;
}

/** The same for the first entry, whatever its name is. */
export function trustCertificateFirst(configuration: string, secret: string): string {
  const operation = `[{"op":"add","path":"/webhooks/0/clientConfig/caBundle","value":"'${certificateOf(secret)}'"}]`;
  return `kubectl patch ValidatingWebhookConfiguration ${configuration} --type json -p '${operation}'`;
}

function certificateOf(secret: string): string {
  return `$(kubectl get secret ${secret} -o jsonpath='{.data.cert}')`;
}
