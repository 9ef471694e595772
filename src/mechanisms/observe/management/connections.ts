import type { Secret } from "kubernetes-types/core/v1.js";
import type { Clock } from "#kit/base/clock";
import { parseClusterAccess } from "../../../core/api/cluster-access.ts";
import { ACCESS_KEY, clusterNames, CREDENTIALS_ANNOTATION, PORTS } from "../../../core/api/names.ts";
import { secretObjection } from "../../../core/planner/ownership/given-secret.ts";
import type { Kube, Ref, Stored } from "#kit/kube/kube";
import { managementClient, type ManagementClient } from "../../../ports/management/client.ts";
import { readUnheld } from "../kubernetes/unheld-secret.ts";
import { pollState, type PolledState } from "./polled-state.ts";

/** Where a cluster is, who may ask it, and what it says. */
export interface ClusterConnection extends PolledState {
  readonly client: ManagementClient;
  /** Addresses of node pods to try, the most promising first. */
  aim(addresses: readonly string[]): void;
}

/** Connections to the management APIs of clusters, one each, made anew when its certificate authority or credentials change. */
export interface Connections {
  /** A sentence when the secrets are not there yet. */
  to(cluster: Ref & { readonly namespace: string }, credentialsSecret: string): Promise<ClusterConnection | string>;
  /** Calls back with the databases of a cluster whose polled state changed. */
  onChange(handler: ClusterChangeHandler): void;
  /** Reads the secrets of a cluster anew before the next call. */
  reread(cluster: Ref & { readonly namespace: string }): void;
  close(): Promise<void>;
}

export type ClusterChangeHandler = (
  cluster: Ref & { readonly namespace: string },
  databases: readonly string[],
) => void;

/** Secrets are read again after this long, in milliseconds; sooner while the cluster does not answer. */
const REREAD_MS = 60_000;
const REREAD_UNREACHABLE_MS = 5_000;
/** How long one node may take to answer, in milliseconds. */
const TIMEOUT_MS = 4_000;

interface Open {
  readonly connection: ClusterConnection;
  readonly identity: string;
  readonly readAt: number;
}

/** Opens connections with what the cluster's own secrets say. */
export function openConnections(kube: Kube, clock: Clock): Connections {
  const open = new Map<string, Open>();
  // callers that still hold one finish with it; its sockets end when nothing uses them
  const replaced: ClusterConnection[] = [];
  const handlers: ClusterChangeHandler[] = [];
  return {
    onChange: (handler) => {
      handlers.push(handler);
    },
    async to(cluster, credentialsSecret) {
      const key = keyOf(cluster);
      const known = open.get(key);
      const now = clock.uptimeMs();
      if (known !== undefined && now - known.readAt < (await patience(known.connection))) return known.connection;
      const secrets = await readSecrets(kube, cluster, credentialsSecret);
      if (typeof secrets === "string") return secrets;
      const identity = JSON.stringify(secrets);
      const connection = known?.identity === identity ? known.connection : connect(cluster, secrets, clock, handlers);
      if (known !== undefined && connection !== known.connection) replaced.push(known.connection);
      open.set(key, { connection, identity, readAt: now });
      return connection;
    },
    reread(cluster) {
      const known = open.get(keyOf(cluster));
      if (known !== undefined) open.set(keyOf(cluster), { ...known, readAt: -Infinity });
    },
    async close() {
      const current = [...open.values()].map(({ connection }) => connection);
      await Promise.all([...current, ...replaced].map(({ client }) => client.destroy()));
    },
  };
}

async function patience({ records }: ClusterConnection): Promise<number> {
  return "unreachable" in (await records(Infinity)) ? REREAD_UNREACHABLE_MS : REREAD_MS;
}

interface ClusterSecrets {
  readonly ca: string;
  readonly username: string;
  readonly password: string;
}

async function readSecrets(
  kube: Kube,
  cluster: Ref & { readonly namespace: string },
  credentialsSecret: string,
): Promise<ClusterSecrets | string> {
  const { name, namespace } = cluster;
  const nodeTls = clusterNames.nodeTlsSecret(name);
  const tls = await readUnheld(kube, { name: nodeTls, namespace }, `StoreEnterpriseCluster ${name}`);
  if (tls.heldBy !== undefined) return belongsTo(nodeTls, tls.heldBy);
  const ca = textOf(tls.secret, "ca.crt");
  if (ca === "") return `secret ${nodeTls} has no ca.crt yet`;
  // the Secret of the cluster says what counts where no operator has written it, as one before 0.4.0
  const current = parseClusterAccess(textOf(tls.secret, ACCESS_KEY))?.current;
  if (current !== undefined) return { ca, ...current };
  const login = await readLogin(kube, cluster, credentialsSecret, tls.secret);
  return typeof login === "string" ? login : { ca, ...login };
}

type Login = Pick<ClusterSecrets, "username" | "password">;

/**
 * The login from the Secret of the cluster, or from one that its spec names: the Secret of another owner is sent to no node, and one that was
 * not given only where it is in use.
 */
async function readLogin(
  kube: Kube,
  { name: cluster, namespace }: Ref & { readonly namespace: string },
  name: string,
  tls: Stored<Secret> | undefined,
): Promise<Login | string> {
  const { secret, heldBy } = await readUnheld(kube, { name, namespace }, `StoreEnterpriseCluster ${cluster}`);
  if (heldBy !== undefined) return belongsTo(name, heldBy);
  const used = tls?.metadata.annotations?.[CREDENTIALS_ANNOTATION] ?? name;
  if (secret !== undefined && name !== clusterNames.credentialsSecret(cluster) && used !== name) {
    const { labels, annotations, ownerReferences } = secret.metadata;
    const given = { name, labels, annotations, ownerReferences, type: secret.type, keys: [] };
    const objection = secretObjection(given, { kind: "credentials", cluster }, undefined);
    if (objection !== undefined) return `${objection.evidence}: ${objection.remedy}`;
  }
  const login = { username: textOf(secret, "username"), password: textOf(secret, "password") };
  const missing = (["username", "password"] as const).filter((key) => login[key] === "");
  return missing.length === 0 ? login : `secret ${name} has no ${missing.join(", ")} yet`;
}

function belongsTo(secret: string, holder: string): string {
  return `secret ${secret} belongs to ${holder}, and is used for nothing else`;
}

function connect(
  cluster: Ref & { readonly namespace: string },
  secrets: ClusterSecrets,
  clock: Clock,
  handlers: readonly ClusterChangeHandler[],
): ClusterConnection {
  let addresses: readonly string[] = [];
  const client = managementClient({
    addresses: () => addresses,
    port: PORTS.management,
    serverName: clusterNames.dnsName(cluster.name, cluster.namespace),
    ...secrets,
    timeoutMs: TIMEOUT_MS,
    remembers: true,
  });
  return {
    ...pollState(client, clock, (databases) => {
      for (const tell of handlers) tell(cluster, databases);
    }),
    client,
    aim: (next) => {
      addresses = next;
    },
  };
}

function keyOf({ name, namespace }: Ref & { readonly namespace: string }): string {
  return `${namespace}/${name}`;
}

function textOf(secret: Stored<Secret> | undefined, key: string): string {
  return Buffer.from(secret?.data?.[key] ?? "", "base64").toString();
}
