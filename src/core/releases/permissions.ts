import { API_GROUP } from "../api/names.ts";

/** Who asks the Kubernetes API. */
export type Program = "operator" | "node" | "rigger";

export type PolicyVerb = (typeof POLICY_VERBS)[number];

/** Every verb that a Role here may hold, in the order in which it is written. */
export const POLICY_VERBS = ["get", "list", "watch", "create", "update", "patch", "delete", "use"] as const;

/** Objects whose names are known when a Role is written; a verb that is asked of a name can be limited to them. */
export type Named = "leaderLease" | "nodeLeases" | "nodePods" | "unprivilegedConstraint";

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
  /** Needed there alone. */
  readonly on?: Platform;
  /** Still held when the bundle is deleted, until clusters and databases are let go. */
  readonly atTeardown?: true;
  /** When it is used, where the walk from making a cluster through its upgrade to its deletion does not. */
  readonly rarely?: string;
}

const WITH_ACTIVE_ACTIVE = "only with Active-Active databases";

const RBAC = "rbac.authorization.k8s.io";
const LEASES = { group: "coordination.k8s.io", resource: "leases" } as const;
const SLICES = { group: "discovery.k8s.io", resource: "endpointslices" } as const;
const CONSTRAINT = {
  group: "security.openshift.io",
  resource: "securitycontextconstraints",
  verbs: ["use"],
  only: "unprivilegedConstraint",
  on: "openshift",
  why: "pods run unprivileged as a user of their own",
} as const;

