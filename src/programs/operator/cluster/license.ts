import { LICENSE_KEY } from "../../../core/api/names.ts";
import type { Finding } from "../../../core/api/parts.ts";
import { isFault } from "#kit/base/fault";
import type { ManagementClient } from "../../../ports/management/client.ts";
import { faults } from "../../../ports/management/faults.ts";
import type { ClusterObservation } from "../../../mechanisms/observe/cluster.ts";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import type { Ref } from "#kit/kube/kube";
import { readGiven, type GivenDeps } from "../secrets/given.ts";
import { secretText } from "../secrets/secret-text.ts";
import { warn } from "../../../core/planner/findings/finding.ts";
import type { ClusterView } from "../../../core/planner/view/cluster-view.ts";
import { giveLicense } from "../../../core/planner/prerequisites/license.ts";
import { createSecret, patchCluster } from "../../../core/api/kubectl.ts";
import { placeholder } from "#kit/base/shell-word";

/**
 * Installs the licence that the spec names when the cluster has another one, also while an upgrade is frozen; answers
 * with an objection when there is none to install or the cluster refuses it. Without one in the spec the cluster keeps its own.
 */
export async function keepLicense(deps: GivenDeps, observation: ClusterObservation): Promise<Finding | undefined> {
  const { view, records, connection, namespace } = observation;
  const { license, licenseSecretName: secret } = view.spec;
  if (connection === undefined || "unreachable" in records) return undefined;
  const use = { kind: "license", cluster: view.name } as const;
  const named = secret === undefined ? undefined : await readGiven(deps, { name: secret, namespace }, use);
  const wanted = named === undefined ? license : secretText(named.secret, LICENSE_KEY);
  if (wanted === undefined) return undefined;
  if (wanted.trim() === "") return secret === undefined ? undefined : missingLicense(secret, namespace);
  if (wanted === records.license.license) return undefined;
  if (named?.objection !== undefined) {
    const { evidence, remedy } = named.objection;
    const kept = `spec.licenseSecretName: ${evidence}; the cluster keeps the licence that it has`;
    return warn("SecretNotMarked", kept, remedy);
  }
  return installLicense(connection.client, wanted, view);
}

/** The finding when the cluster refuses the licence, which stands in its spec or in a Secret. */
async function installLicense(
  client: ManagementClient,
  license: string,
  view: ClusterView,
): Promise<Finding | undefined> {
  try {
    await client.call("installLicense", { body: { license } });
    return undefined;
  } catch (error) {
    if (!isFault(error, faults.refused)) throw error;
    return refusedLicense(view, error.message);
  }
}

/** Whether the cluster has the licence of its spec; one in a Secret is read when the Secret changes, see `licenseVersions`. */
export function isLicenseKept({ view, records, connection }: ClusterObservation): boolean {
  const { license, licenseSecretName } = view.spec;
  if (connection === undefined || "unreachable" in records || licenseSecretName !== undefined) return true;
  return license === undefined || license.trim() === "" || license === records.license.license;
}

/** The version of the Secret that holds the licence, and which one it is. */
export function licenseVersions({ clusters, secrets }: Pick<InformerCache, "clusters" | "secrets">, ref: Ref) {
  const name = clusters.get(ref)?.spec?.licenseSecretName;
  return name === undefined ? [] : [name, secrets.get({ ...ref, name })?.metadata.resourceVersion];
}

function missingLicense(secret: string, namespace: string): Finding {
  return warn(
    "LicenseNotFound",
    `spec.licenseSecretName is "${secret}", and no such secret holds a text under the key "${LICENSE_KEY}"`,
    createSecret(namespace, secret, placeholder(`${LICENSE_KEY}=<file>`)),
  );
}

/** `storectl license show` shows what a licence grants, and for which cluster. */
function refusedLicense(view: ClusterView, why: string): Finding {
  const { licenseSecretName: secret } = view.spec;
  const where = secret === undefined ? "spec.license" : `secret ${secret}`;
  const none = patchCluster(view.name, secret === undefined ? { license: null } : { licenseSecretName: null });
  return warn(
    "LicenseRefused",
    `the cluster refuses the licence of ${where} and keeps the one it has: ${why}`,
    `give it a licence for this cluster: ${giveLicense(view)}; or ask for no other one than it has: ${none}`,
  );
}
