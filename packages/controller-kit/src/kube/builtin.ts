import type { ValidatingWebhookConfiguration } from "kubernetes-types/admissionregistration/v1.js";
import type { CustomResourceDefinition } from "kubernetes-types/apiextensions/v1.js";
import type { ControllerRevision, Deployment, ReplicaSet, StatefulSet } from "kubernetes-types/apps/v1.js";
import type { Job } from "kubernetes-types/batch/v1.js";
import type { Lease } from "kubernetes-types/coordination/v1.js";
import type {
  ConfigMap,
  Endpoints as EndpointsObject,
  Event,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  ResourceQuota,
  Secret,
  Service,
  ServiceAccount,
} from "kubernetes-types/core/v1.js";
import type { EndpointSlice } from "kubernetes-types/discovery/v1.js";
import type { NetworkPolicy } from "kubernetes-types/networking/v1.js";
import type { PodDisruptionBudget } from "kubernetes-types/policy/v1.js";
import type { Role, RoleBinding } from "kubernetes-types/rbac/v1.js";
import type { StorageClass } from "kubernetes-types/storage/v1.js";
import type { ResourceType } from "./kube.ts";

// The kinds of Kubernetes itself that this project uses.

export const Pods = core<Pod>("Pod", "pods");
export const Services = core<Service>("Service", "services");
/** Services without what they hold. */
export const ServiceVersions: ResourceType = { ...Services, metadataOnly: true };
export const Secrets = core<Secret>("Secret", "secrets");
/** Secrets without what they hold. */
export const SecretVersions: ResourceType = { ...Secrets, metadataOnly: true };
export const ConfigMaps = core<ConfigMap>("ConfigMap", "configmaps");
export const ServiceAccounts = core<ServiceAccount>("ServiceAccount", "serviceaccounts");
export const Events = core<Event>("Event", "events");
export const Namespaces = core<Namespace>("Namespace", "namespaces", false);
export const ResourceQuotas = core<ResourceQuota>("ResourceQuota", "resourcequotas");
export const Nodes = core<Node>("Node", "nodes", false);
export const PersistentVolumeClaims = core<PersistentVolumeClaim>("PersistentVolumeClaim", "persistentvolumeclaims");
export const PersistentVolumes = core<PersistentVolume>("PersistentVolume", "persistentvolumes", false);
export const Endpoints = core<EndpointsObject>("Endpoints", "endpoints");
export const Deployments = groupType<Deployment>("apps", "Deployment", "deployments");
export const ReplicaSets = groupType<ReplicaSet>("apps", "ReplicaSet", "replicasets");
export const StatefulSets = groupType<StatefulSet>("apps", "StatefulSet", "statefulsets");
export const ControllerRevisions = groupType<ControllerRevision>("apps", "ControllerRevision", "controllerrevisions");
export const Jobs = groupType<Job>("batch", "Job", "jobs");
export const Roles = groupType<Role>("rbac.authorization.k8s.io", "Role", "roles");
export const RoleBindings = groupType<RoleBinding>("rbac.authorization.k8s.io", "RoleBinding", "rolebindings");
export const Leases = groupType<Lease>("coordination.k8s.io", "Lease", "leases");
export const EndpointSlices = groupType<EndpointSlice>("discovery.k8s.io", "EndpointSlice", "endpointslices");
export const StorageClasses = groupType<StorageClass>("storage.k8s.io", "StorageClass", "storageclasses", false);
export const PodDisruptionBudgets = groupType<PodDisruptionBudget>(
  "policy",
  "PodDisruptionBudget",
  "poddisruptionbudgets",
);
export const NetworkPolicies = groupType<NetworkPolicy>("networking.k8s.io", "NetworkPolicy", "networkpolicies");
export const ValidatingWebhookConfigurations = groupType<ValidatingWebhookConfiguration>(
  "admissionregistration.k8s.io",
  "ValidatingWebhookConfiguration",
  "validatingwebhookconfigurations",
  false,
);
/** Only OpenShift has it. */
export const SecurityContextConstraints = groupType<{ readonly users?: readonly string[] }>(
  "security.openshift.io",
  "SecurityContextConstraints",
  "securitycontextconstraints",
  false,
);
export const CustomResourceDefinitions = groupType<CustomResourceDefinition>(
  "apiextensions.k8s.io",
  "CustomResourceDefinition",
  "customresourcedefinitions",
  false,
);

function core<T>(kind: string, plural: string, namespaced = true): ResourceType<T> {
  return { group: "", version: "v1", kind, plural, namespaced };
}

function groupType<T>(group: string, kind: string, plural: string, namespaced = true): ResourceType<T> {
  return { group, version: "v1", kind, plural, namespaced };
}
