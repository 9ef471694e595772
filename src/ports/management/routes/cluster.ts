import { z } from "zod";
import type { RemoteSite } from "../../../core/api/records.ts";
import { ACTION } from "../records/actions.ts";
import { REMOTE_SITE } from "../records/active-active.ts";
import { BOOTSTRAP, CLUSTER, CLUSTER_POLICY, LICENSE } from "../records/cluster.ts";
import type { ClusterPolicy, ClusterUpdate, LicenseInstall, MaintenanceOn } from "../records/cluster.ts";
import { NODE, SET_ASIDE } from "../records/nodes.ts";
import { json, route } from "../route.ts";

/** The cluster, its licence, its nodes and its actions. */
export const clusterRoutes = {
  bootstrap: route(
    "GET",
    "/v1/bootstrap",
    "none",
    "readiness probe of the node pod, which has no credentials; 200 once joined, 503 before",
    BOOTSTRAP,
  ),
  cluster: route("GET", "/v1/cluster", "view_cluster_info", "names the cluster and its leader", CLUSTER),
  updateCluster: route(
    "PUT",
    "/v1/cluster",
    "update_cluster",
    "the operator reports its version, for the other participants of Active-Active databases",
    CLUSTER,
    json<ClusterUpdate>(),
  ),
  clusterPolicy: route(
    "GET",
    "/v1/cluster/policy",
    "view_cluster_info",
    "which versions databases may be moved to; nodes of older releases do not have it",
    CLUSTER_POLICY,
  ),
  updateClusterPolicy: route(
    "PUT",
    "/v1/cluster/policy",
    "update_cluster",
    "the operator passes on what spec.storeUpgradePolicy says",
    CLUSTER_POLICY,
    json<ClusterPolicy>(),
  ),
  remoteSites: route(
    "GET",
    "/v1/cluster/remote_sites",
    "view_crdb",
    "where the links of Active-Active databases find other clusters, and whom they trust",
    z.array(REMOTE_SITE),
  ),
  putRemoteSites: route(
    "PUT",
    "/v1/cluster/remote_sites",
    "update_cluster",
    "the operator passes on what its StoreEnterpriseRemoteClusters and the `ca.crt` of their Secrets say",
    z.array(REMOTE_SITE),
    json<readonly RemoteSite[]>(),
  ),
  license: route("GET", "/v1/license", "view_license", "the licence in force", LICENSE),
  installLicense: route(
    "PUT",
    "/v1/license",
    "install_new_license",
    "installs a signed licence, at any time; one that is not valid for this cluster is refused and the old one stays",
    LICENSE,
    json<LicenseInstall>(),
  ),
  nodes: route("GET", "/v1/nodes", "view_all_nodes_info", "addresses and state of every node", z.array(NODE)),
  node: route("GET", "/v1/nodes/:uid", "view_all_nodes_info", "one node", NODE),
  actions: route(
    "GET",
    "/v1/actions",
    "view_status_of_cluster_action",
    "every action that runs or has ended lately",
    z.array(ACTION),
  ),
  action: route("GET", "/v1/actions/:uid", "view_status_of_cluster_action", "one action", ACTION),
  actionsV2: route("GET", "/v2/actions", "view_status_of_cluster_action", "the same", z.array(ACTION)),
  actionV2: route("GET", "/v2/actions/:uid", "view_status_of_cluster_action", "one action", ACTION),
  maintenanceOn: route(
    "POST",
    "/v1/nodes/:uid/actions/maintenance_on",
    "start_node_action",
    "moves primaries, leadership and clients off a node",
    ACTION,
    json<MaintenanceOn>(),
  ),
  maintenanceOff: route(
    "POST",
    "/v1/nodes/:uid/actions/maintenance_off",
    "start_node_action",
    "takes a node back into service",
    ACTION,
  ),
  releaseSetAside: route(
    "DELETE",
    "/v1/nodes/:uid/set_aside/:id",
    "start_node_action",
    "removes data of a node that no record asks for, before its time is over",
    z.array(SET_ASIDE),
  ),
  nodeAction: route(
    "GET",
    "/v1/nodes/:uid/actions/:action",
    "view_status_of_cluster_action",
    "progress of a node action",
    ACTION,
  ),
} as const;
