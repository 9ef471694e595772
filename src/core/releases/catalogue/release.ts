/** One database version that a release carries. `full` is its build where one is published. */
export interface BundledDatabase {
  /** `major.minor`, for instance "8.2". */
  readonly version: string;
  readonly full?: string;
}

/** How a release takes user-defined modules: not at all, by upload to the cluster, or listed in the REC. */
export type UserModules = "unsupported" | "upload" | "listed";

/** Minors of a platform; one in neither list is not supported. */
export interface PlatformSupport {
  readonly supported: readonly string[];
  readonly deprecated: readonly string[];
}

/** One release of the operator and everything that is bound to it (§9). */
export interface Release {
  /** The operator version, for instance "8.2.0-12". */
  readonly operator: string;
  /** Month of publication, `YYYY-MM`. */
  readonly date: string;
  /** Tag of the node image bound to this operator. */
  readonly nodeTag: string;
  /** Later builds of the same node image: known, and accepted in place of `nodeTag`. */
  readonly rebuiltNodeTags: readonly string[];
  /** Newest first. */
  readonly databases: readonly BundledDatabase[];
  /** The version a database gets in this release when none is asked for. */
  readonly defaultDatabase: string;
  /** Base systems of the node images; a module needs a build for one of them. */
  readonly baseSystems: readonly ("ubuntu18" | "rhel8" | "rhel9")[];
  /** Oldest operator that may be upgraded to this one; absent for the oldest releases. */
  readonly minFrom?: string;
  /** Oldest database version that a cluster may hold when it is upgraded to this release. */
  readonly minDatabase?: string;
  readonly userModules: UserModules;
  /** Kubernetes minors, for instance "1.33". */
  readonly kubernetes: PlatformSupport;
  /** OpenShift minors, for instance "4.18". */
  readonly openShift: PlatformSupport;
  /** Version of the cluster kind that the API stores from this release on. */
  readonly storedVersion: "v1alpha1" | "v1";
  /** What a node may do unless more is asked for. */
  readonly security: "privileged" | "unprivileged";
  /** The user that engines run as: the user of the node in its container, or another one in a container of their own. */
  readonly engines: "in-node" | "in-own-container";
  /** Month in which this line of the software is no longer cared for, `YYYY-MM`; absent while none is announced. */
  readonly endOfLife?: string;
}
