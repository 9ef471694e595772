/** Who asks the Kubernetes API. */
export type Program = "operator" | "node" | "rigger";

export type PolicyVerb = (typeof POLICY_VERBS)[number];

/** Every verb that a Role here may hold, in the order in which it is written. */
export const POLICY_VERBS = [
  "get",
  "list",
  "watch",
  "create",
  "update",
  "patch",
  "delete",
  "use",
  "escalate",
  "bind",
] as const;

/** Objects whose names are known when a Role is written; a verb that is asked of a name can be limited to them. */
export type Named = "leaderLease" | "nodeLeases" | "nodePods" | "nodeSecrets" | "unprivilegedConstraint";

/** What the API server is part of. */
export type Platform = "kubernetes" | "openshift";

/** What a program may do with one resource of its namespace, and why. */
export interface Permission {
  readonly who: Program;
  /** Empty for the core group. */
  readonly group: string;
  /** Plural; a subresource follows a slash. */
  readonly resource: string;
  readonly verbs: readonly PolicyVerb[];
  /** Only objects of these names; every one of the namespace when absent. */
  readonly only?: Named;
  readonly why: string;
  /** What stops when it is taken away, as half a sentence. */
  readonly without: string;
  /** Only nodes of older releases need it: it is granted while one of them is a member. */
  readonly forOlderNodes?: true;
  /** Needed there alone. */
  readonly on?: Platform;
  /** Still held when the bundle is deleted, until clusters and databases are released. */
  readonly atTeardown?: true;
  /** Without it one thing is not done and all else goes on, so that an operator runs with the Role of an older release. */
  readonly spare?: true;
  /** When it is used, where the walk from making a cluster through its upgrade to its deletion does not. */
  readonly rarely?: string;
}

/** What one program may do, before its name is put to it. */
export type Permitted = Omit<Permission, "who">;
