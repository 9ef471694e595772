import { APP_LABEL, OPERATOR_NAME } from "../../api/names.ts";

/** What the operator in `namespace` needs beside its Roles to find the namespaces that carry a label. */
export function watchedByLabelAccess(namespace: string): readonly object[] {
  const metadata = { name: `${OPERATOR_NAME}-namespaces`, labels: { app: APP_LABEL } };
  return [
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata,
      rules: [{ apiGroups: [""], resources: ["namespaces"], verbs: ["list", "watch"] }],
    },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: metadata.name },
      subjects: [{ kind: "ServiceAccount", name: OPERATOR_NAME, namespace }],
    },
  ];
}
