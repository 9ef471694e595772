import { timestamp } from "../../../../controller-kit/src/kube/timestamp.ts";
import { storeKey, type KubeObject } from "../objects/object.ts";
import { newUid } from "../objects/generated-names.ts";
import type { ServerContext } from "../context/server-context.ts";

const RBAC = "rbac.authorization.k8s.io";

/** Puts what every cluster begins with into the store; what is there already stays as it is. */
export async function bootstrap(context: ServerContext): Promise<void> {
  const now = timestamp(context.clock.now());
  const wanted = [...namespaces(), ...roles()];
  await Promise.all(
    wanted.map(async ([bucket, object]) => {
      const { name, namespace } = object.metadata;
      const metadata = { ...object.metadata, uid: newUid(), creationTimestamp: now };
      await context.store.put(bucket, storeKey(namespace, name), { ...object, metadata }, undefined);
    }),
  );
}

type Wanted = readonly [bucket: string, object: KubeObject];

function namespaces(): Wanted[] {
  return ["default", "kube-system", "kube-public", "kube-node-lease"].map((name) => [
    "namespaces",
    {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name, labels: { "kubernetes.io/metadata.name": name } },
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Active" },
    },
  ]);
}

const READ = ["get", "list", "watch"];
const CHANGE = ["create", "delete", "deletecollection", "patch", "update"];

/** The API groups whose objects users may read and change. */
const GROUPS = [
  "",
  "apps",
  "batch",
  "discovery.k8s.io",
  "events.k8s.io",
  "networking.k8s.io",
  "policy",
  "coordination.k8s.io",
];

const DISCOVERY_PATHS = [
  "/api",
  "/api/*",
  "/apis",
  "/apis/*",
  "/healthz",
  "/livez",
  "/openapi",
  "/openapi/*",
  "/readyz",
  "/version",
  "/version/",
];

function roles(): Wanted[] {
  return [
    ...userRoles(),
    ...systemRoles(),
    clusterRoleBinding("cluster-admin", "system:masters"),
    clusterRoleBinding("system:discovery", "system:authenticated"),
    clusterRoleBinding("system:basic-user", "system:authenticated"),
  ];
}

function userRoles(): Wanted[] {
  const all = { apiGroups: GROUPS, resources: ["*"], verbs: [...READ, ...CHANGE] };
  return [
    clusterRole("cluster-admin", [
      { apiGroups: ["*"], resources: ["*"], verbs: ["*"] },
      { nonResourceURLs: ["*"], verbs: ["*"] },
    ]),
    clusterRole("admin", [
      all,
      { apiGroups: [RBAC], resources: ["roles", "rolebindings"], verbs: [...READ, ...CHANGE] },
    ]),
    clusterRole("edit", [all]),
    clusterRole("view", [
      {
        apiGroups: [""],
        resources: ["configmaps", "endpoints", "events", "persistentvolumeclaims", "pods", "pods/log", "services"],
        verbs: READ,
      },
      { apiGroups: GROUPS.slice(1), resources: ["*"], verbs: READ },
    ]),
  ];
}

function systemRoles(): Wanted[] {
  return [
    clusterRole("system:discovery", [{ nonResourceURLs: DISCOVERY_PATHS, verbs: ["get"] }]),
    clusterRole("system:basic-user", [
      {
        apiGroups: ["authorization.k8s.io"],
        resources: ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
        verbs: ["create"],
      },
      { apiGroups: ["authentication.k8s.io"], resources: ["selfsubjectreviews"], verbs: ["create"] },
    ]),
  ];
}

function clusterRole(name: string, rules: readonly Record<string, unknown>[]): Wanted {
  const metadata = { name, labels: { "kubernetes.io/bootstrapping": "rbac-defaults" } };
  return [`clusterroles.${RBAC}`, { apiVersion: `${RBAC}/v1`, kind: "ClusterRole", metadata, rules }];
}

function clusterRoleBinding(role: string, group: string): Wanted {
  const metadata = { name: role, labels: { "kubernetes.io/bootstrapping": "rbac-defaults" } };
  const roleRef = { apiGroup: RBAC, kind: "ClusterRole", name: role };
  const subjects = [{ apiGroup: RBAC, kind: "Group", name: group }];
  return [
    `clusterrolebindings.${RBAC}`,
    { apiVersion: `${RBAC}/v1`, kind: "ClusterRoleBinding", metadata, roleRef, subjects },
  ];
}
