import type { SiteUnreachable } from "../../../core/planner/active-active/participants.ts";
import { clusterNames, PORTS, remoteSecretName } from "../../../core/api/names.ts";
import type { RemoteClusterSpec } from "../../../core/api/active-active.ts";
import { isFault, messageOf } from "#kit/base/fault";
import { attemptsOf } from "../../../ports/management/attempt.ts";
import { faults } from "../../../ports/management/faults.ts";
import { wait } from "../../../core/planner/findings/finding.ts";
import { editSecret } from "../../../core/api/kubectl.ts";

/** A remote cluster as its object describes it. */
export interface RemoteCluster {
  readonly name: string;
  readonly namespace: string;
  readonly spec: RemoteClusterSpec;
}

/** What `error` of a call to a site means; the sentence stays the same while the cause does. */
export function unreachableSite(error: unknown, { name, namespace, spec }: RemoteCluster): SiteUnreachable {
  const where = `${spec.apiFqdnUrl}:${spec.apiPort ?? PORTS.management}`;
  const secret = remoteSecretName(name);
  if (isFault(error, faults.unauthorized)) {
    return wait(
      "CredentialsRefused",
      `${where} does not take the username and password of secret ${secret}`,
      `copy those of the cluster ${spec.recName} there into it: ${editSecret(namespace, secret)}`,
    );
  }
  const tried = attemptsOf(error);
  if (tried.some(({ failure }) => failure === "certificate")) {
    return wait(
      "CertificateRefused",
      `${where} has no certificate for ${clusterNames.dnsName(spec.recName, spec.recNamespace)} that ca.crt of secret ${secret} vouches for`,
      `compare spec with the cluster there, and ca.crt with its secret ${clusterNames.nodeTlsSecret(spec.recName)}`,
    );
  }
  const said = isFault(error, faults.unreachable) ? tried.map((one) => one.said).join(", ") : messageOf(error);
  return wait(
    "Unreachable",
    `no answer from ${where} (${said})`,
    "check spec.apiFqdnUrl and spec.apiPort, and that the network lets the operator through to them",
  );
}
