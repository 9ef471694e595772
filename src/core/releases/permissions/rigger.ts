import type { Permitted } from "./permission.ts";
import { CONSTRAINT, LEASES, SLICES } from "./shared-resources.ts";

/** What the services rigger of a cluster does. */
export const RIGGER_PERMISSIONS: readonly Permitted[] = [
  {
    group: "",
    resource: "pods",
    verbs: ["list", "watch"],
    why: "addresses of node pods lead to the management API",
    without: "Services of databases are not applied",
  },
  {
    group: "",
    resource: "pods",
    verbs: ["patch"],
    only: "nodePods",
    why: "the pod of the leader has a label",
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
    why: "leases show changes of nodes",
    without: "Services follow changes of nodes late",
  },
  {
    group: "",
    resource: "services",
    verbs: ["get", "list", "watch", "create", "patch"],
    why: "each database has a Service, unless another object has the name",
    without: "databases get no Services",
  },
  {
    ...SLICES,
    verbs: ["list", "watch", "create", "patch"],
    why: "a Service leads to the nodes that take clients",
    without: "clients are sent to nodes that are gone",
  },
  { ...CONSTRAINT, without: "the pod of the rigger cannot be made" },
];
