import { ADMISSION_SERVICE, clusterNames, OPERATOR_NAME, TEARDOWN_NAME } from "../../api/names.ts";
import { patchCluster } from "../../api/kubectl.ts";
import { duplicateValue, forbiddenValue, type Objection } from "./objection.ts";
import type { ReviewedCluster } from "./reviewed-cluster.ts";
import { secretHolder } from "./secret-holder.ts";

/** The objects of a new cluster take no name of another object: names are made by joining, so that two could be the same. */
export function clusterNamesAreFree({ name, before, nodes, references }: ReviewedCluster): readonly Objection[] {
  if (references === undefined || before !== undefined || nodes > 0) return [];
  const holder = ownNames.has(name)
    ? "the operator"
    : (otherCluster(name, references) ?? otherSecret(name, references));
  if (holder === undefined) return [];
  const why = `objects of ${holder} have names that the objects of this cluster would have`;
  return [duplicateValue("metadata.name", name, why, "choose another name")];
}

const ownNames: ReadonlySet<string> = new Set([OPERATOR_NAME, TEARDOWN_NAME, ADMISSION_SERVICE]);

type Around = NonNullable<ReviewedCluster["references"]>;

function otherCluster(name: string, { clusters }: Around): string | undefined {
  const other = clusters.find((one) => isObjectOf(one.name, name) || isObjectOf(name, one.name));
  return other && `StoreEnterpriseCluster ${other.name}`;
}

/** A cluster has a Secret of its own name. */
function otherSecret(name: string, { databases, remoteClusters }: Around): string | undefined {
  return secretHolder(name, { clusters: [], databases, remoteClusters });
}

/** Whether `name` is that of an object which is made for the cluster, as `rec-ca` for `rec`. */
function isObjectOf(cluster: string, name: string): boolean {
  const rest = name.startsWith(`${cluster}-`) ? name.slice(cluster.length) : "";
  const [authority, tls, rigger] = [clusterNames.authoritySecret, clusterNames.nodeTlsSecret, clusterNames.rigger];
  const [record, leader] = [clusterNames.clusterRecord, clusterNames.leaderLease];
  if ([authority, tls, rigger, record, leader].some((nameOf) => rest === nameOf(""))) return true;
  return /^-(db-\d+|node-\d+|user-[0-9a-f]+)$/.test(rest);
}

/** Nodes run as no account of another program: the writer of the spec chooses the image, and so what runs as that account. */
export function accountIsTheirs({ name, spec, references }: ReviewedCluster): readonly Objection[] {
  const account = spec.serviceAccountName;
  if (account === undefined) return [];
  const clusters = references?.clusters ?? [];
  const rigger = [name, ...clusters.map((one) => one.name)].find((one) => account === clusterNames.rigger(one));
  const other = clusters.find((one) => one.name !== name && one.account === account);
  const holder = ownNames.has(account)
    ? "the operator"
    : rigger === undefined
      ? other && `StoreEnterpriseCluster ${other.name}`
      : `the services rigger of StoreEnterpriseCluster ${rigger}`;
  if (holder === undefined) return [];
  const remedy = `name another account, or leave it out: ${patchCluster(name, { serviceAccountName: null })}`;
  return [forbiddenValue("spec.serviceAccountName", `the account "${account}" is that of ${holder}`, remedy)];
}

/** A cluster reads no Secret that is made for something else. */
export function secretsAreForClusters({ name, spec, references }: ReviewedCluster): readonly Objection[] {
  if (references === undefined) return [];
  const { userDefinedModules = [], licenseSecretName, clusterCredentialSecretName } = spec;
  const modules = userDefinedModules.flatMap(({ source, credentialsSecret }, index) => {
    const at = `spec.userDefinedModules[${index}]`;
    return [
      [`${at}.credentialsSecret`, credentialsSecret],
      [`${at}.source.https.credentialsSecret`, source.https?.credentialsSecret],
      [`${at}.source.http.credentialsSecret`, source.http?.credentialsSecret],
    ] as const;
  });
  const own = clusterCredentialSecretName === clusterNames.credentialsSecret(name);
  const named = [
    ...modules,
    ["spec.licenseSecretName", licenseSecretName] as const,
    ["spec.clusterCredentialSecretName", own ? undefined : clusterCredentialSecretName] as const,
  ];
  return named.flatMap(([field, secret]) => {
    const itself = { name, secrets: [] };
    const users = { ...references, clusters: [...references.clusters, itself] };
    const holder = secret === undefined ? undefined : secretHolder(secret, users);
    if (holder === undefined) return [];
    return [forbiddenValue(field, `the Secret "${secret}" is used by ${holder}`, "name another Secret")];
  });
}
