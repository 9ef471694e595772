import { joinApiVersion } from "../objects/object.ts";
import { builtinSchema } from "../openapi/builtin.ts";
import * as core from "../strategy/core.ts";
import { coreEventStrategy, modernEventStrategy } from "../strategy/event.ts";
import { podStrategy } from "../strategy/pod.ts";
import { webhookStrategy } from "../strategy/webhook.ts";
import * as workload from "../strategy/workload.ts";
import * as coreTable from "../table/core.ts";
import * as networkTable from "../table/network.ts";
import { podColumns } from "../table/pods.ts";
import * as policyTable from "../table/policy.ts";
import * as workloadTable from "../table/workloads.ts";
import { definitionStrategy } from "../crd/strategy.ts";
import { REQUEST_VERBS, type Resource, type ScalePaths } from "../resources/resource.ts";

const REPLICAS: ScalePaths = { spec: ".spec.replicas", status: ".status.replicas", selector: ".spec.selector" };
const RBAC = "rbac.authorization.k8s.io";

/** The resources that are always there; the order is that of `kubectl api-resources`. */
export const builtinResources: readonly Resource[] = [
  row("", "v1", "ConfigMap", "configmaps", {
    shortNames: ["cm"],
    columns: coreTable.configMapColumns,
    strategy: core.configMapStrategy,
  }),
  row("", "v1", "Endpoints", "endpoints", {
    singular: "endpoints",
    shortNames: ["ep"],
    columns: networkTable.endpointsColumns,
  }),
  row("", "v1", "Event", "events", {
    shortNames: ["ev"],
    columns: coreTable.eventColumns,
    strategy: coreEventStrategy,
  }),
  row("", "v1", "Namespace", "namespaces", {
    shortNames: ["ns"],
    namespaced: false,
    verbs: REQUEST_VERBS.filter((verb) => verb !== "deletecollection"),
    subresources: ["status", "finalize"],
    columns: coreTable.namespaceColumns,
    strategy: core.namespaceStrategy,
  }),
  row("", "v1", "Node", "nodes", {
    shortNames: ["no"],
    namespaced: false,
    subresources: ["status"],
    columns: coreTable.nodeColumns,
  }),
  row("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", {
    shortNames: ["pvc"],
    subresources: ["status"],
    columns: coreTable.claimColumns,
    strategy: core.claimStrategy,
  }),
  row("", "v1", "PersistentVolume", "persistentvolumes", {
    shortNames: ["pv"],
    namespaced: false,
    subresources: ["status"],
    columns: coreTable.volumeColumns,
    strategy: core.volumeStrategy,
  }),
  row("", "v1", "Pod", "pods", {
    shortNames: ["po"],
    categories: ["all"],
    subresources: ["status", "log", "binding", "eviction", "attach", "exec", "portforward", "ephemeralcontainers"],
    counted: true,
    columns: podColumns,
    strategy: podStrategy,
  }),
  row("", "v1", "Secret", "secrets", { columns: coreTable.secretColumns, strategy: core.secretStrategy }),
  row("", "v1", "ServiceAccount", "serviceaccounts", {
    shortNames: ["sa"],
    subresources: ["token"],
    columns: coreTable.serviceAccountColumns,
  }),
  row("", "v1", "Service", "services", {
    shortNames: ["svc"],
    categories: ["all"],
    subresources: ["status"],
    columns: networkTable.serviceColumns,
    strategy: core.serviceStrategy,
  }),
  row("admissionregistration.k8s.io", "v1", "ValidatingWebhookConfiguration", "validatingwebhookconfigurations", {
    namespaced: false,
    categories: ["api-extensions"],
    counted: true,
    columns: policyTable.webhookColumns,
    strategy: webhookStrategy,
  }),
  row("apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions", {
    shortNames: ["crd", "crds"],
    namespaced: false,
    categories: ["api-extensions"],
    subresources: ["status"],
    counted: true,
    columns: policyTable.definitionColumns,
    strategy: definitionStrategy,
  }),
  row("apps", "v1", "ControllerRevision", "controllerrevisions", { columns: workloadTable.controllerRevisionColumns }),
  row("apps", "v1", "DaemonSet", "daemonsets", {
    shortNames: ["ds"],
    categories: ["all"],
    subresources: ["status"],
    counted: true,
    columns: workloadTable.daemonSetColumns,
    strategy: workload.daemonSetStrategy,
  }),
  row("apps", "v1", "Deployment", "deployments", {
    shortNames: ["deploy"],
    categories: ["all"],
    subresources: ["status", "scale"],
    scale: REPLICAS,
    counted: true,
    columns: workloadTable.deploymentColumns,
    strategy: workload.deploymentStrategy,
  }),
  row("apps", "v1", "ReplicaSet", "replicasets", {
    shortNames: ["rs"],
    categories: ["all"],
    subresources: ["status", "scale"],
    scale: REPLICAS,
    counted: true,
    columns: workloadTable.replicaSetColumns,
    strategy: workload.replicaSetStrategy,
  }),
  row("apps", "v1", "StatefulSet", "statefulsets", {
    shortNames: ["sts"],
    categories: ["all"],
    subresources: ["status", "scale"],
    scale: REPLICAS,
    counted: true,
    columns: workloadTable.statefulSetColumns,
    strategy: workload.statefulSetStrategy,
  }),
  row("batch", "v1", "CronJob", "cronjobs", {
    shortNames: ["cj"],
    categories: ["all"],
    subresources: ["status"],
    counted: true,
    columns: workloadTable.cronJobColumns,
    strategy: workload.cronJobStrategy,
  }),
  row("batch", "v1", "Job", "jobs", {
    categories: ["all"],
    subresources: ["status"],
    counted: true,
    columns: workloadTable.jobColumns,
    strategy: workload.jobStrategy,
  }),
  row("coordination.k8s.io", "v1", "Lease", "leases", {
    columns: policyTable.leaseColumns,
    strategy: core.leaseStrategy,
  }),
  row("discovery.k8s.io", "v1", "EndpointSlice", "endpointslices", {
    counted: true,
    columns: networkTable.endpointSliceColumns,
  }),
  row("events.k8s.io", "v1", "Event", "events", {
    shortNames: ["ev"],
    bucket: "events",
    storedAs: "v1",
    columns: coreTable.eventColumns,
    strategy: modernEventStrategy,
  }),
  row("networking.k8s.io", "v1", "Ingress", "ingresses", {
    shortNames: ["ing"],
    subresources: ["status"],
    counted: true,
    columns: networkTable.ingressColumns,
    strategy: core.ingressStrategy,
  }),
  row("networking.k8s.io", "v1", "NetworkPolicy", "networkpolicies", {
    singular: "networkpolicy",
    shortNames: ["netpol"],
    counted: true,
    columns: networkTable.networkPolicyColumns,
    strategy: core.networkPolicyStrategy,
  }),
  row("policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets", {
    shortNames: ["pdb"],
    subresources: ["status"],
    counted: true,
    columns: policyTable.disruptionBudgetColumns,
  }),
  row(RBAC, "v1", "ClusterRoleBinding", "clusterrolebindings", {
    namespaced: false,
    columns: policyTable.bindingColumns,
    strategy: core.roleBindingStrategy,
  }),
  row(RBAC, "v1", "ClusterRole", "clusterroles", { namespaced: false, columns: coreTable.createdColumns }),
  row(RBAC, "v1", "RoleBinding", "rolebindings", {
    columns: policyTable.bindingColumns,
    strategy: core.roleBindingStrategy,
  }),
  row(RBAC, "v1", "Role", "roles", { columns: coreTable.createdColumns }),
  row("storage.k8s.io", "v1", "StorageClass", "storageclasses", {
    singular: "storageclass",
    shortNames: ["sc"],
    namespaced: false,
    columns: coreTable.storageClassColumns,
    strategy: core.storageClassStrategy,
  }),
];

type Traits = Partial<Omit<Resource, "group" | "version" | "kind" | "plural" | "schema" | "custom">>;

function row(group: string, version: string, kind: string, plural: string, traits: Traits = {}): Resource {
  return {
    group,
    version,
    kind,
    plural,
    singular: kind.toLowerCase(),
    shortNames: [],
    categories: [],
    namespaced: true,
    verbs: REQUEST_VERBS,
    subresources: [],
    bucket: group === "" ? plural : `${plural}.${group}`,
    storedAs: joinApiVersion(group, version),
    counted: false,
    custom: false,
    columns: coreTable.plainColumns,
    strategy: {},
    schema: () => builtinSchema(group, version, kind),
    ...traits,
  };
}
