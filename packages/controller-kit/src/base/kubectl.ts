import { placeholder, quotedWord, shellWord, shellWords, type Word } from "./shell-word.ts";

/**
 * The commands that remedies name: one place for their spelling. Each word is quoted where a shell would read it otherwise. A `what` holds
 * several words with single spaces between them, as no name of an object has one. A `comment` follows the command after `#`.
 */

/** Merges `body` into an object. */
export function mergeObject(kind: string, name: string, body: object): string {
  return `kubectl patch ${shellWord(kind)} ${shellWord(name)} --type merge -p ${quotedWord(JSON.stringify(body))}`;
}

/** Makes a Service lead to the pods with these labels alone and by these ports alone, whatever it led to before. */
export function selectPods(
  service: string,
  labels: Readonly<Record<string, string>>,
  ports: readonly object[],
): string {
  const fields = { selector: labels, ports, type: "ClusterIP" };
  const patch = Object.entries(fields).map(([field, value]) => ({ op: "add", path: `/spec/${field}`, value }));
  return `kubectl patch svc ${shellWord(service)} --type json -p ${quotedWord(JSON.stringify(patch))}`;
}

/** A merge patch with a body that the shell puts together: `body` is JSON as it stands between double quotes of a shell. */
export function mergeObjectOf(kind: string, name: string, body: string): string {
  return `kubectl patch ${shellWord(kind)} ${shellWord(name)} --type merge -p "${body}"`;
}

/** Applies JSON patch operations to a Role. */
export function patchRole(name: string, namespace: string, operations: readonly object[]): string {
  const given = quotedWord(JSON.stringify(operations));
  return `kubectl patch role ${shellWord(name)} -n ${shellWord(namespace)} --type json -p ${given}`;
}

/** Sets annotations of an object, also those that it has; `key-` takes one away. */
export function annotate(kind: Word, name: Word, ...annotations: readonly Word[]): string {
  return annotateObjects([kind, name], ...annotations);
}

/** Annotates several objects: each a kind, a slash and a name, or a kind and one name after it. */
export function annotateObjects(objects: readonly Word[], ...annotations: readonly Word[]): string {
  return `kubectl annotate ${objects.map(shellWord).join(" ")} --overwrite ${annotations.map(shellWord).join(" ")}`;
}

/** Opens an object in an editor: `what` is a kind and a name, as kubectl takes them. */
export function editObject(what: Word, comment = ""): string {
  return withComment(`kubectl edit ${shellWords(what)}`, comment);
}

/** Shows an object with its events. */
export function describeObject(what: Word): string {
  return `kubectl describe ${shellWords(what)}`;
}

/** Lists objects. */
export function getObjects(what: Word, comment = ""): string {
  return withComment(`kubectl get ${shellWords(what)}`, comment);
}

/** One value of an object, by the path of its field. */
export function getValue(what: string, path: string): string {
  return `${getObjects(what)} -o jsonpath=${quotedWord(`{${path}}`)}`;
}

/** Deletes objects of one kind by name. */
export function deleteObjects(kind: Word, names: readonly Word[]): string {
  return `kubectl delete ${shellWord(kind)} ${names.map(shellWord).join(" ")}`;
}

/** Explains a field: `field` is a kind and a path, for instance `rec.spec.nodes`. */
export function explainField(field: string): string {
  return `kubectl explain ${shellWord(field)}`;
}

/** Makes a Secret of a file or a folder: `source` as `--from-file` takes it. */
export function createSecret(namespace: Word, name: Word, source: Word): string {
  return `kubectl -n ${shellWord(namespace)} create secret generic ${shellWord(name)} ${shellWord(fromFile(source))}`;
}

function fromFile(source: Word): Word {
  const option = "--from-file=";
  return typeof source === "string" ? `${option}${source}` : placeholder(`${option}${source.shown}`);
}

/** Makes a Secret of a file in the namespace of the caller, or writes the file into the Secret that is there. */
export function writeSecret(name: string, source: string): string {
  const made = `kubectl create secret generic ${shellWord(name)} ${shellWord(`--from-file=${source}`)}`;
  return `${made} --dry-run=client -o yaml | ${applyFile("-")}`;
}

/** Makes a Secret, in the namespace of the caller, of values that are given after `=`. */
export function createSecretOf(name: Word, values: Readonly<Record<string, string>>): string {
  const literals = Object.entries(values).map(([key, value]) => ` ${shellWord(`--from-literal=${key}=${value}`)}`);
  return `kubectl create secret generic ${shellWord(name)}${literals.join("")}`;
}

/** Makes a ConfigMap of a file, in the namespace of the caller. */
export function createConfigMap(name: string, file: string): string {
  return `kubectl create configmap ${shellWord(name)} ${shellWord(`--from-file=${file}`)}`;
}

/** Opens a Secret in an editor. */
export function editSecret(namespace: string, name: string): string {
  return `kubectl -n ${shellWord(namespace)} edit secret ${shellWord(name)}`;
}