/** Where each fact about permissions is: Roles, the preflight check and docs/permissions.md are made from this table. */
export const PERMISSIONS: readonly Permission[] = [
  ...held("operator", [
    {
      group: API_GROUP,
      resource: "storeenterpriseclusters",
      verbs: ["get", "list", "watch"],
      atTeardown: true,
      why: "clusters are read and followed",
      without: "no cluster is looked after",
    },
    {
      group: API_GROUP,
      resource: "storeenterpriseclusters",
      verbs: ["patch"],
      atTeardown: true,
      why: "the finalizer, and the tag of an automatic upgrade, are written",
      without: "clusters are neither taken on, nor upgraded by themselves, nor let go",
    },
    {
      group: API_GROUP,
      resource: "storeenterpriseclusters/status",
      verbs: ["update"],
      why: "the status tells users what goes on",
      without: "users are told nothing about their clusters",
    },
    {
      group: API_GROUP,
      resource: "storeenterprisedatabases",
      verbs: ["list", "watch"],
      atTeardown: true,
      why: "databases are read and followed",
      without: "no database is looked after",
    },
    {
      group: API_GROUP,
      resource: "storeenterprisedatabases",
      verbs: ["patch"],
      atTeardown: true,
      why: "the finalizer is written",
      without: "databases are neither taken on nor let go",
    },
    {
      group: API_GROUP,
      resource: "storeenterprisedatabases/status",
      verbs: ["update"],
      why: "the status tells users what goes on",
      without: "users are told nothing about their databases",
    },
    {
      group: API_GROUP,
      resource: "storeenterprisedatabases",
      verbs: ["create"],
      why: "each participant of an Active-Active database has a database of its own",
      without: "Active-Active databases have no data here",
      rarely: WITH_ACTIVE_ACTIVE,
    },
    {
      group: API_GROUP,
      resource: "storeenterpriseactiveactivedatabases",
      verbs: ["list", "watch"],
      atTeardown: true,
      why: "Active-Active databases are followed, and admission compares what is written with what is there",
      without: "no Active-Active database is looked after, and what is written is let in unjudged",
    },
    {
      group: API_GROUP,
      resource: "storeenterpriseactiveactivedatabases",
      verbs: ["patch"],
      atTeardown: true,
      why: "the finalizer, and what other participants changed, are written",
      without: "Active-Active databases do not follow the other participants",
      rarely: WITH_ACTIVE_ACTIVE,
    },
    {
      group: API_GROUP,
      resource: "storeenterpriseactiveactivedatabases",
      verbs: ["create", "delete"],
      why: "what is made or deleted on one participant is made or deleted here",
      without: "Active-Active databases are made and deleted on each participant by hand",
      rarely: WITH_ACTIVE_ACTIVE,
    },
    {
      group: API_GROUP,
      resource: "storeenterpriseactiveactivedatabases/status",
      verbs: ["update"],
      why: "the status tells users what goes on",
      without: "users are told nothing about their Active-Active databases",
      rarely: WITH_ACTIVE_ACTIVE,
    },
    {
      group: API_GROUP,
      resource: "storeenterpriseremoteclusters",
      verbs: ["list", "watch"],
      atTeardown: true,
      why: "remote clusters are followed, and admission compares what is written with what is there",
      without: "other participants are not found, and what is written is let in unjudged",
    },
    {
      group: API_GROUP,
      resource: "storeenterpriseremoteclusters",
      verbs: ["patch"],
      atTeardown: true,
      why: "the finalizer is written while an Active-Active database refers to it",
      without: "a remote cluster that is in use can be deleted",
      rarely: WITH_ACTIVE_ACTIVE,
    },
    {
      group: API_GROUP,
      resource: "storeenterpriseremoteclusters/status",
      verbs: ["update"],
      why: "the status tells whether a remote cluster answers",
      without: "users are not told why another participant cannot be asked",
      rarely: WITH_ACTIVE_ACTIVE,
    },
    {
      group: "",
      resource: "configmaps",
      verbs: ["list", "watch"],
      why: "records of clusters are followed",
      without: "changes inside clusters are seen late, and clusters cannot be deleted",
    },
    {
      group: "",
      resource: "configmaps",
      verbs: ["delete"],
      why: "records of databases go with their cluster",
      without: "clusters cannot be deleted",
      rarely: "only when a cluster is deleted that has databases without an object of their own",
    },
    {
      group: "",
      resource: "secrets",
      verbs: ["get", "create", "patch"],
      why: "credentials, certificates and passwords are made, read and renewed",
      without: "clusters cannot be asked anything",
    },
    {
      group: "",
      resource: "services",
      verbs: ["list", "watch", "create", "patch"],
      why: "the Service of the nodes is kept",
      without: "nodes have no names",
    },
    {
      group: "",
      resource: "serviceaccounts",
      verbs: ["list", "watch", "create", "patch"],
      atTeardown: true,
      why: "nodes and rigger get accounts of their own; the operator's own stays until it has let its clusters go",
      without: "pods of new clusters cannot start, and a deleted bundle leaves clusters behind that cannot be deleted",
    },
    {
      group: "",
      resource: "events",
      verbs: ["create"],
      atTeardown: true,
      why: "events tell users what was done",
      without: "kubectl describe shows no events",
    },
    {
      group: "",
      resource: "events",
      verbs: ["patch"],
      why: "an event that happens again is counted",
      without: "repeated events are lost",
      rarely: "only when the same thing happens twice",
    },
    {
      group: "",
      resource: "pods",
      verbs: ["list", "watch"],
      why: "node pods are followed, and their addresses lead to the management API",
      without: "clusters cannot be found",
    },
    {
      group: "",
      resource: "pods/status",
      verbs: ["patch"],
      why: "the readiness gate says that a node is in service",
      without: "nodes never become ready, and no node can be replaced",
    },
    {
      group: "apps",
      resource: "deployments",
      verbs: ["list", "watch", "create", "patch"],
      atTeardown: true,
      why: "the services rigger is kept; the operator sees that its own Deployment is being deleted",
      without: "Services of databases are not kept, and a deleted bundle leaves clusters behind that cannot be deleted",
    },
    {
      group: "apps",
      resource: "statefulsets",
      verbs: ["get", "list", "watch", "create", "patch", "delete"],
      why: "the nodes of a cluster are made, rolled and removed",
      without: "nodes cannot be made, replaced or removed",
    },
    {
      ...LEASES,
      verbs: ["get", "list", "watch", "create", "update"],
      atTeardown: true,
      why: "one operator leads",
      without: "no operator can lead",
    },
    {
      ...LEASES,
      verbs: ["delete"],
      why: "the leases of a cluster go with it",
      without: "clusters cannot be deleted",
    },
    {
      group: "policy",
      resource: "poddisruptionbudgets",
      verbs: ["list", "watch", "create", "patch"],
      why: "a drain takes one node at a time",
      without: "a drain may take a quorum away",
    },
    {
      group: RBAC,
      resource: "roles",
      verbs: ["list", "watch", "create", "patch"],
      why: "nodes and rigger get the permissions of this table",
      without: "nodes and rigger of new clusters may do nothing",
    },
    {
      group: RBAC,
      resource: "rolebindings",
      verbs: ["list", "watch", "create", "patch"],
      why: "nodes and rigger get the permissions of this table",
      without: "nodes and rigger of new clusters may do nothing",
    },
    {
      group: "authorization.k8s.io",
      resource: "localsubjectaccessreviews",
      verbs: ["create"],
      why: "what nodes and rigger may do is checked before an upgrade relies on it",
      without: "a node that lacks a permission is noticed only when it fails",
    },
    { ...CONSTRAINT, without: "the operator cannot start" },
  ]),
  ...held("node", [
    {
      group: "",
      resource: "configmaps",
      verbs: ["get", "list", "watch", "create", "update"],
      why: "records hold the state of cluster and databases; their names carry numbers that are not known beforehand",
      without: "nodes cannot join, and nothing inside the cluster changes",
    },
    {
      group: "",
      resource: "configmaps",
      verbs: ["delete"],
      why: "the record of a deleted database is removed",
      without: "databases cannot be deleted",
    },
    {
      group: "",
      resource: "secrets",
      verbs: ["get", "create", "delete"],
      why: "each database has a Secret with its password, and each user one with a hash of theirs",
      without: "databases can neither be made nor served nor deleted, and users neither let in nor changed",
    },
    {
      group: "",
      resource: "secrets",
      verbs: ["patch"],
      why: "a Secret that is there already gets the password of the new database",
      without: "a database whose making was interrupted cannot be made again",
      rarely: "only when a Secret of that name is left from before",
    },
    {
      ...LEASES,
      verbs: ["list", "watch", "create"],
      why: "members and leader are known by their leases",
      without: "nodes cannot join, and nobody leads",
    },
    {
      ...LEASES,
      verbs: ["get", "update"],
      only: "leaderLease",
      why: "one node leads",
      without: "nobody leads the cluster: no failover, no upgrade of databases",
    },
    {
      ...LEASES,
      verbs: ["patch"],
      only: "nodeLeases",
      why: "a node says every second that it lives",
      without: "nodes count as dead and stop taking writes",
    },
    {
      ...SLICES,
      verbs: ["list"],
      why: "a node is left by its clients only when no Service sends new ones",
      without: "clients of a node that leaves are sent away too early",
    },
    { ...CONSTRAINT, without: "pods of nodes cannot be made" },
  ]),
  ...held("rigger", [
    {
      group: "",
      resource: "pods",
      verbs: ["list", "watch"],
      why: "addresses of node pods lead to the management API",
      without: "Services of databases are not kept",
    },
    {
      group: "",
      resource: "pods",
      verbs: ["patch"],
      only: "nodePods",
      why: "the leader's pod carries a label",
      without: "the leader cannot be selected by label",
    },
    {
      group: "",
      resource: "configmaps",
      verbs: ["list", "watch"],
      why: "records of databases own their Services",
      without: "databases get no Services",
    },
    {
      ...LEASES,
      verbs: ["list", "watch"],
      why: "news of nodes come with their leases",
      without: "Services learn late of nodes that come and go",
    },
    {
      group: "",
      resource: "services",
      verbs: ["get", "list", "watch", "create", "patch"],
      why: "each database has a Service, unless the name is somebody else's",
      without: "databases get no Services",
    },
    {
      ...SLICES,
      verbs: ["list", "watch", "create", "patch"],
      why: "a Service leads to the nodes that take clients",
      without: "clients are sent to nodes that are gone",
    },
    { ...CONSTRAINT, without: "the pod of the rigger cannot be made" },
  ]),
];

function held(who: Program, rows: readonly Omit<Permission, "who">[]): readonly Permission[] {
  return rows.map((row) => ({ who, ...row }));
}
