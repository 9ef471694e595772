import type { Permitted } from "./permission.ts";
import { CONSTRAINT, LEASES, SLICES } from "./shared-resources.ts";

/** What the nodes of a cluster do. */
export const NODE_PERMISSIONS: readonly Permitted[] = [
  {
    group: "",
    resource: "configmaps",
    verbs: ["get", "list", "watch", "create", "update"],
    why: "records hold the state of cluster and databases; their names have numbers that are not known in advance",
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
    verbs: ["create"],
    forOlderNodes: true,
    why: "nodes of releases before 0.5.0 make the Secrets of databases and users; it goes with the last of them",
    without: "such a node cannot create databases and users",
    rarely: "only while such a node is a member",
  },
  {
    group: "",
    resource: "secrets",
    verbs: ["get", "delete"],
    only: "nodeSecrets",
    why: "passwords are read where clients and users log in, and removed with their database or user",
    without: "databases cannot be served or deleted, and users cannot log in or be changed",
  },
  {
    group: "",
    resource: "secrets",
    verbs: ["patch"],
    only: "nodeSecrets",
    why: "the Secret that the operator has made for a new database or user is filled; that of a database gets a changed password, and loses the former one when its time has come",
    without:
      "databases and users cannot be created, passwords of databases cannot be changed, and former ones do not end",
  },
  {
    ...LEASES,
    verbs: ["list", "watch", "create"],
    why: "leases show members and leader",
    without: "nodes cannot join, and the cluster has no leader",
  },
  {
    ...LEASES,
    verbs: ["get", "update"],
    only: "leaderLease",
    why: "one node is the leader",
    without: "the cluster has no leader: no failover, no upgrade of databases",
  },
  {
    ...LEASES,
    verbs: ["patch"],
    only: "nodeLeases",
    why: "a node renews its lease every second",
    without: "nodes count as dead and stop taking writes",
  },
  {
    ...SLICES,
    verbs: ["list"],
    why: "clients leave a node only when no Service sends new ones",
    without: "clients of a node that ends are disconnected too early",
  },
  { ...CONSTRAINT, without: "pods of nodes cannot be created" },
];
