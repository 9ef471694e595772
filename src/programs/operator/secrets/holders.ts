import { databaseSecretOf } from "../../../core/api/names.ts";
import { referencedCluster } from "../../../core/planner/admission/references.ts";
import type { ClusterReferences } from "../../../core/planner/admission/reviewed-cluster.ts";
import { irrevocableHolder, isUsedByCluster, secretHolder } from "../../../core/planner/admission/secret-holder.ts";
import type { SecretUse } from "../../../core/planner/ownership/given-secret.ts";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import type { Ref, Stored } from "#kit/kube/kube";

/** Finds the user of a Secret in what is watched of the namespace; undefined for a Secret that nothing of the product uses by its name. */
export type FindHolder = (secret: Required<Ref>, use: SecretUse) => SecretHolder | undefined;

/** The user of a Secret under a name of its own, and whether a use that an older release allowed must end, too. */
export interface SecretHolder {
  readonly holder: string;
  readonly isIrrevocable: boolean;
}

type Followed = Pick<InformerCache, "clusters" | "databases" | "remoteClusters">;

/** What a spec asks for a login or a licence may be named by several specs of clusters, and by no database. */
export function holdersIn(cache: Followed): FindHolder {
  return ({ name, namespace }, use) => {
    const { clusters, databases, remoteClusters } = referencesAround(cache, namespace);
    const irrevocable = irrevocableHolder(name, { remoteClusters });
    if (irrevocable !== undefined) return { holder: irrevocable, isIrrevocable: true };
    const cluster = clusters.find((one) => isUsedByCluster(one, name));
    const holder = isOfDatabase(use)
      ? cluster && `StoreEnterpriseCluster ${cluster.name}`
      : secretHolder(name, { clusters, databases, remoteClusters: [] });
    return holder === undefined ? undefined : { holder, isIrrevocable: false };
  };
}

function isOfDatabase({ kind }: SecretUse): boolean {
  return OF_DATABASES.includes(kind);
}

const OF_DATABASES: readonly SecretUse["kind"][] = [
  "database",
  "object-store",
  "backup-keys",
  "certificate",
  "client-authorities",
];

/** The objects that are watched in a namespace, as far as they say which names are used; only clusters for which `counts` holds. */
export function referencesAround(
  { clusters, databases, remoteClusters }: Followed,
  namespace: string,
  counts: (cluster: Stored<object>) => boolean = () => true,
): ClusterReferences {
  const here = ({ metadata }: Stored<object>): boolean => metadata.namespace === namespace;
  return {
    clusters: clusters
      .list()
      .filter((one) => here(one) && counts(one))
      .map(({ metadata, spec, status }) => referencedCluster(metadata.name, spec, status)),
    databases: databases
      .list()
      .filter(here)
      .map(({ metadata, spec }) => ({
        name: metadata.name,
        secret: spec.databaseSecretName ?? databaseSecretOf(metadata.name),
      })),
    remoteClusters: remoteClusters
      .list()
      .filter(here)
      .map(({ metadata }) => ({ name: metadata.name })),
  };
}
