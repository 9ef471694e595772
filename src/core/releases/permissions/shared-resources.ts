export const RBAC = "rbac.authorization.k8s.io";
export const LEASES = { group: "coordination.k8s.io", resource: "leases" } as const;
export const SLICES = { group: "discovery.k8s.io", resource: "endpointslices" } as const;
export const CONSTRAINT = {
  group: "security.openshift.io",
  resource: "securitycontextconstraints",
  verbs: ["use"],
  only: "unprivilegedConstraint",
  on: "openshift",
  why: "pods run unprivileged as a user of their own",
} as const;
