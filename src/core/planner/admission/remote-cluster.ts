import type { RemoteClusterSpec } from "../../api/active-active.ts";
import { remoteSecretName } from "../../api/names.ts";
import { isHostName, serviceNameObjections } from "./names.ts";
import {
  duplicateValue,
  forbiddenValue,
  invalidValue,
  type Advice,
  type Objection,
  type SpecRule,
} from "./objection.ts";
import type { References } from "./references.ts";

/** A StoreEnterpriseRemoteCluster and what it is judged by. */
export interface ReviewedRemoteCluster {
  readonly name: string;
  readonly spec: RemoteClusterSpec;
  /** The spec that is replaced; undefined for a new object, and for a caller that looks at an object at rest. */
  readonly before: RemoteClusterSpec | undefined;
  readonly references: References;
}

/** What is asked of a remote cluster, in the order in which objections are listed. */
export const REMOTE_CLUSTER_RULES: readonly SpecRule<ReviewedRemoteCluster>[] = [
  nameIsUsable,
  namespaceIsAName,
  apiIsAHostName,
  suffixIsAHostName,
  secretIsNamedAfterIt,
  clusterIsListedOnce,
  clusterIsUnchanged,
];

/** Nothing of it is ignored. */
export const REMOTE_CLUSTER_ADVICE: readonly Advice<ReviewedRemoteCluster>[] = [];

function nameIsUsable({ name }: ReviewedRemoteCluster): readonly Objection[] {
  return serviceNameObjections(name, 63 - remoteSecretName("").length, "the name of its secret");
}

function namespaceIsAName({ spec: { recNamespace } }: ReviewedRemoteCluster): readonly Objection[] {
  if (/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(recNamespace)) return [];
  const why = "a namespace has small letters, digits and hyphens, 63 at most";
  return [invalidValue("spec.recNamespace", recNamespace, why, "write the namespace of the cluster there")];
}

/** Despite its name the field holds no URL. */
function apiIsAHostName({ spec: { apiFqdnUrl } }: ReviewedRemoteCluster): readonly Objection[] {
  if (isHostName(apiFqdnUrl)) return [];
  const bare = apiFqdnUrl.replace(/^[a-z]+:\/\//i, "").replace(/[:/].*$/, "");
  const why = "it is a host name without scheme, port and path; the port goes into spec.apiPort";
  const remedy = isHostName(bare) ? `write "${bare}"` : 'write for instance "api.rec.example.com"';
  return [invalidValue("spec.apiFqdnUrl", apiFqdnUrl, why, remedy)];
}

/** A separator comes first: names of databases are put before it. */
function suffixIsAHostName({ spec: { dbFqdnSuffix } }: ReviewedRemoteCluster): readonly Objection[] {
  if (dbFqdnSuffix === undefined || isHostName(`db${dbFqdnSuffix}`)) return [];
  const why = "it is put behind the name of a database, and together they are a host name";
  return [invalidValue("spec.dbFqdnSuffix", dbFqdnSuffix, why, 'write for instance "-db.rec.example.com"')];
}

function secretIsNamedAfterIt({ name, spec: { secretName } }: ReviewedRemoteCluster): readonly Objection[] {
  const right = remoteSecretName(name);
  if (secretName === undefined || secretName === right) return [];
  return [
    invalidValue(
      "spec.secretName",
      secretName,
      `the secret of "${name}" is "${right}"`,
      `write "${right}", or leave it out`,
    ),
  ];
}

function clusterIsListedOnce({ spec, references }: ReviewedRemoteCluster): readonly Objection[] {
  const same = references.remoteClusters.find(
    ({ recName, recNamespace }) => recName === spec.recName && recNamespace === spec.recNamespace,
  );
  if (same === undefined) return [];
  const value = `${spec.recNamespace}/${spec.recName}`;
  return [
    duplicateValue("spec.recName", value, `"${same.name}" stands for that cluster`, `use "${same.name}", or delete it`),
  ];
}

function clusterIsUnchanged({ spec, before }: ReviewedRemoteCluster): readonly Objection[] {
  if (before === undefined) return [];
  return (["recName", "recNamespace"] as const)
    .filter((field) => spec[field] !== before[field])
    .map((field) =>
      forbiddenValue(
        `spec.${field}`,
        `it is "${before[field]}" and cannot become "${spec[field]}"`,
        "make another StoreEnterpriseRemoteCluster",
      ),
    );
}