/** Shows the log of a Deployment. */
export function deploymentLog(name: string): string {
  return `kubectl logs deployment/${shellWord(name)}`;
}

/** Shows the log of one container of a pod. */
export function containerLog(pod: Word, container: string): string {
  return `kubectl logs ${shellWord(pod)} -c ${shellWord(container)}`;
}

/** Shows how far the replacement of the pods of a StatefulSet is. */
export function rolloutStatus(statefulSet: string): string {
  return `kubectl rollout status sts ${shellWord(statefulSet)}`;
}

/** Waits until the pods of a Deployment are those of its template. */
export function deploymentRollout(deployment: string): string {
  return `kubectl rollout status deployment/${shellWord(deployment)}`;
}

/** Takes a Deployment back to its template before. */
export function undoRollout(name: string): string {
  return `kubectl rollout undo deployment/${shellWord(name)}`;
}

/** Lets a Deployment that was paused make the pods of its template. */
export function resumeRollout(name: string): string {
  return `kubectl rollout resume deployment/${shellWord(name)}`;
}

/** Gives a Deployment so many pods. */
export function scaleDeployment(name: string, replicas: number): string {
  return `kubectl scale deployment/${shellWord(name)} --replicas=${replicas}`;
}

/** Starts the pods of a Deployment anew. */
export function restartDeployment(name: string): string {
  return `kubectl rollout restart deployment/${shellWord(name)}`;
}

/** Applies a file, or what arrives on the standard input (`-`); `flags` stand before it. */
export function applyFile(file: string, flags = "", comment = ""): string {
  return withComment(`kubectl apply ${flags === "" ? "" : `${shellWords(flags)} `}-f ${shellWord(file)}`, comment);
}

/** Deletes webhook configurations by name. */
export function deleteWebhooks(...names: readonly string[]): string {
  return deleteObjects("ValidatingWebhookConfiguration", names);
}

/** Moves the pods off a worker. */
export function drain(worker: Word): string {
  return `kubectl drain ${shellWord(worker)} --ignore-daemonsets --delete-emptydir-data`;
}

/** Lets pods be scheduled on a worker again. */
export function uncordon(worker: string): string {
  return `kubectl uncordon ${shellWord(worker)}`;
}

/** Lists what an account may do; the caller, when no account is given. */
export function listPermissions(namespace = "", account = ""): string {
  const place = namespace === "" ? "" : ` -n ${shellWord(namespace)}`;
  const who = account === "" ? "" : ` --as ${shellWord(`system:serviceaccount:${namespace}:${account}`)}`;
  return `kubectl auth can-i --list${place}${who}`;
}

/** Lists the kinds that the API server knows; with `wide`, their verbs too. */
export function listKinds({ wide }: { readonly wide: boolean }): string {
  return `kubectl api-resources${wide ? " -o wide" : ""}`;
}

/** Asks the API server whether it is ready. */
export function askReady(): string {
  return getObjects("--raw /readyz");
}

/** Shows the version of Kubernetes. */
export function showVersion(): string {
  return "kubectl version";
}

/** Shows what kubectl reads in the kubeconfig. */
export function viewKubeconfig(): string {
  return "kubectl config view";
}

/** Puts the certificate of a secret into the entry `entry` of a webhook configuration. */
export function trustCertificate(configuration: string, entry: string, secret: string): string {
  const body = { webhooks: [{ name: entry, clientConfig: { caBundle: CERTIFICATE } }] };
  return `kubectl patch ValidatingWebhookConfiguration ${shellWord(configuration)} -p ${withCertificate(body, secret)}`;
}

/** Trusts the certificate in the first entry, whatever its name is. */
export function trustCertificateFirst(configuration: string, secret: string): string {
  const operations = [{ op: "add", path: "/webhooks/0/clientConfig/caBundle", value: CERTIFICATE }];
  return `kubectl patch ValidatingWebhookConfiguration ${shellWord(configuration)} --type json -p ${withCertificate(operations, secret)}`;
}

/** Merges `fields` into the entry `entry` of a webhook configuration. */
export function patchWebhook(configuration: string, entry: string, fields: object): string {
  const body = { webhooks: [{ name: entry, ...fields }] };
  return `kubectl patch ValidatingWebhookConfiguration ${shellWord(configuration)} -p ${quotedWord(JSON.stringify(body))}`;
}

const CERTIFICATE = "<certificate>";

/** Between the quotes of the body stands what the shell puts there. */
function withCertificate(body: object, secret: string): string {
  const given = `'$(${getValue(`secret ${secret}`, ".data.cert")})'`;
  return quotedWord(JSON.stringify(body)).replace(CERTIFICATE, () => given);
}

/** A comment ends with its line, and so do the words of others in it. */
export function withComment(command: string, comment: string): string {
  return comment === "" ? command : `${command}  # ${comment.replaceAll(/\s+/g, " ")}`;
}
