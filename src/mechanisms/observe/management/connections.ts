import type { Clock } from "../../../core/base/clock.ts";
import { clusterNames, PORTS } from "../../../core/api/names.ts";
import { Secrets } from "../../../ports/kube/builtin.ts";
import type { Kube, Ref } from "../../../ports/kube/kube.ts";
import { managementClient, type ManagementClient } from "../../../ports/management/client.ts";
import { pollState, type PolledState } from "./polled-state.ts";

/** Where a cluster is, who may ask it, and what it says. */
export interface Connection extends PolledState {
  readonly client: ManagementClient;
  /** Addresses of node pods to try, the most promising first. */
  aim(addresses: readonly string[]): void;
}

/** Connections to the management APIs of clusters, one each, made anew when its certificate authority or credentials change. */
export interface Connections {
  /** A sentence when the secrets are not there yet. */
  to(cluster: Ref & { readonly namespace: string }, credentialsSecret: string): Promise<Connection | string>;
  /** Calls back with the databases of a cluster whose polled state changed. */
  onChange(handler: ChangeHandler): void;
  close(): Promise<void>;
}

export type ChangeHandler = (cluster: Ref & { readonly namespace: string }, databases: readonly string[]) => void;

/** Secrets are read again after this long, in milliseconds; sooner while the cluster does not answer. */
const REREAD_MS = 60_000;
const REREAD_UNREACHABLE_MS = 5_000;
/** How long one node may take to answer, in milliseconds. */
const TIMEOUT_MS = 4_000;

interface Open {
  readonly connection: Connection;
  readonly identity: string;
  readonly readAt: number;
}

/** Opens connections with what the cluster's own secrets say. */
export function openConnections(kube: Kube, clock: Clock): Connections {
  const open = new Map<string, Open>();
  const handlers: ChangeHandler[] = [];
  return {
    onChange: (handler) => {
      handlers.push(handler);
    },
    async to(cluster, credentialsSecret) {
      const key = `${cluster.namespace}/${cluster.name}`;
      const known = open.get(key);
      const now = clock.uptimeMs();
      if (known !== undefined && now - known.readAt < (await patience(known.connection))) return known.connection;
      const secrets = await readSecrets(kube, cluster, credentialsSecret);
      if (typeof secrets === "string") return secrets;
      const identity = JSON.stringify(secrets);
      const connection = known?.identity === identity ? known.connection : connect(cluster, secrets, clock, handlers);
      if (known !== undefined && connection !== known.connection) await known.connection.client.close();
      open.set(key, { connection, identity, readAt: now });
      return connection;
    },
    async close() {
      await Promise.all([...open.values()].map(({ connection }) => connection.client.destroy()));
    },
  };
}

async function patience({ records }: Connection): Promise<number> {
  return "unreachable" in (await records(Infinity)) ? REREAD_UNREACHABLE_MS : REREAD_MS;
}

interface ClusterSecrets {
  readonly ca: string;
  readonly username: string;
  readonly password: string;
}

async function readSecrets(
  kube: Kube,
  { name, namespace }: Ref & { readonly namespace: string },
  credentialsSecret: string,
): Promise<ClusterSecrets | string> {
  const read = async (secret: string, keys: readonly string[]): Promise<string[] | string> => {
    const found = await kube.get(Secrets, { name: secret, namespace });
    const values = keys.map((key) => decoded(found?.data?.[key]));
    const missing = keys.filter((_key, index) => values[index] === "");
    return missing.length === 0 ? values : `secret ${secret} has no ${missing.join(", ")} yet`;
  };
  const tls = await read(clusterNames.nodeTlsSecret(name), ["ca.crt"]);
  const credentials = await read(credentialsSecret, ["username", "password"]);
  if (typeof tls === "string") return tls;
  if (typeof credentials === "string") return credentials;
  return { ca: tls[0] ?? "", username: credentials[0] ?? "", password: credentials[1] ?? "" };
}

function connect(
  cluster: Ref & { readonly namespace: string },
  secrets: ClusterSecrets,
  clock: Clock,
  handlers: readonly ChangeHandler[],
): Connection {
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

function decoded(value: string | undefined): string {
  return Buffer.from(value ?? "", "base64").toString();
}
