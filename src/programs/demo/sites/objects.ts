import type { ActiveActiveSpec, RemoteClusterSpec } from "../../../core/api/active-active.ts";
import type { StoreEnterpriseCluster } from "../../../core/api/kinds.ts";
import { remoteSecretName } from "../../../core/api/names.ts";
import type { AskedVersion } from "../../../core/api/records.ts";
import { demoCluster } from "../steps/objects.ts";

/** Namespaces of the two sites, and the clusters in them; and the database that both hold. */
export const SITES = ["east", "west"] as const;
export type DemoSite = (typeof SITES)[number];
export const SHARED_DATABASE = "carts";

/** A cluster like that of the other demo, named after its namespace. */
export function siteCluster(site: DemoSite, nodeTag: string): StoreEnterpriseCluster & { metadata: Named } {
  return { ...demoCluster(nodeTag), metadata: { name: site, namespace: site } };
}

/** How the cluster `site` is reached; every site has one of each, its own included. */
export function remoteCluster(site: DemoSite, here: DemoSite, host: string) {
  const spec: RemoteClusterSpec = { recName: site, recNamespace: site, apiFqdnUrl: host };
  return { metadata: { name: site, namespace: here }, spec };
}

/** With what the operator of `here` reads from the cluster `site`. */
export function remoteSecret(site: DemoSite, here: DemoSite, data: Readonly<Record<string, string>>) {
  return { metadata: { name: remoteSecretName(site), namespace: here }, data };
}

/** The database, made on the first site. */
export function sharedDatabase(storeVersion: AskedVersion): { metadata: Named; spec: ActiveActiveSpec } {
  const spec = {
    participatingClusters: SITES.map((name) => ({ name })),
    globalConfigurations: { memorySize: "256MB", replication: true },
    storeVersion,
  } as ActiveActiveSpec;
  return { metadata: { name: SHARED_DATABASE, namespace: SITES[0] }, spec };
}

interface Named {
  readonly name: string;
  readonly namespace: string;
}
