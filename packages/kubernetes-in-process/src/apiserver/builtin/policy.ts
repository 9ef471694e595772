import type { Resource } from "../resources/resource.ts";
import * as core from "../strategy/core.ts";
import { modernEventStrategy } from "../strategy/event.ts";
import * as coreTable from "../table/core.ts";
import * as networkTable from "../table/network.ts";
import * as policyTable from "../table/policy.ts";
import { builtinResource } from "./builtin-resource.ts";

const RBAC = "rbac.authorization.k8s.io";

/** The resources of the groups from coordination to storage. */
export const policyResources: readonly Resource[] = [
  builtinResource("coordination.k8s.io", "v1", "Lease", "leases", {
    columns: policyTable.leaseColumns,
    strategy: core.leaseStrategy,
  }),
  builtinResource("discovery.k8s.io", "v1", "EndpointSlice", "endpointslices", {
    counted: true,
    columns: networkTable.endpointSliceColumns,
  }),
  builtinResource("events.k8s.io", "v1", "Event", "events", {
    shortNames: ["ev"],
    bucket: "events",
    storedAs: "v1",
    columns: coreTable.eventColumns,
    strategy: modernEventStrategy,
  }),
  builtinResource("networking.k8s.io", "v1", "Ingress", "ingresses", {
    shortNames: ["ing"],
    subresources: ["status"],
    counted: true,
    columns: networkTable.ingressColumns,
    strategy: core.ingressStrategy,
  }),
  builtinResource("networking.k8s.io", "v1", "NetworkPolicy", "networkpolicies", {
    singular: "networkpolicy",
    shortNames: ["netpol"],
    counted: true,
    columns: networkTable.networkPolicyColumns,
    strategy: core.networkPolicyStrategy,
  }),
  builtinResource("policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets", {
    shortNames: ["pdb"],
    subresources: ["status"],
    counted: true,
    columns: policyTable.disruptionBudgetColumns,
  }),
  builtinResource(RBAC, "v1", "ClusterRoleBinding", "clusterrolebindings", {
    namespaced: false,
    columns: policyTable.bindingColumns,
    strategy: core.roleBindingStrategy,
  }),
  builtinResource(RBAC, "v1", "ClusterRole", "clusterroles", { namespaced: false, columns: coreTable.createdColumns }),
  builtinResource(RBAC, "v1", "RoleBinding", "rolebindings", {
    columns: policyTable.bindingColumns,
    strategy: core.roleBindingStrategy,
  }),
  builtinResource(RBAC, "v1", "Role", "roles", { columns: coreTable.createdColumns }),
  builtinResource("storage.k8s.io", "v1", "StorageClass", "storageclasses", {
    singular: "storageclass",
    shortNames: ["sc"],
    namespaced: false,
    columns: coreTable.storageClassColumns,
    strategy: core.storageClassStrategy,
  }),
];
