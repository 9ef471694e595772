import { API_GROUP } from "../api/names.ts";

/** One rule of a Role. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

const READ = ["get", "list", "watch"];
const OWN = [...READ, "create", "update", "patch", "delete"];

/** What an agent does: leases and records of its cluster, passwords of its databases, addresses of its peers. */
export const NODE_RULES: readonly PolicyRule[] = [
  rule("", ["configmaps", "secrets"], OWN),
  rule("", ["events"], ["create", "patch"]),
  rule("", ["pods"], READ),
  rule("coordination.k8s.io", ["leases"], OWN),
  rule("discovery.k8s.io", ["endpointslices"], READ),
];

/** What the services rigger does: Services and EndpointSlices of databases, the leader label on pods. */
export const RIGGER_RULES: readonly PolicyRule[] = [
  rule("", ["events"], ["create", "patch"]),
  rule("", ["pods"], [...READ, "patch"]),
  rule("", ["configmaps"], READ),
  rule("", ["services"], OWN),
  rule("coordination.k8s.io", ["leases"], READ),
  rule("discovery.k8s.io", ["endpointslices"], OWN),
];

/** What the operator does; includes what it grants to nodes and rigger, since nobody may grant more than they have. */
export const OPERATOR_RULES: readonly PolicyRule[] = [
  rule(API_GROUP, ["storeenterpriseclusters", "storeenterprisedatabases"], [...READ, "update", "patch"]),
  rule(API_GROUP, ["storeenterpriseclusters/status", "storeenterprisedatabases/status"], ["get", "update", "patch"]),
  rule(API_GROUP, ["storeenterpriseclusters/finalizers", "storeenterprisedatabases/finalizers"], ["update"]),
  rule(API_GROUP, ["storeenterpriseactiveactivedatabases", "storeenterpriseremoteclusters"], READ),
  rule("", ["configmaps", "secrets", "services"], OWN),
  rule("", ["serviceaccounts"], ["get", "create", "patch", "delete"]),
  rule("", ["events"], ["create", "patch"]),
  rule("", ["pods"], [...READ, "patch", "delete"]),
  rule("", ["pods/status"], ["patch"]),
  rule("apps", ["deployments", "statefulsets"], OWN),
  rule("coordination.k8s.io", ["leases"], OWN),
  rule("discovery.k8s.io", ["endpointslices"], OWN),
  rule("policy", ["poddisruptionbudgets"], OWN),
  rule("rbac.authorization.k8s.io", ["rolebindings", "roles"], ["get", "create", "patch", "delete"]),
];

function rule(group: string, resources: readonly string[], verbs: readonly string[]): PolicyRule {
  return { apiGroups: [group], resources, verbs };
}
