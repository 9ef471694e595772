import { clusterNames, PORTS, remoteSecretName } from "../../../core/api/names.ts";
import type { Clock } from "#kit/base/clock";
import type { Kube } from "#kit/kube/kube";
import { managementClient, type ManagementClient } from "../../../ports/management/client.ts";
import { wait } from "../../../core/planner/findings/finding.ts";
import type { SiteUnreachable } from "../../../core/planner/active-active/participants.ts";
import type { RemoteCluster } from "./site-unreachable.ts";
import { createSecret } from "../../../core/api/kubectl.ts";
import { readUnheld } from "../kubernetes/unheld-secret.ts";
import { placeholder } from "#kit/base/shell-word";

/** Secrets are read again after this long, in milliseconds; sooner while the site does not answer. */
const REREAD_MS = 60_000;
const REREAD_UNREACHABLE_MS = 4_000;
/** How long a site may take to answer, in milliseconds. */
const TIMEOUT_MS = 5_000;

/** A way to a site. */
export interface PeerCluster {
  readonly client: ManagementClient;
  /** Of the secret that it uses. */
  readonly secretVersion: string;
  readonly identity: string;
  /** `ca.crt` of that secret. */
  readonly authorities: string;
  readonly readAt: number;
  readonly isUnreachable: boolean;
}

interface SiteSecret {
  readonly version: string;
  readonly username: string;
  readonly password: string;
  readonly ca: string;
}

/** The link that there is while nothing says otherwise, else a new one by what the secret says now. */
export async function reachPeer(
  { kube, clock }: { readonly kube: Pick<Kube, "get">; readonly clock: Pick<Clock, "uptimeMs"> },
  remote: RemoteCluster,
  known: PeerCluster | undefined,
): Promise<PeerCluster | SiteUnreachable> {
  const now = clock.uptimeMs();
  const place = JSON.stringify(remote.spec);
  const isFresh =
    now - (known?.readAt ?? -Infinity) < (known?.isUnreachable === true ? REREAD_UNREACHABLE_MS : REREAD_MS);
  if (known !== undefined && isFresh && known.identity.startsWith(place)) return known;
  const secret = await readSecret(kube, remote);
  if ("evidence" in secret) return secret;
  const identity = `${place} ${JSON.stringify(secret)}`;
  if (known?.identity === identity) return { ...known, readAt: now };
  return {
    client: clientFor(remote, secret),
    identity,
    secretVersion: secret.version,
    authorities: secret.ca,
    readAt: now,
    isUnreachable: false,
  };
}

function clientFor({ spec }: RemoteCluster, { username, password, ca }: SiteSecret): ManagementClient {
  return managementClient({
    addresses: () => [spec.apiFqdnUrl],
    port: spec.apiPort ?? PORTS.management,
    serverName: clusterNames.dnsName(spec.recName, spec.recNamespace),
    ca,
    username,
    password,
    timeoutMs: TIMEOUT_MS,
    remembers: true,
  });
}

async function readSecret(
  kube: Pick<Kube, "get">,
  { name, namespace }: RemoteCluster,
): Promise<SiteSecret | SiteUnreachable> {
  const secretName = remoteSecretName(name);
  const { secret: found, heldBy } = await readUnheld(kube, { name: secretName, namespace });
  if (heldBy !== undefined)
    return wait(
      "SecretMissing",
      `the secret ${secretName} belongs to ${heldBy}: its login goes to no other cluster`,
      "make the StoreEnterpriseRemoteCluster again under another name",
    );
  const text = (key: string): string => Buffer.from(found?.data?.[key] ?? "", "base64").toString();
  const missing = ["username", "password", "ca.crt"].filter((key) => text(key) === "");
  if (found !== undefined && missing.length === 0) {
    const version = found.metadata.resourceVersion;
    return { version, username: text("username"), password: text("password"), ca: text("ca.crt") };
  }
  return wait(
    "SecretMissing",
    found === undefined ? `there is no secret ${secretName}` : `secret ${secretName} has no ${missing.join(", ")}`,
    `put username, password and ca.crt of that cluster into files of a folder, and run ` +
      createSecret(namespace, secretName, placeholder("<folder>")),
  );
}
