import type { Permitted } from "./permission.ts";
import { CONSTRAINT, LEASES, SLICES } from "./shared-resources.ts";

/** What the nodes of a cluster do. */
export const NODE_PERMISSIONS: readonly Permitted[] = [
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
];
