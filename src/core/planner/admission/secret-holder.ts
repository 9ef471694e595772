import { ADMISSION_SECRET, clusterNames, databaseSecretOf, remoteSecretName } from "../../api/names.ts";
import type { ReferencedCluster, ReferencedDatabase } from "./references.ts";

/** What of a namespace says which Secrets are in use. */
export interface SecretUsers {
  readonly clusters: readonly Pick<ReferencedCluster, "name" | "secrets">[];
  readonly databases: readonly Pick<ReferencedDatabase, "name" | "secret">[];
  readonly remoteClusters: readonly { readonly name: string }[];
}

/** Names the user of the Secret of this name, for a sentence, if the product makes or reads it under a name of its own, whatever a spec asks for. */
export function secretHolder(asked: string, users: SecretUsers): string | undefined {
  const holder = irrevocableHolder(asked, users);
  if (holder !== undefined) return holder;
  const cluster = users.clusters.find(({ name }) => isMadeForCluster(name, asked));
  if (cluster !== undefined) return `StoreEnterpriseCluster ${cluster.name}`;
  const database = users.databases.find(({ name, secret }) => asked === (secret ?? databaseSecretOf(name)));
  return database && `StoreEnterpriseDatabase ${database.name}`;
}

/** Names the user of a Secret that is never given up, also where an older release let others use it: the webhook or a remote cluster. */
export function irrevocableHolder(
  asked: string,
  { remoteClusters }: Pick<SecretUsers, "remoteClusters">,
): string | undefined {
  if (asked === ADMISSION_SECRET) return "the admission webhook";
  const remote = remoteClusters.find(({ name }) => asked === remoteSecretName(name));
  return remote && `StoreEnterpriseRemoteCluster ${remote.name}`;
}

/** Whether a cluster uses the Secret: one that the operator or its nodes make for it, or one that its spec names. */
export function isUsedByCluster(
  { name, secrets }: Pick<ReferencedCluster, "name" | "secrets">,
  asked: string,
): boolean {
  return isMadeForCluster(name, asked) || secrets.includes(asked);
}

function isMadeForCluster(cluster: string, asked: string): boolean {
  const { credentialsSecret, authoritySecret, nodeTlsSecret, databaseSecret, userSecret } = clusterNames;
  if ([credentialsSecret, authoritySecret, nodeTlsSecret].some((nameOf) => asked === nameOf(cluster))) return true;
  const uid = Number(/\d+$/.exec(asked)?.[0]);
  return asked === databaseSecret(cluster, uid) || asked.startsWith(userSecret(cluster, ""));
}
