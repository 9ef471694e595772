import type { ClusterSpec } from "../../api/cluster-spec.ts";
import type { GrowthRefusal } from "../view/volume-growth.ts";
import type { ReferencedCluster } from "./references.ts";
import type { SecretUsers } from "./secret-holder.ts";

/** A StoreEnterpriseCluster and what it is judged by. */
export interface ReviewedCluster {
  readonly name: string;
  readonly spec: ClusterSpec;
  /** The spec that is replaced; undefined for a new object, and for a caller that looks at an object at rest. */
  readonly before: ClusterSpec | undefined;
  /** Nodes that the cluster has been given; 0 before it is made. */
  readonly nodes: number;
  /** Node tags that it runs; none before it has reported. */
  readonly tags: readonly string[];
  /** Largest size that a volume was given or asked for; undefined until the cluster has reported. */
  readonly askedSize: string | undefined;
  /** Why Kubernetes would not let its volumes grow to the size of the spec; undefined when it would, or was not asked. */
  readonly growthRefusal: GrowthRefusal | undefined;
  /** Other objects of the namespace; absent where another check reads them. */
  readonly references?: ClusterReferences | undefined;
}

/** What else is in the namespace of a cluster, as far as it may take its names. */
export interface ClusterReferences extends SecretUsers {
  readonly clusters: readonly Pick<ReferencedCluster, "name" | "secrets" | "account">[];
}
