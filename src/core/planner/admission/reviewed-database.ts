import type { DatabaseSpec } from "../../api/database-spec.ts";
import type { StoreVersion } from "../../api/records.ts";
import { clusterNamed, type ReferencedCluster, type References } from "./references.ts";

export interface ReviewedExisting {
  readonly port: number | undefined;
  readonly storeVersion: StoreVersion | undefined;
  /** How many shards it has; undefined while that is not known. */
  readonly shards: number | undefined;
  /** Name of the cluster that holds it. */
  readonly cluster: string | undefined;
  /** What its engine has loaded; absent while that is not known. */
  readonly modules?: readonly LoadedModule[] | undefined;
}

/** A module that an engine has loaded. */
export interface LoadedModule {
  readonly name: string;
  /** Arguments that the database asked for; absent: it did not ask for the module, or its node is of release 0.1.0. */
  readonly args?: string | undefined;
}

/** A StoreEnterpriseDatabase, or the configuration of an Active-Active one, and what it is judged by. */
export interface ReviewedDatabase {
  readonly kind: "redb" | "reaadb";
  readonly name: string;
  /** Where the configuration is in the object: `spec` or `spec.globalConfigurations`. */
  readonly at: string;
  readonly spec: DatabaseSpec;
  /** The spec that is replaced; undefined for a new object, and for a caller that looks at an object at rest. */
  readonly before: DatabaseSpec | undefined;
  /** What the cluster made of it; undefined while it has made nothing. */
  readonly existing: ReviewedExisting | undefined;
  readonly references: References;
  /** The slots of each shard in which it gets the data of a restore first; absent: those of its spec. */
  readonly firstSlots?: readonly string[] | undefined;
}

/** A StoreEnterpriseDatabase that is written. */
export interface WrittenDatabase extends ReviewedDatabase {
  /** Whether it is a site of an Active-Active database. */
  readonly isSite: boolean;
}

/** The cluster that the database is in, or is to be made in: the one that is named, or the only one. */
export function clusterOfReviewed({
  spec,
  existing,
  references,
}: Pick<ReviewedDatabase, "spec" | "existing" | "references">): ReferencedCluster | undefined {
  return clusterNamed(references, existing?.cluster ?? spec.storeEnterpriseCluster?.name);
}
